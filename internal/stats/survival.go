package stats

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"

	"weir.dev/weir"
)

// Latencies are what is known of a latency over some requests, in any unit.
// Each request is in one of three: it reached the event (first token, last
// token), it was cut while waiting (a timeout, a cancel: "at least t"), or it
// ended in a way after which the event can never come (an error).
type Latencies struct {
	Reached []float64
	Cut     []float64
	Never   int
}

// Survival is the Kaplan-Meier estimate of P(event by t | asked) where some
// waits were cut (Kaplan and Meier, "Nonparametric Estimation from Incomplete
// Observations", 1958). It assumes that a cut says nothing about how long that
// very wait would have become beyond "longer".
//
// Failures compete with the event: a request that failed stays among those at
// risk for ever, so the curve is the share of all asked that reached the event,
// not of those that happened to survive (the subdistribution of Fine and Gray,
// 1999, with failures known). Without cuts it is [Quantiles].
type Survival struct {
	steps []step
	n     int
}

// step is the curve from time t up to the next step.
type step struct {
	t           float64
	left        float64 // S(t), the estimate
	next        float64 // at risk just after t, cuts at t included in what is gone
	mean, mean2 float64 // first two moments of the beta product W+ of Fay, Brittain and Proschan
}

// row is one time with what happened then.
type row struct {
	t            float64
	reached, cut float64
}

// NewSurvival estimates the curve from raw latencies.
func NewSurvival(l Latencies) Survival {
	rows := make([]row, 0, len(l.Reached)+len(l.Cut))
	never := float64(l.Never)
	for _, t := range l.Reached {
		if math.IsInf(t, 1) {
			never++
			continue
		}
		rows = append(rows, row{t: t, reached: 1})
	}
	for _, t := range l.Cut {
		rows = append(rows, row{t: t, cut: 1})
	}
	return survival(rows, never, 0)
}

// survival walks through the times in order. Of events and cuts at one time, the
// events come first, as is the custom; where a time stands for a bin of times,
// before is the share of its cuts that come before its events.
func survival(rows []row, never, before float64) Survival {
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.t, b.t) })
	atRisk := never
	for _, r := range rows {
		atRisk += r.reached + r.cut
	}
	s := Survival{n: int(math.Round(atRisk))}
	last := step{left: 1, next: atRisk, mean: 1, mean2: 1}
	for i := 0; i < len(rows); {
		at := row{t: rows[i].t}
		for ; i < len(rows) && rows[i].t == at.t; i++ {
			at.reached += rows[i].reached
			at.cut += rows[i].cut
		}
		last = last.after(at, before)
		s.steps = append(s.steps, last)
	}
	return s
}

// after moves the curve over one time. d events among y at risk multiply S by
// (y-d)/y and W+ by Beta(y, 1) ... Beta(y-d+1, 1), whose moments telescope.
func (s step) after(at row, before float64) step {
	y, d := s.next-before*at.cut, at.reached
	s.t, s.next = at.t, s.next-d-at.cut
	if d > 0 {
		s.left *= (y - d) / y
		s.mean *= (y - d + 1) / (y + 1)
		s.mean2 *= (y - d + 1) * (y - d + 2) / ((y + 1) * (y + 2))
	}
	return s
}

// N is how many were asked for.
func (s Survival) N() int { return s.n }

// Ever is the share that reaches the event as far as was watched: 1 minus the
// curve's last level. Where a quantile is never reached this is what to print:
// "n/a: 93 % ever answered". It is empty where nothing was asked.
func (s Survival) Ever() weir.Opt[float64] {
	if s.n == 0 {
		return weir.None[float64]()
	}
	if len(s.steps) == 0 {
		return weir.Some(0.0)
	}
	return weir.Some(1 - s.steps[len(s.steps)-1].left)
}

// By is P(event by t | asked).
func (s Survival) By(t float64) weir.Opt[float64] {
	if s.n == 0 {
		return weir.None[float64]()
	}
	i := sort.Search(len(s.steps), func(i int) bool { return s.steps[i].t > t })
	if i == 0 {
		return weir.Some(0.0)
	}
	return weir.Some(1 - s.steps[i-1].left)
}

// At is the p-quantile: the first time at which the curve has fallen to 1-p,
// empty where it never does.
func (s Survival) At(p float64) weir.Opt[float64] {
	return s.first(func(x step) bool { return x.left <= 1-p+1e-9 })
}

// Interval is the 95 % interval of the p-quantile: the times at which a
// pointwise interval of the curve holds 1-p (Brookmeyer and Crowley, "A
// Confidence Interval for the Median Survival Time", 1982). The pointwise
// interval is the beta product of Fay, Brittain and Proschan, "Pointwise
// Confidence Intervals for a Survival Distribution with Small Samples or Heavy
// Censoring", 2013 (method of moments): unlike log-log bands it keeps its level
// in the tail, where few are left at risk, and without cuts it is the interval
// of [Quantiles.Interval], rank for rank.
func (s Survival) Interval(p float64) Interval {
	if s.n == 0 {
		return Interval{}
	}
	lower := func(x step) bool { return x.lowerAtMost(1 - p) }
	i := Interval{
		Lo: s.first(lower),
		Hi: s.first(func(x step) bool { return x.upperBelow(1 - p) }),
	}
	start := step{next: float64(s.n), mean: 1, mean2: 1}
	if lower(start) {
		i.Lo = weir.None[float64]() // even before the first event the band reaches 1-p
	}
	return i
}

// Steps are the times at which the curve of By rises, in order, and what it rises
// to.
func (s Survival) Steps() iter.Seq2[float64, float64] {
	return func(yield func(t, by float64) bool) {
		left := 1.0
		for _, x := range s.steps {
			if x.left == left {
				continue // only cuts
			}
			if left = x.left; !yield(x.t, 1-left) {
				return
			}
		}
	}
}

// first is the time of the first step for which is holds; it holds for all
// later ones too.
func (s Survival) first(is func(step) bool) weir.Opt[float64] {
	i := sort.Search(len(s.steps), func(i int) bool { return is(s.steps[i]) })
	if i == len(s.steps) {
		return weir.None[float64]()
	}
	return weir.Some(s.steps[i].t)
}

// lowerAtMost tells whether the lower limit of the curve is at most level.
func (s step) lowerAtMost(level float64) bool {
	if s.next <= 0 {
		return true
	}
	a, b := betaOf(s.mean*s.next/(s.next+1), s.mean2*s.next/(s.next+2))
	return betaCDF(level, a, b) >= alpha/2
}

// upperBelow tells whether the upper limit is below level.
func (s step) upperBelow(level float64) bool {
	if s.mean >= 1 {
		return false
	}
	a, b := betaOf(s.mean, s.mean2)
	return betaCDF(level, a, b) >= 1-alpha/2
}

// betaOf is the beta distribution with these first two moments.
func betaOf(mean, mean2 float64) (a, b float64) {
	k := (mean - mean2) / (mean2 - mean*mean)
	return mean * k, (1 - mean) * k
}
