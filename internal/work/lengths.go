package work

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// Length is a number of tokens: always Mean where SD is 0, else normal, rounded
// and clamped to Min and Max.
type Length struct{ Mean, SD, Min, Max int }

// Fixed is always n tokens.
func Fixed(n int) Length { return Length{Mean: n} }

// maxTokens is more than any model takes.
const maxTokens = 10_000_000

// Draw draws one.
func (l Length) Draw(rnd *rand.Rand) int {
	if l.SD == 0 {
		return l.Mean
	}
	n := int(math.Round(float64(l.Mean) + rnd.NormFloat64()*float64(l.SD)))
	return min(max(n, l.Min), l.Max)
}

// String is what ParseLength reads.
func (l Length) String() string {
	if l.SD == 0 {
		return strconv.Itoa(l.Mean)
	}
	return fmt.Sprintf("%d~%d[%d..%d]", l.Mean, l.SD, l.Min, l.Max)
}

var lengthForm = regexp.MustCompile(`^(\d{1,9})(?:~(\d{1,9})(?:\[(\d{1,9})\.\.(\d{1,9})\])?)?$`)

// ParseLength reads 256, 256~64 (normal: mean and standard deviation) or
// 256~64[16..1024]. Without bounds they are 1 and four deviations above.
func ParseLength(s string) (Length, error) {
	m := lengthForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return Length{}, bad(fmt.Sprintf("length %q", s), "256, 256~64 for a mean and a standard deviation, or 256~64[16..1024]")
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(m[i]) // nine digits at most, or none
		return n
	}
	l := Length{number(1), number(2), number(3), number(4)}
	if l.SD > 0 && m[3] == "" {
		l.Min, l.Max = 1, min(l.Mean+4*l.SD, maxTokens)
	}
	if l.SD == 0 {
		l.Min, l.Max = 0, 0
	}
	return l, l.check()
}

func (l Length) check() error {
	what := "length " + l.String()
	switch {
	case l.Mean < 1 || l.Mean > maxTokens:
		return bad(what, fmt.Sprintf("it must be from 1 to %d tokens", maxTokens))
	case l.SD < 0 || l.SD > maxTokens:
		return bad(what, fmt.Sprintf("the deviation must be from 0 to %d", maxTokens))
	case l.SD > 0 && (l.Min < 1 || l.Max > maxTokens || l.Min > l.Mean || l.Mean > l.Max):
		return bad(what, fmt.Sprintf("the bounds must be around the mean, from 1 to %d tokens", maxTokens))
	}
	return nil
}

// Lengths is how long prompts and answers are: one pair, or several of which
// each request draws one by weight.
type Lengths []Pair

// Pair is the lengths of a prompt and its answer, and how often they come.
type Pair struct {
	Weight        float64 // relative to the others; of one pair it does not matter
	Input, Output Length
}

// OnePair is always the same two.
func OnePair(in, out Length) Lengths { return Lengths{{1, in, out}} }

// Draw draws the lengths of one request.
func (l Lengths) Draw(rnd *rand.Rand) (in, out int) {
	if len(l) == 0 {
		return 0, 0
	}
	total := 0.0
	for _, p := range l {
		total += p.Weight
	}
	chosen, u := l[len(l)-1], rnd.Float64()*total
	for _, p := range l {
		if u < p.Weight {
			chosen = p
			break
		}
		u -= p.Weight
	}
	return chosen.Input.Draw(rnd), chosen.Output.Draw(rnd)
}

// String is what ParseLengths reads.
func (l Lengths) String() string {
	total := 0.0
	for _, p := range l {
		total += p.Weight
	}
	var pairs []string
	for _, p := range l {
		s := p.Input.String() + "/" + p.Output.String()
		if len(l) > 1 {
			s = strconv.FormatFloat(p.Weight/total*100, 'g', 6, 64) + "%:" + s
		}
		pairs = append(pairs, s)
	}
	return strings.Join(pairs, ",")
}

// Mean is the mean number of tokens of prompts and answers, bounds apart.
func (l Lengths) Mean() (in, out float64) {
	total := 0.0
	for _, p := range l {
		w := p.Weight
		if len(l) == 1 {
			w = 1
		}
		total += w
		in += w * float64(p.Input.Mean)
		out += w * float64(p.Output.Mean)
	}
	if total == 0 {
		return 0, 0
	}
	return in / total, out / total
}

// Most is the most tokens that a prompt and that an answer can have.
func (l Lengths) Most() (in, out int) {
	for _, p := range l {
		in, out = max(in, p.Input.Mean, p.Input.Max), max(out, p.Output.Mean, p.Output.Max)
	}
	return in, out
}

// id leaves out the lengths that a given text has of its own.
func (l Lengths) id(synthetic bool) string {
	if synthetic {
		return l.String()
	}
	outputs := make(Lengths, len(l))
	for i, p := range l {
		outputs[i] = Pair{p.Weight, Length{}, p.Output}
	}
	return outputs.String()
}

// ParseLengths reads INPUT/OUTPUT, or several such pairs with the share of
// requests that each has: 70%:256/128,30%:4000~500/512.
func ParseLengths(s string) (Lengths, error) {
	const hint = "256/128, or 70%:256/128,30%:4000/512"
	var l Lengths
	total, parts := 0.0, strings.Split(s, ",")
	for _, part := range parts {
		share, pair, weighed := strings.Cut(strings.TrimSpace(part), ":")
		if !weighed {
			share, pair = "100%", share
		}
		if !weighed && len(parts) > 1 {
			return nil, bad(fmt.Sprintf("mix %q: %q has no share", s, part), hint)
		}
		number, percent := strings.CutSuffix(strings.TrimSpace(share), "%")
		weight, err := strconv.ParseFloat(number, 64)
		if !percent || err != nil || !(weight > 0 && weight <= 100) {
			return nil, bad(fmt.Sprintf("mix %q: share %q", s, share), "a percentage above 0 %, such as 70%")
		}
		in, out, both := strings.Cut(pair, "/")
		if !both {
			return nil, bad(fmt.Sprintf("mix %q: %q is no pair", s, pair), "tokens of the prompt and of the answer, such as 256/128")
		}
		p := Pair{Weight: weight}
		if p.Input, err = ParseLength(in); err != nil {
			return nil, err
		}
		if p.Output, err = ParseLength(out); err != nil {
			return nil, err
		}
		total += weight
		l = append(l, p)
	}
	if math.Abs(total-100) > 0.01*float64(len(l)) {
		return nil, bad(fmt.Sprintf("mix %q: the shares are %.6g %% in all", s, total), "they must be 100 %")
	}
	return l, nil
}

// check wants inputs only where the prompts are synthetic, and lengths at all
// only there.
func (l Lengths) check(synthetic bool) error {
	if len(l) == 0 && synthetic {
		return bad("no lengths", "say how many tokens prompts and answers have")
	}
	for _, p := range l {
		if len(l) > 1 && !(p.Weight > 0 && p.Weight <= math.MaxFloat32) {
			return bad(fmt.Sprintf("a weight of %v", p.Weight), "above 0")
		}
		if synthetic {
			if err := p.Input.check(); err != nil {
				return err
			}
		}
		if err := p.Output.check(); err != nil {
			return err
		}
	}
	return nil
}
