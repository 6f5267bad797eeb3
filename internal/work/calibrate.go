package work

import (
	"math"
	"slices"
	"sync"
)

// Calibration learns how many tokens an endpoint makes of a prompt, as
// overhead + rate x words, from its own counts. Until Freeze it hands out
// different lengths on purpose, without which the overhead could not be told
// from the rate; then Words is the same for good. [Plan.NewCalibration] makes
// one. It is safe for concurrent use.
type Calibration struct {
	guess line

	mu     sync.Mutex
	fit    line
	seen   []point
	next   int // of seen, to be overwritten once it is full
	handed int
	frozen bool

	implausible bool // what was seen last
}

// line is how many tokens a prompt takes.
type line struct {
	overhead float64 // the frame, the nonce, the task, the system's text
	rate     float64 // tokens of a word
}

func (l line) words(tokens float64) int {
	return max(1, int(math.Round((tokens-l.overhead)/l.rate)))
}

type point struct{ words, tokens float64 }

// frame is about what a chat template adds to a prompt of one message, in
// tokens.
const frame = 8

// guess is what is believed before the first answer.
func (p *Plan) guess() line {
	if !p.synthetic() {
		return line{rate: 1}
	}
	nonces := 1
	if p.share() > 0 {
		nonces = 2
	}
	const nonceWords = 6
	return line{float64(frame + nonces*nonceWords + Words(p.Class.task()) + Words(p.System)), 1}
}

// NewCalibration is one for an endpoint that is asked p, or for several that
// are to be asked the same texts.
func (p Plan) NewCalibration() *Calibration {
	g := p.guess()
	return &Calibration{guess: g, fit: g}
}

// spread is what part of the wanted length warm-up prompts have, in turn. The
// first is whole: one answer alone says most about prompts of its own length.
var spread = []float64{1, 0.5, 0.75, 0.6, 1, 0.9}

// Words is how many words of synthetic text make a prompt of so many tokens.
func (c *Calibration) Words(tokens int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frozen {
		return c.fit.words(float64(tokens))
	}
	part := spread[c.handed%len(spread)]
	c.handed++
	return c.fit.words(float64(tokens) * part)
}

// line is what is known now.
func (c *Calibration) line() line {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fit
}

const maxSeen = 128

// Observe learns from an answer: a prompt with so many words of synthetic text
// (Request.Words) was so many tokens by the endpoint's count. Once frozen, and
// for counts below 1, it does nothing.
func (c *Calibration) Observe(words, promptTokens int) {
	if words < 1 || promptTokens < 1 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frozen {
		return
	}
	p := point{float64(words), float64(promptTokens)}
	if len(c.seen) < maxSeen {
		c.seen = append(c.seen, p)
	} else {
		c.seen[c.next%maxSeen] = p
		c.next++
	}
	c.fit = c.guess.improve(c.seen)
	c.implausible = c.fit.rate < leastPlausible || c.fit.rate > mostPlausible
	if c.implausible {
		c.fit = c.guess
	}
}

// Fit is what a calibration learned.
type Fit struct {
	Answers        int     `json:"answers"` // it was learned from; 0: the numbers are a guess
	TokensPerWord  float64 `json:"tokens_per_word"`
	OverheadTokens float64 `json:"overhead_tokens"`       // of a prompt beside its words
	MedianError    float64 `json:"median_error"`          // of the answers it was learned from, as a share of their tokens
	Implausible    bool    `json:"implausible,omitempty"` // no tokenizer counts so: the guess was kept
}

// The rates that a tokenizer gives to the classes' words: from whole phrases to
// a token a byte. Counts beyond (a mock that always says 9) would make prompts
// of any length.
const (
	leastPlausible = 0.25
	mostPlausible  = 8
)

