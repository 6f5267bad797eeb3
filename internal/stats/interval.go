package stats

import "weir.dev/weir"

// Confidence is how often an interval of this package covers the truth, and
// alpha how often a test finds a difference where there is none.
const (
	Confidence = 0.95
	alpha      = 1 - Confidence
)

// Interval is a 95 % confidence interval. A side that the data do not bound is
// empty: an interval with an empty side is open-ended, and no verdict uses it.
type Interval struct {
	Lo weir.Opt[float64] `json:"lo"`
	Hi weir.Opt[float64] `json:"hi"`
}

// Between is the interval with both ends.
func Between(lo, hi float64) Interval { return Interval{weir.Some(lo), weir.Some(hi)} }

// Closed tells whether the data bound both sides.
func (i Interval) Closed() bool { return i.Lo.Known() && i.Hi.Known() }

// Holds tells whether v lies in the interval, its ends included.
func (i Interval) Holds(v float64) bool {
	lo, bounded := i.Lo.Get()
	if bounded && v < lo {
		return false
	}
	hi, bounded := i.Hi.Get()
	return !bounded || v <= hi
}

// Negated is the interval of the negative.
func (i Interval) Negated() Interval { return Interval{Lo: negated(i.Hi), Hi: negated(i.Lo)} }

func negated(v weir.Opt[float64]) weir.Opt[float64] {
	if f, ok := v.Get(); ok {
		return weir.Some(-f)
	}
	return v
}
