package page

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/weirtest/handmade"
)

// ticking is a trace of north with output at these ms after it was due.
func ticking(id string, ats ...int) *weir.Trace {
	t := handmade.Trace(id)
	t.Due, t.Ticks = t.Sent, nil
	for _, at := range ats {
		d := time.Duration(at) * ms
		t.Ticks = append(t.Ticks, weir.Tick{At: d, Lo: d, Kind: weir.TickText, Bytes: 4})
		t.End = weir.SpanOf(d)
	}
	return t
}

func ids(streams []Stream) (out []string) {
	for i := range streams {
		out = append(out, streams[i].ID)
	}
	return out
}

// Of a thousand streams the worst are kept wherever they are, and the typical
// ones are near the medians.
func TestExemplars(t *testing.T) {
	for _, at := range []int{0, 500, 998} {
		e := NewExemplars(handmade.Run().Settings.Targets)
		for i := range 1000 {
			tr := ticking(fmt.Sprint(i), 100+i%11, 120+i%11, 140+i%11)
			switch i {
			case at:
				tr = ticking("slow", 900, 920, 940)
			case at + 1:
				tr = ticking("stalled", 100, 120, 800)
			case 600:
				tr.Warmup, tr.Ticks[0].At = true, 0
			}
			e.Add(tr)
			clear(tr.Ticks) // it is the caller's again
		}
		all := e.Streams()
		got := all[0]
		if got.Target != "north" || got.Seen < 998 || len(all[1].Typical) != 0 {
			t.Errorf("%d: %s, %d seen; of the other %+v", at, got.Target, got.Seen, all[1])
		}
		if !slices.Equal(ids(got.Slow), []string{"slow"}) || !slices.Equal(ids(got.Stalled), []string{"stalled"}) {
			t.Errorf("%d: slow %v, stalled %v", at, ids(got.Slow), ids(got.Stalled))
		}
		if s := got.Stalled; len(s) == 1 && (s[0].Stall.Or(0).MS() != 680 || s[0].StallAt.MS() != 120 || len(s[0].Outputs) != 3 || s[0].Outputs[2].MS() != 800) {
			t.Errorf("%d: %+v", at, s[0])
		}
		for _, s := range got.Typical {
			if first := s.TTFT.Or(0).MS(); first < 103 || first > 107 {
				t.Errorf("%d: a typical one has a ttft of %v ms, the median of all is 105", at, first)
			}
		}
		if len(got.Typical) != keptTypical {
			t.Errorf("%d: %d typical ones", at, len(got.Typical))
		}
	}
}

// What is kept of a target does not grow with the run, nor with a stream.
func TestExemplarsAreBounded(t *testing.T) {
	e := NewExemplars(handmade.Run().Settings.Targets)
	ats := make([]int, keptEvents+500)
	for i := range ats {
		ats[i] = i + 1
	}
	for i := range 300 {
		n := 10
		if i%100 == 0 {
			n = len(ats)
		}
		e.Add(ticking(fmt.Sprint(i), ats[:n]...))
	}
	x := e.target["north"]
	kept := append(slices.Clone(x.drawn), append(x.slow, x.stalled...)...)
	if len(x.drawn) != keptDrawn || len(kept) > keptDrawn+2*keptWorst {
		t.Errorf("%d kept, %d of them drawn", len(kept), len(x.drawn))
	}
	for _, s := range kept {
		if len(s.Outputs) > keptEvents {
			t.Errorf("a stream of %d events is kept", len(s.Outputs))
		}
	}
}

// A stream that died while it was silent stalled until then.
func TestExemplarsThatFailed(t *testing.T) {
	e := NewExemplars(handmade.Run().Settings.Targets)
	tr := ticking("1", 100, 110)
	tr.Outcome, tr.End = weir.TimeoutStall, weir.SpanOf(30*time.Second)
	e.Add(tr)
	if s := e.Streams()[0].Slow; len(s) != 1 || s[0].Stall.Or(0).MS() != 29890 || s[0].End.MS() != 30000 {
		t.Errorf("%+v", s)
	}
}
