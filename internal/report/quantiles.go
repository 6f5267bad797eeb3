package report

import (
	"fmt"
	"slices"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// Quantiles are the p50, p95 and p99 of a figure, each with its distribution-free
// 95 % interval.
type Quantiles struct {
	N       int               `json:"n"`       // observations asked for
	Reached int               `json:"reached"` // of them, those that have a value
	Cut     int               `json:"cut"`     // of them, those that were cut while waiting: at least so long
	P50     weir.Opt[float64] `json:"p50"`
	P95     weir.Opt[float64] `json:"p95"`
	P99     weir.Opt[float64] `json:"p99"`
	CI50    stats.Interval    `json:"p50_interval"`
	CI95    stats.Interval    `json:"p95_interval"`
	CI99    stats.Interval    `json:"p99_interval"`
	Ever    weir.Opt[float64] `json:"ever"`                 // share that reaches it at all, as far as was watched
	CutAt   weir.Opt[float64] `json:"cut_at"`               // how long the one that was cut last had waited
	Open    []string          `json:"open_ended,omitempty"` // percentiles that are not bounded from above
}

// percentiles are those that are told.
var percentiles = []float64{0.5, 0.95, 0.99}

// At is the p-quantile, of the three, and its interval.
func (q *Quantiles) At(p float64) (v weir.Opt[float64], ci stats.Interval) {
	switch p {
	case 0.5:
		return q.P50, q.CI50
	case 0.95:
		return q.P95, q.CI95
	}
	return q.P99, q.CI99
}

// curve answers for a distribution.
type curve interface {
	At(p float64) weir.Opt[float64]
	Interval(p float64) stats.Interval
}

// fill takes the percentiles from a curve; of a figure that is better when it is
// more, the curve is of its negative, and p95 the value that 95 % reach or
// exceed.
func (q *Quantiles) fill(c curve, sign float64) {
	for _, p := range percentiles {
		v, ci := signed(c.At(p), sign), c.Interval(p)
		if sign < 0 {
			ci = ci.Negated()
		}
		switch p {
		case 0.5:
			q.P50, q.CI50 = v, ci
		case 0.95:
			q.P95, q.CI95 = v, ci
		default:
			q.P99, q.CI99 = v, ci
		}
		worse := ci.Hi
		if sign < 0 {
			worse = ci.Lo
		}
		if !worse.Known() {
			q.Open = append(q.Open, fmt.Sprintf("p%.0f", 100*p))
		}
	}
}

func signed(v weir.Opt[float64], sign float64) weir.Opt[float64] {
	if f, ok := v.Get(); ok {
		return weir.Some(sign * f)
	}
	return v
}

// observed are quantiles of values that are all there; of a speed, more is better.
func observed(values []float64, moreIsBetter bool) Quantiles {
	sign := 1.0
	if moreIsBetter {
		sign = -1
	}
	all := make([]float64, len(values))
	for i, v := range values {
		all[i] = sign * v
	}
	c := stats.NewQuantiles(all, 0)
	q := Quantiles{N: len(values), Reached: len(values)}
	if len(values) > 0 {
		q.Ever = weir.Some(1.0)
	}
	q.fill(settled{c}, sign)
	return q
}

type settled struct{ stats.Quantiles }

func (s settled) At(p float64) weir.Opt[float64] {
	if v, ok := s.Quantiles.At(p); ok {
		return weir.Some(v)
	}
	return weir.None[float64]()
}

// latencies are the quantiles of a wait in ms, over all requests that had a
// chance: what was cut counts as "at least so long", what failed can never
// reach it (METRICS.md, "Failures are data"). A good answer that is empty, or
// that was not streamed, has no time to first token to wait for.
func latencies(mine []weir.Sample, of func(*weir.Sample) weir.Span) Quantiles {
	l := waits(mine, of)
	longest := weir.None[float64]()
	for _, cut := range l.Cut {
		longest = weir.Some(max(longest.Or(0), cut))
	}
	q := Quantiles{N: len(l.Reached) + len(l.Cut) + l.Never, Reached: len(l.Reached), Cut: len(l.Cut), CutAt: longest}
	c := stats.NewSurvival(l)
	q.Ever = c.Ever()
	q.fill(c, 1)
	return q
}

// waits are what is known of a wait in ms.
func waits(mine []weir.Sample, of func(*weir.Sample) weir.Span) (l stats.Latencies) {
	for i := range mine {
		s := &mine[i]
		v, ok := of(s).Get()
		cut, censored := s.CensoredAt.Get()
		ours := s.Outcome == weir.Canceled || s.Outcome == weir.Abandoned
		switch {
		case !s.Outcome.Eligible() && !ours:
		case ok:
			l.Reached = append(l.Reached, v.MS())
		case censored:
			l.Cut = append(l.Cut, cut.MS())
		case s.Outcome != weir.OK && s.Outcome != weir.NotStreamed && !ours:
			l.Never++
		}
	}
	return l
}

// OpenEnded tells whether the data do not bound the p-quantile from the bad side.
func (q *Quantiles) OpenEnded(p float64) bool {
	return slices.Contains(q.Open, fmt.Sprintf("p%.0f", 100*p))
}

func (q *Quantiles) mark(p float64) string {
	if q.OpenEnded(p) {
		return "+"
	}
	return ""
}
