package route_test

import (
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/route"
)

// deadline is the first candidate's, of a route with somewhere to go.
func (r *rig) deadline(tokens int) time.Duration {
	r.ask.InputTokens = tokens
	r.order()
	return r.plan.Candidates[0].Limits.FirstOutput
}

func TestDeadlines(t *testing.T) {
	two := func(r *route.Route) *route.Route { r.Targets = targets("A", "B"); return r }
	for _, c := range []struct {
		name  string
		route *route.Route
		seen  int // streams of 100 ms + 100 ms per thousand tokens
		ask   route.Ask
		want  time.Duration
	}{
		{"cold", &route.Route{}, 0, route.Ask{Stream: true}, 10 * time.Second},
		{"cold, long prompt", &route.Route{}, 0, route.Ask{Stream: true, InputTokens: 20_000}, 20 * time.Second},
		{"cold, under a ceiling", &route.Route{MaxFirstOutput: 100 * time.Millisecond}, 0, route.Ask{Stream: true}, 100 * time.Millisecond},
		{"own cold start", &route.Route{Cold: 3 * time.Second, ColdPer1K: time.Second}, 0, route.Ask{Stream: true, InputTokens: 2000}, 5 * time.Second},
		{"few seen", &route.Route{}, 10, route.Ask{Stream: true}, 5 * time.Second},
		{"floor", &route.Route{}, 100, route.Ask{Stream: true}, 2 * time.Second},
		{"measured", &route.Route{MinFirstOutput: time.Millisecond}, 100, route.Ask{Stream: true, InputTokens: 1000}, 300 * time.Millisecond},
		{"measured, long prompt", &route.Route{}, 100, route.Ask{Stream: true, InputTokens: 15_000}, 2400 * time.Millisecond},
		{"longer than any seen", &route.Route{}, 100, route.Ask{Stream: true, InputTokens: 40_000}, 6150*time.Millisecond + 12*time.Second},
		{"own factor", &route.Route{Factor: 3}, 100, route.Ask{Stream: true, InputTokens: 9000}, 3 * time.Second},
		{"fixed", &route.Route{Limits: route.Limits{FirstOutput: 70 * time.Millisecond}}, 100, route.Ask{Stream: true, InputTokens: 9000}, 70 * time.Millisecond},
		{"none", &route.Route{Limits: route.Limits{FirstOutput: -1}}, 100, route.Ask{Stream: true}, 0},
		{"whole, of no stated length", &route.Route{}, 0, route.Ask{}, 120 * time.Second},
		{"whole, of 200 tokens", &route.Route{}, 0, route.Ask{OutputTokens: weir.Some(200)}, 20 * time.Second},
		{"whole, streams say nothing", &route.Route{}, 100, route.Ask{OutputTokens: weir.Some(200)}, 20 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, two(c.route))
			r.ask = c.ask
			r.order()
			for i := range c.seen {
				n := 1000 * (i % 17)
				r.try("A", came(n, 100*time.Millisecond+time.Duration(n)*100*time.Microsecond))
			}
			r.order()
			got := r.plan.Candidates[0].Limits.FirstOutput
			if d := got - c.want; d.Abs() > c.want/50 {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestOldMeasurementsAreNoDeadline(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.order()
	for range 50 {
		r.try("A", came(100, 50*time.Millisecond))
	}
	if got := r.deadline(100); got != 2*time.Second {
		t.Fatalf("measured: %v, want the floor", got)
	}
	r.pass(5*time.Minute + 1)
	if got := r.deadline(100); got != 10*time.Second+50*time.Millisecond {
		t.Errorf("five minutes later: %v, want a cold start's", got)
	}
}

func TestTheLastCandidateGetsGrace(t *testing.T) {
	for _, c := range []struct {
		name        string
		grace       time.Duration
		fixed       time.Duration
		first, last time.Duration
	}{
		{"default", 0, 0, 10 * time.Second, 120 * time.Second},
		{"own", 30 * time.Second, 0, 10 * time.Second, 30 * time.Second},
		{"none", -1, 0, 10 * time.Second, 10 * time.Second},
		{"beside a fixed limit", 0, time.Second, time.Second, 120 * time.Second},
		{"beside no limit", 0, -1, 0, 0},
	} {
		r := newRig(t, &route.Route{Grace: c.grace, Limits: route.Limits{FirstOutput: c.fixed}, Targets: targets("A", "B")})
		r.ask.InputTokens = 0
		r.order()
		a, b := r.plan.Candidates[0], r.plan.Candidates[1]
		if a.Limits.FirstOutput != c.first || a.Grace != c.last || b.Limits.FirstOutput != c.last {
			t.Errorf("%s: %v with grace %v, last %v; want %v, %v", c.name, a.Limits.FirstOutput, a.Grace, b.Limits.FirstOutput, c.first, c.last)
		}
	}
}

func TestLimitsComeFromTheTargetThenTheRoute(t *testing.T) {
	r := newRig(t, &route.Route{Limits: route.Limits{Stall: 4 * time.Millisecond, Bytes: 3 * time.Millisecond}, Targets: targets("A", "B")})
	r.route.Targets[0].Limits = route.Limits{Stall: -1, Connect: time.Millisecond}
	r.order()
	a, b := r.plan.Candidates[0].Limits, r.plan.Candidates[1].Limits
	a.FirstOutput, b.FirstOutput = 0, 0
	if want := (route.Limits{Connect: time.Millisecond, Bytes: 3 * time.Millisecond}); a != want {
		t.Errorf("A: %+v, want %+v", a, want)
	}
	if want := (route.Limits{Connect: 5 * time.Second, Bytes: 3 * time.Millisecond, Stall: 4 * time.Millisecond}); b != want {
		t.Errorf("B: %+v, want %+v", b, want)
	}
}

func TestG46WhatIsASample(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.order()
	for range 50 {
		r.try("A", came(100, time.Second))
	}
	before := r.fleet.Health("A", r.now).Streams
	fast := weir.SpanOf(time.Millisecond)
	for _, odd := range []route.Report{
		{Outcome: weir.UpstreamError, Status: 503, Stream: true},
		{Outcome: weir.UpstreamError, Status: 503, Stream: true, Censored: fast},
		{Outcome: weir.Truncated, Status: 200, Stream: true, TTFT: fast}, // output, then a cut
		{Outcome: weir.TimeoutStall, Status: 200, Stream: true, TTFT: fast},
		{Outcome: weir.OK, Status: 200, TTFT: fast}, // a whole answer
	} {
		r.begin("A").End(odd, r.now)
		r.begin("A").End(good, r.now) // keeps the breaker closed
	}
	after := r.fleet.Health("A", r.now)
	if after.Streams != before {
		t.Errorf("what is no sample moved the streams' figures from %+v to %+v", before, after.Streams)
	}
	if after.Wholes.Samples != 1 {
		t.Errorf("%d whole answers, want 1", after.Wholes.Samples)
	}
}
