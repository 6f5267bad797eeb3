package weir_test

import (
	"testing"
	"time"

	"weir.dev/weir"
)

// late makes ticks of events that came between lo and at, and were read together
// at at, both in milliseconds; of the last one the arrival is known.
func late(n int, lo, when float64) (ticks weir.Ticks) {
	for range n {
		tick := at(when, weir.TickText, 4)
		tick.Lo = ms(lo)
		ticks = append(ticks, tick)
	}
	ticks[n-1].Lo = ticks[n-1].At
	return ticks
}

// TestUnstamped tells an answer that came in one piece from one that this process
// read in one piece: it was stopped, or too busy.
func TestUnstamped(t *testing.T) {
	first := weir.Ticks{at(100, weir.TickText, 4), at(110, weir.TickText, 4)}
	one := late(1, 100, 2000)
	one[0].Lo = ms(100)
	for name, c := range map[string]struct {
		ticks               weir.Ticks
		tokens              int
		buffered, unstamped bool
	}{
		"in one piece, read at once":         {late(20, 2000, 2000), 20, true, false},
		"stopped from before the first":      {late(20, 100, 2000), 20, false, true},
		"stopped for most of it":             {append(first[:2:2], late(18, 110, 2000)...), 20, false, true},
		"late by less than stamps tell":      {late(20, 1999.5, 2000), 20, true, false},
		"one event, read late":               {one, 5, true, false},
		"most of it in one event, read late": {append(first[:2:2], weir.Tick{At: ms(2000), Lo: ms(110), Kind: weir.TickText, Bytes: 400}), 40, true, false},
		"stopped for a little":               {append(append(weir.Ticks{}, burst(16, every(16, 10)...)...), late(4, 260, 400)...), 20, false, false},
	} {
		tr := weir.Trace{Ticks: c.ticks, Usage: used(c.tokens, 0), StampError: weir.Dur(50 * time.Microsecond)}
		if tr.Buffered() != c.buffered || tr.Unstamped() != c.unstamped {
			t.Errorf("%s: buffered %v, unstamped %v", name, tr.Buffered(), tr.Unstamped())
		}
		if told := tr.TPOT().Known() || tr.GapP50().Known() || tr.CharsPerSecond().Known(); told == (c.buffered || c.unstamped) {
			t.Errorf("%s: tpot %v, gap %v, chars/s %v", name, tr.TPOT(), tr.GapP50(), tr.CharsPerSecond())
		}
	}
}
