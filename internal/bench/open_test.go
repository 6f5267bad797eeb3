package bench

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/sim"
	"weir.dev/weir/internal/weirtest"
	"weir.dev/weir/meter"
)

// offsets are the due times of the measured requests from the phase's start,
// in order.
func offsets(res *Result, i int, target string) (at []time.Duration) {
	for _, s := range measured(res, target) {
		at = append(at, s.Due.Sub(res.Targets[i].Begun))
	}
	slices.Sort(at)
	return at
}

// TestOpenLoopSendsWhenDue: in virtual time every request goes out at its
// instant, however long answers take, and every target has the same arrivals.
func TestOpenLoopSendsWhenDue(t *testing.T) {
	for _, shape := range []*Shape{Constant(50), Poisson(50), Gamma(50, 0.3), {Steps: steps(t, "10@2s,100"), Burstiness: 1}, Replay([]Item{{}, {}, {At: 5 * ms}, {At: time.Second}})} {
		bubble(t, answers{stream(300*ms, 10*ms), stream(ms, ms)}, func(t *testing.T, c Config, es []*endpoint) {
			c.Load.Shape, c.Concurrency, c.Requests = shape, 0, 200
			res := mustRun(t, c)
			want := first(shape, c.Seed, 200)
			for i, target := range []string{"host-a", "host-b"} {
				if got := offsets(res, i, target); !slices.Equal(got, want) {
					t.Errorf("%v, %s: due at %v\nwant %v", shape, target, got, want)
				}
				r := res.Targets[i]
				if r.Planned != len(want) || r.Unsent != 0 || r.Missed != 0 || r.SlotWaits != 0 {
					t.Errorf("%v, %s: %+v", shape, target, r)
				}
				if r.Drawn.Or(0) <= 0 || r.Achieved != r.Drawn {
					t.Errorf("%v, %s: drawn %v, achieved %v", shape, target, r.Drawn, r.Achieved)
				}
			}
			for _, s := range res.Samples {
				if s.Lateness != 0 || len(s.Warnings) != 0 {
					t.Errorf("%v: late by %v, %v", shape, s.Lateness.Duration(), s.Warnings)
				}
				if want := map[string]time.Duration{"host-a": 300 * ms, "host-b": ms}[s.Target]; s.TTFT != weir.SpanOf(want) {
					t.Errorf("%v: %s: ttft %v", shape, s.Target, s.TTFT)
				}
			}
		})
	}
}

// TestM28AchievedRate: 10,000 arrivals at 200/s against an instant server.
func TestM28AchievedRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, shape := range []*Shape{Constant(200), Poisson(200)} {
			res := mustRun(t, Config{
				Targets: []weir.Target{{Name: "a", URL: "http://a/v1", Dialect: weir.OpenAIChat, Model: "m"}}, Requests: 10_000,
				Load: Load{Shape: shape}, Work: Work{Plan: tokens(20, 3)}, Limits: DefaultLimits(), Base: instant{},
			})
			r := res.Targets[0]
			if count(res, "a", false, weir.OK) != 10_000 || r.Unsent != 0 {
				t.Errorf("%v: %+v", shape, r)
			}
			asked, drawn, achieved := r.Asked.Or(0), r.Drawn.Or(0), r.Achieved.Or(0)
			if asked != 200 || achieved != drawn || drawn < 198 || drawn > 202 {
				t.Errorf("%v: asked %v, drawn %v, achieved %v", shape, asked, drawn, achieved)
			}
			if shape.Burstiness == 0 && achieved != 200 {
				t.Errorf("%v: achieved %v", shape, achieved)
			}
		}
	})
}

// TestOneArrivalHasNoRate: a recording of one request asks for none.
func TestOneArrivalHasNoRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res := mustRun(t, Config{
			Targets: []weir.Target{{Name: "a", URL: "http://a/v1", Dialect: weir.OpenAIChat, Model: "m"}}, Requests: 1,
			Load: Load{Shape: Replay([]Item{{At: 0}})}, Work: Work{Plan: tokens(20, 3)}, Limits: DefaultLimits(), Base: instant{},
		})
		if r := res.Targets[0]; r.Asked.Known() || r.Drawn.Known() || r.Achieved.Known() || count(res, "a", false, weir.OK) != 1 {
			t.Errorf("%+v", r)
		}
	})
}

