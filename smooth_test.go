package weir_test

import (
	"math"
	"testing"

	"weir.dev/weir"
)

func TestSmoothSpeedAndStalls(t *testing.T) {
	text := weir.TickText
	even := func(n int, gap float64) (ticks weir.Ticks) {
		for i := range n {
			ticks = append(ticks, at(100+gap*float64(i), text, 4))
		}
		return ticks
	}
	later := func(ticks weir.Ticks, from int, by float64) weir.Ticks {
		for i := from; i < len(ticks); i++ {
			ticks[i].At, ticks[i].Lo = ticks[i].At+ms(by), ticks[i].Lo+ms(by)
		}
		return ticks
	}
	for _, c := range []struct {
		name           string
		trace          weir.Trace
		smooth, stalls float64 // NaN: none
	}{
		// The last of 101 tokens comes after 1 s, 0.7 s after the reader began, with 100 before it.
		{"even", weir.Trace{Ticks: even(101, 10), Usage: used(101, 0)}, 100 / 0.7, 0},
		// Token 51 comes at 0.5 + 0.6 s with 50 before it: 50 in 0.8 s; the last with 100 in 1.3 s is no slower.
		{"a stall", weir.Trace{Ticks: later(even(101, 10), 50, 600), Usage: used(101, 0)}, 50 / 0.8, 1000.0 / 101},
		{"at 250 ms it is none", weir.Trace{Ticks: later(even(101, 10), 50, 240), Usage: used(101, 0)}, 100 / 0.94, 0},
		{"at ten gaps it is none", weir.Trace{Ticks: later(even(101, 40), 50, 360), Usage: used(101, 0)}, 50 / 2.06, 0},
		{"all within the reader's buffer", weir.Trace{Ticks: even(20, 10), Usage: used(20, 0)}, math.NaN(), 0},
		{"events of several tokens", weir.Trace{Ticks: weir.Ticks{own(100, 5, 20), own(600, 10, 40), own(1100, 5, 20)}, Usage: used(20, 0)}, 15 / 0.7, 0},
		{"buffered", weir.Trace{Ticks: even(1, 1), Usage: used(40, 0)}, math.NaN(), math.NaN()},
		{"tokens unknown", weir.Trace{Ticks: even(101, 10)}, math.NaN(), math.NaN()},
		{"nothing", weir.Trace{}, math.NaN(), math.NaN()},
	} {
		smooth, stalls := c.trace.SmoothSpeed().Or(math.NaN()), c.trace.StallsPer1K().Or(math.NaN())
		if !near(smooth, c.smooth) || !near(stalls, c.stalls) {
			t.Errorf("%s: smooth %v and stalls %v, want %v and %v", c.name, smooth, stalls, c.smooth, c.stalls)
		}
	}
}

func near(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9
}
