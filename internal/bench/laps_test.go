package bench

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"weir.dev/weir"
)

// TestLaps: all slots of all targets start a lap together, when the slowest of
// the one before was answered; each target has the same requests in each.
func TestLaps(t *testing.T) {
	bubble(t, answers{stream(10*ms, 0), stream(50*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Concurrency, c.Requests, c.Load.Laps = 2, 10, true
		res := mustRun(t, c)
		begun := res.Targets[0].Begun
		n := map[int]int{}
		for _, s := range res.Samples {
			if s.Warmup {
				if s.Block.Known() {
					t.Error("a warm-up request has a block")
				}
				continue
			}
			lap := s.Block.Or(-1)
			n[lap]++
			if at := s.Due.Sub(begun); at != time.Duration(lap)*50*ms || s.Lateness != 0 {
				t.Errorf("lap %d: %s due at %v, late by %v", lap, s.Target, at, s.Lateness)
			}
		}
		if len(n) != 5 || n[0] != 4 || n[4] != 4 {
			t.Errorf("%v", n)
		}
	})
}

// TestLapsLoseLaggards: a slot that hangs holds all up for a moment, once.
func TestLapsLoseLaggards(t *testing.T) {
	slow := func(w http.ResponseWriter, n int, body map[string]any) {
		d := 10 * ms
		if n == 6 {
			d = 40 * time.Second
		}
		stream(d, 0)(w, n, body)
	}
	bubble(t, answers{stream(10*ms, 0), slow}, func(t *testing.T, c Config, es []*endpoint) {
		c.Concurrency, c.Requests, c.Warmup, c.Load.Laps = 2, 40, 0, true
		res := mustRun(t, c)
		if a := measured(res, "host-a"); len(a) != 40 {
			t.Fatalf("%d", len(a))
		} else if last := a[39].Due.Sub(res.Targets[0].Begun); last < leastPatience || last > leastPatience+time.Second {
			t.Errorf("the good target's last request was due at %v", last)
		}
		if n := count(res, "host-b", false, weir.OK); n != 40 {
			t.Errorf("%d", n)
		}
	})
}

// TestLapsApart: laps keep their distance; who gave up holds none up.
func TestLapsApart(t *testing.T) {
	bubble(t, answers{stream(10*ms, 0), func(w http.ResponseWriter, _ int, _ map[string]any) { refuse(w, 401, "no") }}, func(t *testing.T, c Config, es []*endpoint) {
		c.Requests, c.Load.Laps, c.Load.Every = 4, true, time.Hour
		res := mustRun(t, c)
		for _, s := range measured(res, "host-a") {
			if at := s.Due.Sub(res.Targets[0].Begun); at != time.Duration(s.Block.Or(-1))*time.Hour {
				t.Errorf("lap %v at %v", s.Block, at)
			}
		}
		if r := res.Targets[1]; !r.GaveUp || count(res, "host-a", false, weir.OK) != 4 {
			t.Errorf("%+v", r)
		}
	})
}

// TestLapsGoOn: a run that was stopped goes on with the next lap at its own
// time, and with prompts that were not asked yet.
func TestLapsGoOn(t *testing.T) {
	bubble(t, answers{stream(10*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Concurrency, c.Requests, c.Warmup, c.Load.Laps, c.Load.Every = 2, 10, 0, true, time.Hour
		whole := mustRun(t, c)
		asked := es[0].prompts()
		es[0].asked = nil
		begun := whole.Targets[0].Begun
		c.Before, c.Requests = Before{Begun: begun.Add(-90 * time.Minute), Laps: 2, Requests: 4}, 6
		c.Before.Begun = time.Now().Add(-90 * time.Minute)
		start := time.Now()
		res := mustRun(t, c)
		for _, s := range measured(res, "host-a") {
			if at := s.Due.Sub(start); at != time.Duration(s.Block.Or(-1))*time.Hour-90*time.Minute {
				t.Errorf("lap %v at %v", s.Block, at)
			}
		}
		slices.Sort(asked)
		for _, p := range es[0].prompts() {
			if _, before := slices.BinarySearch(asked, p); !before {
				t.Errorf("a prompt that the whole run does not have: %.40s", p)
			}
		}
		if n := len(es[0].prompts()); n != 6 {
			t.Errorf("%d requests", n)
		}
	})
}