// Freeze ends learning. Whoever measures calls it between warm-up and the
// first measured request, so that the measured ones have one length.
func (c *Calibration) Freeze() Fit {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen = true
	f := Fit{Answers: len(c.seen), TokensPerWord: c.fit.rate, OverheadTokens: c.fit.overhead}
	if f.Implausible = c.implausible; len(c.seen) > 0 {
		errs := make([]float64, len(c.seen))
		for i, p := range c.seen {
			errs[i] = math.Abs(c.fit.tokens(p.words)-p.tokens) / p.tokens
		}
		f.MedianError = median(errs).Or(0)
	}
	return f
}

// The rates that can be: a tokenizer that takes whole phrases, and one of bytes.
const (
	minRate = 0.05
	maxRate = 20
)

// improve fits a line to what was seen: least squares of the relative errors,
// with little say for what lies far off (Huber's weights), and with a slight
// pull of the overhead to the guess, which decides where all prompts were of
// one length.
func (l line) improve(seen []point) line {
	const pull, rounds, turn = 0.002, 20, 1.345
	rough := line{l.overhead, medianRate(seen, l.overhead)}
	fit := rough
	for range rounds {
		limit := turn * max(fit.scale(seen, rough), 0.002)
		var n, x, xx, y, xy, prior float64
		for _, p := range seen {
			size := rough.tokens(p.words)
			w := 1 / (size * size) // of the errors, relative
			prior += pull * w / float64(len(seen))
			if e := fit.error(p, rough); e > limit {
				w *= limit / e
			}
			n, x, xx, y, xy = n+w, x+w*p.words, xx+w*p.words*p.words, y+w*p.tokens, xy+w*p.words*p.tokens
		}
		n, y = n+prior, y+prior*l.overhead
		det := n*xx - x*x
		if !(det > 0) {
			break
		}
		before := fit
		fit = line{(y*xx - x*xy) / det, (n*xy - x*y) / det}
		if fit.overhead < 0 { // noise: refit through 0
			fit = line{0, xy / xx}
		}
		fit.rate = min(max(fit.rate, minRate), maxRate)
		if math.Abs(fit.rate-before.rate) < 1e-6 && math.Abs(fit.overhead-before.overhead) < 1e-3 {
			break
		}
	}
	return fit
}

func (l line) tokens(words float64) float64 { return l.overhead + l.rate*words }

// error is relative to what roughly was to be expected, not to what came: that
// may be nonsense.
func (l line) error(p point, rough line) float64 {
	return math.Abs(l.tokens(p.words)-p.tokens) / rough.tokens(p.words)
}

// scale is a robust deviation of the errors.
func (l line) scale(seen []point, rough line) float64 {
	errs := make([]float64, len(seen))
	for i, p := range seen {
		errs[i] = l.error(p, rough)
	}
	return 1.4826 * median(errs).Or(0)
}

func medianRate(seen []point, overhead float64) float64 {
	rates := make([]float64, len(seen))
	for i, p := range seen {
		rates[i] = (p.tokens - overhead) / p.words
	}
	slices.Sort(rates)
	return min(max(rates[(len(rates)-1)/2], minRate), maxRate)
}

// words is how many words make a first prompt of so many tokens.
func (p *Plan) words(c *Calibration, tokens int) int {
	if c == nil {
		return p.guess().words(float64(tokens))
	}
	return c.Words(tokens)
}

// moreWords is the same for a further message of the user, which has a task of
// its own and a frame of about half the first.
func (p *Plan) moreWords(c *Calibration, tokens int) int {
	l := p.line(c)
	l.overhead = frame/2 + l.rate*float64(Words(p.Class.task()))
	return l.words(float64(tokens))
}

// answerWords is the same for an answer that is made up.
func (p *Plan) answerWords(c *Calibration, tokens int) int {
	l := p.line(c)
	l.overhead = frame / 2
	return l.words(float64(tokens))
}

func (p *Plan) line(c *Calibration) line {
	if c == nil {
		return p.guess()
	}
	return c.line()
}
