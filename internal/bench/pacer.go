package bench

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Shape is when the requests of an open loop are due: a pure value that gives
// the same offsets for the same seed. They count from the start of the
// schedule, never from the request before, so that no delay adds up.
type Shape struct {
	// Steps are rates, one after the other. The last has no end if its For is 0.
	Steps []Step
	// Burstiness says how the gaps scatter: 0 makes them all alike, 1 is a
	// Poisson process, anything else the shape of a gamma distribution: below 1
	// there are bursts, above 1 it is more regular than chance (vLLM's meaning).
	Burstiness float64
	// Offsets, in place of Steps, are the due times of a recording, in order.
	Offsets []time.Duration
}

// Step is a rate that is asked for some time.
type Step struct {
	Rate float64       // requests per second; 0 is a pause
	For  time.Duration // 0, in the last step: without end
}

// Constant is a rate with equal gaps; the first request is due at once.
func Constant(rate float64) *Shape { return &Shape{Steps: []Step{{Rate: rate}}} }

// Poisson is a rate with exponential gaps: users who do not know of each other.
func Poisson(rate float64) *Shape { return Gamma(rate, 1) }

// Gamma is a rate with gaps of a gamma distribution.
func Gamma(rate, burstiness float64) *Shape {
	return &Shape{Steps: []Step{{Rate: rate}}, Burstiness: burstiness}
}

// Replay is the due times of a recording, and their lengths are c.Items.
func Replay(items []Item) *Shape {
	s := &Shape{Offsets: make([]time.Duration, len(items))}
	for i, it := range items {
		s.Offsets[i] = it.At
	}
	return s
}

// ParseSchedule reads steps such as "10@30s,50@1m": 10 requests per second for
// 30 seconds, then 50 for a minute. The last may leave its time out.
func ParseSchedule(text string) ([]Step, error) {
	var steps []Step
	for part := range strings.SplitSeq(text, ",") {
		rate, length, timed := strings.Cut(strings.TrimSpace(part), "@")
		var s Step
		var err error
		if s.Rate, err = strconv.ParseFloat(rate, 64); err == nil && timed {
			s.For, err = time.ParseDuration(length)
		}
		if err != nil || timed && s.For <= 0 {
			return nil, bad(fmt.Sprintf("step %q of the rate schedule", part), "a step is RATE@TIME, such as 10@30s")
		}
		steps = append(steps, s)
	}
	return steps, (&Shape{Steps: steps}).check()
}

// Bounds of what can be asked for.
const (
	maxRate     = 100_000 // requests per second of one target
	maxRequests = 10_000_000
	maxSteps    = 10_000
	maxSpan     = 31 * 24 * time.Hour
)

func (s *Shape) check() error {
	switch {
	case len(s.Offsets) > maxRequests:
		return bad(fmt.Sprintf("a trace of %d requests", len(s.Offsets)), fmt.Sprintf("at most %d", maxRequests))
	case len(s.Offsets) > 0 && (s.Offsets[0] < 0 || !slices.IsSorted(s.Offsets)):
		return bad("a trace whose times go back", "sort it, and count from its first request")
	case len(s.Offsets) > 0 && len(s.Steps) > 0:
		return bad("a trace and a rate", "a trace brings its own times")
	case len(s.Offsets) == 0 && len(s.Steps) == 0:
		return bad("a load without a rate", "give a rate, a schedule or a trace")
	case len(s.Steps) > maxSteps:
		return bad(fmt.Sprintf("a schedule of %d steps", len(s.Steps)), fmt.Sprintf("at most %d", maxSteps))
	case s.Burstiness != 0 && !(s.Burstiness >= 0.01 && s.Burstiness <= 10_000):
		return bad(fmt.Sprintf("burstiness %v", s.Burstiness), "it is from 0.01 to 10000; 1 is Poisson")
	}
	return s.checkSteps()
}

func (s *Shape) checkSteps() error {
	most := 0.0
	for i, step := range s.Steps {
		last := i == len(s.Steps)-1
		switch {
		case !(step.Rate >= 0 && step.Rate <= maxRate):
			return bad(fmt.Sprintf("a rate of %v requests per second", step.Rate), fmt.Sprintf("it is above 0 and at most %d", maxRate))
		case step.For < 0 || step.For > maxSpan:
			return bad(fmt.Sprintf("a step of %v", step.For), fmt.Sprintf("it is from 0 to %v", maxSpan))
		case step.For == 0 && !last:
			return bad(fmt.Sprintf("step %d of the rate schedule has no end", i+1), "only the last may leave its time out")
		case step.Rate == 0 && (last && step.For == 0 || len(s.Steps) == 1):
			return bad("a rate of 0 requests per second", "it is above 0")
		}
		most = max(most, step.Rate)
	}
	if len(s.Steps) > 0 && most == 0 {
		return bad("a schedule of pauses", "at least one step has a rate above 0")
	}
	return nil
}

