package route_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weir.dev/weir"
	"weir.dev/weir/internal/route"
)

// flight is an attempt that a walk has under way.
type flight struct {
	ticket *route.Ticket
	target string
	probe  bool
	opened weir.Opt[time.Time] // its breaker, when it began
}

// walk makes random but legal moves at a fleet, and checks after each what must
// always hold.
type walk struct {
	*rapid.T
	fleet   *route.Fleet
	route   *route.Route
	plan    route.Plan
	now     time.Time
	flights []flight
}

func (w *walk) begin() {
	ask := route.Ask{Stream: rapid.Bool().Draw(w.T, "stream"), InputTokens: rapid.IntRange(0, 50_000).Draw(w.T, "tokens")}
	if rapid.Bool().Draw(w.T, "again") {
		ask.Without = []string{"A"}
	}
	w.fleet.Plan(w.route, &ask, w.now, &w.plan)
	w.checkPlan(&ask)
	if len(w.plan.Candidates) == 0 {
		return
	}
	c := &w.plan.Candidates[rapid.IntRange(0, len(w.plan.Candidates)-1).Draw(w.T, "candidate")]
	ticket, ok := w.fleet.Begin(c, w.now)
	if !ok {
		w.Fatalf("%+v: refused at the instant of its plan", *c)
	}
	w.flights = append(w.flights, flight{ticket, c.Target, c.Probe, w.fleet.Health(c.Target, w.now).Since})
}

func (w *walk) checkPlan(ask *route.Ask) {
	named := map[string]bool{}
	for _, c := range w.plan.Candidates {
		if named[c.Target] || slices.Contains(ask.Without, c.Target) {
			w.Fatalf("plan %+v", w.plan)
		}
		named[c.Target] = true
		if c.Limits.FirstOutput < 2*time.Second || c.Limits.FirstOutput > 2*time.Minute {
			w.Fatalf("deadline %v", c.Limits.FirstOutput)
		}
	}
	for _, s := range w.plan.Skipped {
		if named[s.Target] {
			w.Fatalf("%s is in both lists: %+v", s.Target, w.plan)
		}
		named[s.Target] = true
	}
	if len(named) != len(w.route.Targets) {
		w.Fatalf("not every target is accounted for: %+v", w.plan)
	}
}

func (w *walk) end() {
	if len(w.flights) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.flights)-1).Draw(w.T, "flight")
	w.flights[i].ticket.End(route.Report{
		Outcome:    rapid.SampledFrom(weir.Outcomes()).Draw(w.T, "outcome"),
		ErrorType:  rapid.SampledFrom([]string{"", "", "", "quota_exhausted", "invalid_key"}).Draw(w.T, "detail"),
		RetryAfter: weir.Some(time.Duration(rapid.IntRange(-1, 100).Draw(w.T, "after")) * time.Second),
		Stream:     rapid.Bool().Draw(w.T, "streamed"), InputTokens: rapid.IntRange(-1, 50_000).Draw(w.T, "input"),
		TTFT: weir.SpanOf(time.Duration(rapid.IntRange(-1, 1e10).Draw(w.T, "ttft"))),
	}, w.now)
	if rapid.Bool().Draw(w.T, "twice") {
		w.flights[i].ticket.End(route.Report{Outcome: weir.OK}, w.now)
	}
	w.flights = slices.Delete(w.flights, i, i+1)
}

func (w *walk) check() {
	under, probes := map[string]int{}, map[string]int{}
	for _, f := range w.flights {
		under[f.target]++
		if f.probe && f.opened == w.fleet.Health(f.target, w.now).Since { // an older opening's probe may still be under way
			probes[f.target]++
		}
	}
	for _, h := range w.fleet.Healths(w.now) {
		if h.InFlight != under[h.Target] {
			w.Fatalf("%s has %d in flight, want %d", h.Target, h.InFlight, under[h.Target])
		}
		if h.State == weir.HealthHalfOpen && probes[h.Target] > 1 {
			w.Fatalf("%s is half open with %d probes", h.Target, probes[h.Target])
		}
		if h.State == weir.HealthOpen && !h.Until.Known() || h.Until.Or(w.now).Sub(w.now) > 10*time.Minute {
			w.Fatalf("%s: %+v", h.Target, h)
		}
	}
}

func TestWalks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &walk{T: t, fleet: route.NewFleet(rapid.Uint64().Draw(t, "seed")), now: start}
		w.route = &route.Route{Targets: targets("A", "B", "C"), Policy: rapid.SampledFrom(route.Policies()).Draw(t, "policy"), SLO: slo2(t)}
		t.Repeat(map[string]func(*rapid.T){
			"begin": func(t *rapid.T) { w.T = t; w.begin() },
			"end":   func(t *rapid.T) { w.T = t; w.end() },
			"pass": func(t *rapid.T) {
				w.now = w.now.Add(time.Duration(rapid.IntRange(0, 30_000).Draw(t, "ms")) * time.Millisecond)
			},
			"": func(t *rapid.T) { w.T = t; w.check() },
		})
	})
}

func slo2(t *rapid.T) weir.SLO {
	s, err := weir.ParseSLO("ttft<=1s")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Of many requests at one instant one alone is the probe, and all are counted
// and released.
func TestOneProbeUnderConcurrency(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.order()
	r.pass(r.open("A"))
	var probes atomic.Int32
	release := make(chan struct{})
	var begun, done sync.WaitGroup
	for range 64 {
		begun.Add(1)
		done.Go(func() {
			var p route.Plan
			r.fleet.Plan(r.route, &r.ask, r.now, &p)
			ticket, ok := r.fleet.Begin(&p.Candidates[0], r.now)
			if ok && p.Candidates[0].Target == "A" {
				probes.Add(1)
			}
			begun.Done()
			<-release
			if ok {
				ticket.End(route.Report{Outcome: weir.Canceled}, r.now)
			}
		})
	}
	begun.Wait()
	if probes.Load() != 1 || r.fleet.Health("A", r.now).InFlight != 1 {
		t.Errorf("%d probes, %d in flight at A; want 1", probes.Load(), r.fleet.Health("A", r.now).InFlight)
	}
	close(release)
	done.Wait()
	if a, b := r.fleet.Health("A", r.now), r.fleet.Health("B", r.now); a.InFlight != 0 || b.InFlight != 0 || a.State != weir.HealthHalfOpen {
		t.Errorf("afterwards %+v and %+v", a, b)
	}
}

// Plans, attempts, reads and reloads at once: for the race detector.
func TestConcurrentUse(t *testing.T) {
	fleet := route.NewFleet(1)
	objectives := slo(t, "ttft<=50ms")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			var p route.Plan
			r := &route.Route{Policy: route.Policies()[g%4], SLO: objectives, Targets: targets("A", "B", "C")}
			now := start
			for i := range 300 {
				fleet.Plan(r, &route.Ask{Stream: true, InputTokens: i}, now, &p)
				if len(p.Candidates) > 0 {
					if ticket, ok := fleet.Begin(&p.Candidates[0], now); ok {
						now = now.Add(10 * time.Millisecond)
						ticket.End([]route.Report{came(i, time.Duration(i)*time.Millisecond), bad}[i%5/4], now)
					}
				}
				fleet.Healths(now)
				if i%100 == 0 {
					r = &route.Route{Policy: r.Policy, Targets: targets("A", "B", "C")}
				}
			}
		})
	}
	wg.Wait()
	for _, h := range fleet.Healths(start) {
		if h.InFlight != 0 {
			t.Errorf("%s has %d in flight", h.Target, h.InFlight)
		}
	}
}