// instant answers every request at once, without a network.
type instant struct{}

func (instant) RoundTrip(r *http.Request) (*http.Response, error) {
	w := newRecorder()
	stream(0, 0)(w, 0, nil)
	return w.response(r), nil
}

// TestCapKeepsDueTimes: a start that has to wait for a slot keeps its due time,
// and one that finds none before the end stays unsent.
func TestCapKeepsDueTimes(t *testing.T) {
	bubble(t, answers{stream(300*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Load = Load{Shape: Constant(10), Duration: 950 * ms} // due every 100 ms, 10 of them
		c.Concurrency, c.Requests, c.Warmup = 2, 0, 0
		res := mustRun(t, c)
		var late []time.Duration
		for _, s := range res.Samples {
			late = append(late, s.Lateness.Duration())
			if want := s.Due.Sub(res.Targets[0].Begun) + s.Lateness.Duration(); want%(300*ms) != 0 && (want-100*ms)%(300*ms) != 0 {
				t.Errorf("sent at %v", want)
			}
			if s.TTFT != weir.SpanOf(300*ms+s.Lateness.Duration()) || s.TTFTSent != weir.SpanOf(300*ms) {
				t.Errorf("ttft %v, from the start %v, late by %v", s.TTFT, s.TTFTSent, s.Lateness)
			}
			if waited := slices.Contains(s.Warnings, WarnSlotWait); waited != (s.Lateness > 0) {
				t.Errorf("late by %v, %v", s.Lateness, s.Warnings)
			}
		}
		// Slots are free at 0, 0, 300, 400, 600, 700, 900; the eighth comes too late.
		if want := []time.Duration{0, 0, 100 * ms, 100 * ms, 200 * ms, 200 * ms, 300 * ms}; !slices.Equal(late, want) {
			t.Errorf("late by %v, want %v", late, want)
		}
		r := res.Targets[0]
		if r.Planned != 10 || r.Unsent != 3 || r.Missed != 3 || r.SlotWaits != 5 || r.Asked.Or(0) != 10 {
			t.Errorf("%+v", r)
		}
		if es[0].most() != 2 || res.Duration != 1200*ms {
			t.Errorf("%d at once, took %v", es[0].most(), res.Duration)
		}
	})
}

// TestScheduleEndsTheRun: steps with an end need neither a number nor a time.
func TestScheduleEndsTheRun(t *testing.T) {
	bubble(t, answers{stream(ms, 0)}, func(t *testing.T, c Config, _ []*endpoint) {
		c.Load.Shape, c.Concurrency, c.Requests = &Shape{Steps: steps(t, "10@2s,50@1s")}, 0, 0
		if n := c.Planned(); n != 70 {
			t.Errorf("planned %d", n)
		}
		res := mustRun(t, c)
		if r := res.Targets[0]; count(res, "host-a", false, weir.OK) != 70 || r.Planned != 70 || r.Asked.Or(0) != 70.0/3 {
			t.Errorf("%+v", r)
		}
	})
}

// raced makes a load smaller under the race detector, which hundreds of timers
// in one bubble crash now and then (golang/go#78156).
func raced(n, small int) int {
	if raceDetector {
		return small
	}
	return n
}

// TestOpenLoopBurst: a thousand due at one instant go out at that instant.
func TestOpenLoopBurst(t *testing.T) {
	bubble(t, answers{stream(50*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
		n := raced(1000, 100)
		c.Load.Shape, c.Concurrency, c.Requests = Replay(make([]Item, n)), 0, 0
		res := mustRun(t, c)
		if es[0].most() != n || count(res, "host-a", false, weir.OK) != n {
			t.Errorf("%d at once", es[0].most())
		}
		for _, s := range res.Samples {
			if s.Lateness != 0 {
				t.Fatalf("late by %v", s.Lateness.Duration())
			}
		}
	})
}

func TestOpenLoopInterrupted(t *testing.T) {
	bubble(t, answers{stream(100*ms, 0)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Load.Shape, c.Concurrency, c.Requests, c.Warmup = Constant(10), 0, 1000, 0
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		time.AfterFunc(550*ms, stop)
		start := time.Now()
		res, err := Run(ctx, c)
		if err != nil || !res.Interrupted || time.Since(start) != 550*ms {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if r := res.Targets[0]; r.Planned != 1000 || r.Unsent != 994 || r.Missed != 0 || count(res, "host-a", false, weir.Canceled) != 1 {
			t.Errorf("%+v", r)
		}
		synctest.Wait()
	})
}

// TestNobodyStarves: a target that never ends an answer takes nothing from the
// others.
func TestNobodyStarves(t *testing.T) {
	all := answers{func(http.ResponseWriter, int, map[string]any) { time.Sleep(time.Hour) }}
	for range raced(29, 3) {
		all = append(all, stream(20*ms, ms))
	}
	for _, open := range []bool{false, true} {
		bubble(t, all, func(t *testing.T, c Config, es []*endpoint) {
			c.Concurrency, c.Requests, c.Warmup = 4, 40, 0
			want := 10 * 22 * ms
			if open {
				c.Load.Shape = Constant(100)
				want = 39*10*ms + 22*ms
			}
			c.Load.Duration, c.Load.Grace = 2*time.Second, time.Second
			res := mustRun(t, c)
			for i, r := range res.Targets[1:] {
				name := c.Targets[i+1].Name
				last := time.Time{}
				for _, s := range measured(res, name) {
					last = later(last, s.Due.Add(s.Lateness.Duration()+s.End.Or(0).Duration()))
				}
				if r.Unsent != 0 || count(res, name, false, weir.OK) != 40 || last.Sub(res.Started) != want {
					t.Errorf("open %v, %s: %+v, done after %v", open, name, r, last.Sub(res.Started))
				}
			}
			slow := res.Targets[0]
			if slow.Cut != 4 || count(res, "host-a", false, weir.Abandoned) != 4 || res.Duration != 3*time.Second || open && slow.Missed != 36 {
				t.Errorf("open %v: %+v after %v", open, slow, res.Duration)
			}
			time.Sleep(2 * time.Hour)
		})
	}
}

// TestOpenLoopAgainstTheSimulator: what the meter says is the simulator's plan.
func TestOpenLoopAgainstTheSimulator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := sim.New(sim.Config{Models: map[string]sim.Plan{"m": {TTFT: 70 * ms, Gap: 9 * ms}}})
		if err != nil {
			t.Fatal(err)
		}
		n := weirtest.NewNetwork()
		server := &http.Server{Handler: s}
		served := make(chan error, 1)
		go func() { served <- server.Serve(n.Listen()) }()
		items := []Item{{0, 30, 4}, {100 * ms, 60, 9}, {100 * ms, 40, 2}, {350 * ms, 0, 0}}
		res := mustRun(t, Config{
			Targets: []weir.Target{{Name: "a", URL: "http://a/v1", Dialect: weir.OpenAIChat, Model: "m"}},
			Load:    Load{Shape: Replay(items)}, Items: items, Work: Work{Plan: tokens(20, 6)}, Limits: DefaultLimits(),
			Base: meter.NewTransport(meter.Options{Dial: n.Dial}),
		})
		got := map[string]bool{}
		for _, s := range res.Samples {
			got[fmt.Sprint(s.Due.Sub(res.Targets[0].Begun), s.Completion.Or(-1), s.LengthShare.Or(0), s.TTFT.Or(0).Duration(), s.E2E.Or(0).Duration(), s.Lateness)] = true
		}
		for _, want := range []string{
			fmt.Sprint(0*ms, 4, 1.0, 70*ms, 97*ms, weir.Dur(0)), fmt.Sprint(100*ms, 9, 1.0, 70*ms, 142*ms, weir.Dur(0)),
			fmt.Sprint(100*ms, 2, 1.0, 70*ms, 79*ms, weir.Dur(0)), fmt.Sprint(350*ms, 6, 1.0, 70*ms, 115*ms, weir.Dur(0)),
		} {
			if !got[want] {
				t.Errorf("no request is %s; they are %v", want, got)
			}
		}
		_ = server.Close()
		<-served
		time.Sleep(time.Second)
		synctest.Wait()
	})
}
