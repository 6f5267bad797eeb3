package work

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// warmUp has n requests under way at once, as a run's slots do, and is told of
// their counts.
func warmUp(s Source, c *Calibration, n int, f tokenizer) {
	requests := make([]Request, n)
	for k := range requests {
		requests[k] = s.Prompt(0, k, c)
	}
	for _, r := range requests {
		c.Observe(r.Words, f.count(r))
	}
	c.Freeze()
}

// errorsOf are the relative errors of the prompts after the warm-up.
func errorsOf(s Source, c *Calibration, from int, want int, f tokenizer) (mean, worst float64) {
	const n = 60
	for k := range n {
		e := float64(f.count(s.Prompt(0, from+k, c)))/float64(want) - 1
		mean += e / n
		worst = max(worst, math.Abs(e))
	}
	return mean, worst
}

// near is how far off a single prompt may be: a short text is not yet like
// every other of its class.
func near(class Class, size int) float64 {
	switch {
	case size >= 4000 || class != Code && size >= 1000:
		return 0.02
	case class == Code:
		return 0.03 * math.Sqrt(2000/float64(size))
	}
	return 0.03
}

// TestCalibrationConverges: a few answers are enough to ask for N tokens within
// 2 %, by whatever tokenizer, with or without a long system prompt.
func TestCalibrationConverges(t *testing.T) {
	var sample strings.Builder
	for i, class := range Classes() {
		m := maker{seed: 99}
		sample.WriteString(class.text(m.rand(streamWords, i), 3000))
	}
	tokenizers := map[string]tokenizer{
		"chars/4": quarter, "words": Words, "pairs": pairMerger(sample.String(), 1200), "few pairs": pairMerger(sample.String(), 300),
	}
	check := func(name string, p Plan, size, answers int) {
		s, c := mustSource(t, p, 5, "salt"), p.NewCalibration()
		warmUp(s, c, answers, tokenizers[name])
		mean, worst := errorsOf(s, c, answers, size, tokenizers[name])
		limit := 0.02
		if answers < 4 && size < 1000 { // each of them is off by itself
			limit = 0.03
		}
		if math.Abs(mean) > limit || worst > near(p.Class, size) {
			t.Errorf("%s, %s, %d tokens, system of %d, %d answers: mean error %+.2f %%, worst %.2f %%",
				name, p.Class, size, len(p.System), answers, mean*100, worst*100)
		}
	}
	for name := range tokenizers {
		for _, class := range Classes() {
			for _, answers := range []int{2, 4, 8} {
				for _, size := range []int{256, 1000, 4000} {
					if size == 256 && name == "few pairs" {
						continue // some hundred words, each of one to six tokens
					}
					p := words(size, 16)
					p.Class = class
					check(name, p, size, answers)
				}
				p := words(4000, 16)
				p.Class, p.System = class, strings.Repeat("Take great care with each answer. ", 30)
				check(name, p, 4000, answers)
			}
		}
	}
}

// TestCalibrationStepByStep: where each prompt knows the answer before, two are
// enough.
func TestCalibrationStepByStep(t *testing.T) {
	p := words(1000, 16)
	p.Class = Prose
	s, c := mustSource(t, p, 5, ""), p.NewCalibration()
	for k := range 2 {
		warm := s.Prompt(0, k, c)
		c.Observe(warm.Words, tokenizer(quarter).count(warm))
	}
	c.Freeze()
	if _, worst := errorsOf(s, c, 2, 1000, quarter); worst > 0.02 {
		t.Errorf("worst error %.2f %%", worst*100)
	}
}

func TestCalibrationIsRobust(t *testing.T) {
	p := words(1000, 16)
	s, c := mustSource(t, p, 5, ""), p.NewCalibration()
	for k := range 12 {
		r := s.Prompt(0, k, c)
		switch k {
		case 3:
			c.Observe(r.Words, 7) // counts the uncached part only
		case 7:
			c.Observe(r.Words, 90_000)
		default:
			c.Observe(r.Words, 40+2*r.Words)
		}
		c.Observe(0, 55)
		c.Observe(r.Words, 0)
		c.Observe(-1, -1)
	}
	f := c.Freeze()
	if got := f.OverheadTokens + f.TokensPerWord*float64(c.Words(1000)); math.Abs(got-1000) > 20 || math.Abs(f.TokensPerWord-2) > 0.1 {
		t.Errorf("%+v, %v words", f, c.Words(1000))
	}
	if f.Answers != 12 {
		t.Errorf("%d answers", f.Answers)
	}
}

