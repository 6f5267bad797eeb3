package chart

import (
	"math"
	"slices"
)

// Scale maps figures to where they stand along an axis, from 0 to 1.
type Scale struct {
	Lo, Hi float64 // Lo < Hi
	Log    bool    // Lo is then above 0

	Marks []float64 // the figures that the axis names; nil: round ones
}

// wideRange is from where on an axis is logarithmic.
const wideRange = 8

// Fit is the scale on which all from lo to hi can be seen, with a little room at
// both ends: logarithmic where they are far apart.
func Fit(lo, hi float64) Scale {
	switch {
	case !(hi >= lo) || math.IsInf(lo, 0) || math.IsInf(hi, 0):
		return Scale{Lo: 0, Hi: 1}
	case lo > 0 && hi/lo > wideRange:
		room := math.Pow(hi/lo, 0.03)
		return Scale{Lo: lo / room, Hi: hi * room, Log: true}
	}
	room := (hi - lo) * 0.04
	if room == 0 {
		room = math.Abs(hi)*0.1 + 1e-9
	}
	from := lo - room
	if lo >= 0 {
		from = max(0, from)
	}
	return Scale{Lo: from, Hi: hi + room}
}

// FromZero is the linear scale from 0 to hi.
func FromZero(hi float64) Scale {
	if !(hi > 0) || math.IsInf(hi, 0) {
		hi = 1
	}
	return Scale{Lo: 0, Hi: hi}
}

// at is where v stands, held within the axis.
func (s Scale) at(v float64) float64 {
	at := (v - s.Lo) / (s.Hi - s.Lo)
	if s.Log {
		at = math.Log(v/s.Lo) / math.Log(s.Hi/s.Lo)
	}
	if math.IsNaN(at) {
		return 0
	}
	return min(1, max(0, at))
}

// ticks are at most about n round figures on the axis.
func (s Scale) ticks(n int) []float64 {
	switch {
	case s.Marks != nil:
		return s.Marks
	case s.Log:
		return s.logTicks(n)
	}
	return s.linearTicks(n)
}

// Ratio is the scale of ratios up to far and their inverses: 1 is in its middle.
func Ratio(far float64) Scale {
	s := Scale{Lo: 1 / far, Hi: far, Log: true, Marks: []float64{1}}
	for _, v := range (Scale{Lo: 1, Hi: far}).linearTicks(4) {
		if v > 1 {
			s.Marks = append(s.Marks, v, 1/v)
		}
	}
	slices.Sort(s.Marks)
	return s
}

func (s Scale) linearTicks(n int) (out []float64) {
	step := math.Pow(10, math.Floor(math.Log10((s.Hi-s.Lo)/float64(n))))
	for _, by := range []float64{1, 2, 5, 10} {
		if (s.Hi-s.Lo)/(step*by) <= float64(n) {
			step *= by
			break
		}
	}
	for k := math.Ceil(s.Lo/step - 1e-9); k*step <= s.Hi*(1+1e-12); k++ {
		out = append(out, k*step+0) // + 0: not -0
	}
	return out
}

// logTicks are 1, 2 and 5 of each power of ten, or fewer where they are many.
func (s Scale) logTicks(n int) (out []float64) {
	for _, parts := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		out = out[:0]
		for e := math.Floor(math.Log10(s.Lo)); e <= math.Log10(s.Hi); e++ {
			for _, p := range parts {
				if v := p * math.Pow(10, e); v >= s.Lo && v <= s.Hi {
					out = append(out, v)
				}
			}
		}
		if len(out) <= n {
			return out
		}
	}
	for len(out) > n {
		var half []float64
		for i := 0; i < len(out); i += 2 {
			half = append(half, out[i])
		}
		out = half
	}
	return out
}
