package reconcile

import (
	"math"

	"weir.dev/weir"
)

// Amount is a value in billionths: nanoseconds of a latency, billionths of a
// token per second of a speed. Whole numbers make sums exact.
type Amount int64

// Unit is what an Amount is shown in.
type Unit string

// The units.
const (
	Millis Unit = "ms"
	Speed  Unit = "tok/s"
)

// In is the amount in the unit.
func (a Amount) In(u Unit) float64 {
	if u == Millis {
		return float64(a) / 1e6
	}
	return float64(a) / 1e9
}

func ofSpan(s weir.Span) weir.Opt[Amount] {
	if d, ok := s.Get(); ok {
		return weir.Some(Amount(d))
	}
	return weir.None[Amount]()
}

func ofSpeed(v weir.Opt[float64]) weir.Opt[Amount] {
	if f, ok := v.Get(); ok {
		return weir.Some(Amount(math.Round(f * 1e9)))
	}
	return weir.None[Amount]()
}