// TestCalibrationFrozen: nothing that comes later changes a measured request.
func TestCalibrationFrozen(t *testing.T) {
	p := words(500, 16)
	s, c := mustSource(t, p, 5, ""), p.NewCalibration()
	warmUp(s, c, 3, quarter)
	before := s.Prompt(0, 9, c).all()
	for range 100 {
		c.Observe(100, 1000)
	}
	if s.Prompt(0, 9, c).all() != before {
		t.Error("it went on learning")
	}
}

func TestCalibrationWithoutAnswers(t *testing.T) {
	p := words(500, 16)
	s, c := mustSource(t, p, 5, ""), p.NewCalibration()
	if f := c.Freeze(); f.Answers != 0 || f.TokensPerWord != 1 || f.MedianError != 0 {
		t.Errorf("%+v", f)
	}
	if s.Prompt(0, 9, c).all() != s.Prompt(0, 9, nil).all() {
		t.Error("nil is not the guess")
	}
}

func TestCalibrationConcurrent(t *testing.T) {
	p := words(500, 16)
	s, c := mustSource(t, p, 5, ""), p.NewCalibration()
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for k := range 25 {
				r := s.Prompt(g, k, c)
				c.Observe(r.Words, quarter(r.Messages[0].Text))
			}
		})
	}
	all.Wait()
	if f := c.Freeze(); f.Answers != maxSeen {
		t.Errorf("%+v", f)
	}
}

// TestCalibrationBounds: whatever an endpoint counts, prompts stay possible.
func TestCalibrationBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := words(256, 1)
		c := p.NewCalibration()
		for range rapid.IntRange(0, 30).Draw(t, "answers") {
			c.Observe(rapid.Int().Draw(t, "words"), rapid.Int().Draw(t, "tokens"))
		}
		f := c.Freeze()
		tokens := rapid.IntRange(1, maxTokens).Draw(t, "wanted")
		n := c.Words(tokens)
		if !(f.TokensPerWord >= minRate && f.TokensPerWord <= maxRate) || !(f.OverheadTokens >= 0) {
			t.Fatalf("%+v", f)
		}
		if n < 1 || n > int(float64(tokens)/minRate)+1 {
			t.Fatalf("%d words for %d tokens by %+v", n, tokens, f)
		}
	})
}

// TestCalibrationFindsLine: without noise it is found as it is.
func TestCalibrationFindsLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := line{rapid.Float64Range(5, 800).Draw(t, "overhead"), rapid.Float64Range(0.3, 6).Draw(t, "rate")}
		size := rapid.IntRange(1500, 20_000).Draw(t, "size")
		p := words(size, 1)
		c := p.NewCalibration()
		rnd := rand.New(rand.NewPCG(1, 2))
		for range rapid.IntRange(3, 40).Draw(t, "answers") {
			n := c.Words(size)
			c.Observe(n, int(math.Round(want.overhead+want.rate*float64(n)+rnd.Float64()-0.5)))
		}
		c.Freeze()
		if got := want.overhead + want.rate*float64(c.Words(size)); math.Abs(got/float64(size)-1) > 0.01 {
			t.Fatalf("%v tokens of %d", got, size)
		}
	})
}

// TestImplausibleCounts: an endpoint that always says 9 teaches nothing.
func TestImplausibleCounts(t *testing.T) {
	p := words(256, 8)
	c := p.NewCalibration()
	for range 4 {
		c.Observe(c.Words(256), 9)
	}
	if f := c.Freeze(); !f.Implausible || f.TokensPerWord != 1 || c.Words(256) != p.guess().words(256) {
		t.Errorf("%+v, %d words", f, c.Words(256))
	}
}