// Span is how long the schedule is; false where it has no end.
func (s *Shape) Span() (span time.Duration, ends bool) {
	if n := len(s.Offsets); n > 0 {
		return s.Offsets[n-1], true
	}
	for _, step := range s.Steps {
		span += step.For
	}
	return span, s.Steps[len(s.Steps)-1].For > 0
}

// Dues yields the offsets at which requests are due, in order.
func (s *Shape) Dues(seed uint64) iter.Seq[time.Duration] {
	if len(s.Offsets) > 0 {
		return slices.Values(s.Offsets)
	}
	return func(yield func(time.Duration) bool) {
		// An arrival has a place on an axis on which the rate is 1; the steps
		// stretch that axis to time. So a burst may span two steps, and Poisson
		// stays Poisson.
		gap, place := gaps(seed, s.Burstiness)
		before, begun := 0.0, time.Duration(0) // where the step begins, on both axes
		for i := 0; ; place += gap() {
			for step := s.Steps[i]; step.For > 0 && place >= before+step.Rate*step.For.Seconds(); step = s.Steps[i] {
				before += step.Rate * step.For.Seconds()
				begun += step.For
				if i++; i == len(s.Steps) {
					return
				}
			}
			if !yield(begun + time.Duration(math.Round((place-before)/s.Steps[i].Rate*float64(time.Second)))) {
				return
			}
		}
	}
}

// arrivals is the stream of random numbers that gaps are drawn from; prompts
// have others.
const arrivals = 0xa55e7

// gaps draws from a distribution of mean 1. Where gaps are all alike, the first
// arrival comes at once. Else it comes when somebody who looks at a random
// moment would see one: a burst that always began at 0 would make the rate of a
// short run too high.
func gaps(seed uint64, burstiness float64) (gap func() float64, first float64) {
	rnd := rand.New(rand.NewPCG(seed, arrivals))
	switch burstiness {
	case 0:
		return func() float64 { return 1 }, 0
	case 1:
		return rnd.ExpFloat64, rnd.ExpFloat64()
	}
	gap = func() float64 { return gamma(rnd, burstiness) / burstiness }
	return gap, rnd.Float64() * gamma(rnd, burstiness+1) / burstiness
}

// gamma draws from the gamma distribution of scale 1 (Marsaglia and Tsang,
// 2000).
func gamma(rnd *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(rnd, shape+1) * math.Pow(1-rnd.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rnd.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(1-rnd.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// Rate is the mean rate that is asked for in the first d; where d is 0, over
// the first n requests.
func (s *Shape) Rate(n int, d time.Duration) float64 {
	if len(s.Offsets) > 0 {
		return meanRate(s.Offsets[:min(len(s.Offsets), max(n, 1))])
	}
	places, span := 0.0, time.Duration(0)
	for _, step := range s.Steps {
		length := step.For
		if left := d - span; d > 0 && (length == 0 || length > left) {
			length = left
		}
		if left := float64(n) - places; d == 0 && (length == 0 || step.Rate*length.Seconds() > left) {
			length = time.Duration(left / step.Rate * float64(time.Second))
		}
		places += step.Rate * length.Seconds()
		span += length
	}
	if span <= 0 {
		return s.Steps[0].Rate
	}
	return places / span.Seconds()
}

// meanRate is the rate of instants in order: gaps per second.
func meanRate(at []time.Duration) float64 {
	if n := len(at); n > 1 && at[n-1] > at[0] {
		return float64(n-1) / (at[n-1] - at[0]).Seconds()
	}
	return 0
}

// String names the shape, for people and for the workload's identity.
func (s *Shape) String() string {
	if len(s.Offsets) > 0 {
		h := sha256.New()
		for _, at := range s.Offsets {
			_ = binary.Write(h, binary.LittleEndian, int64(at)) // a hash takes everything
		}
		span, _ := s.Span()
		return fmt.Sprintf("trace of %d requests over %v (%s)", len(s.Offsets), span, hex.EncodeToString(h.Sum(nil)[:4]))
	}
	var parts []string
	for _, step := range s.Steps {
		part := strconv.FormatFloat(step.Rate, 'g', -1, 64)
		if step.For > 0 {
			part += "@" + step.For.String()
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, ",") + " req/s, "
	switch s.Burstiness {
	case 0:
		return text + "constant"
	case 1:
		return text + "Poisson"
	}
	return text + "gamma with burstiness " + strconv.FormatFloat(s.Burstiness, 'g', -1, 64)
}
