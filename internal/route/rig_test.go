package route_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"weir.dev/weir"
	"weir.dev/weir/internal/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start is the instant tests count from.
var start = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// rig is a fleet, one route and a clock that only tests move.
type rig struct {
	testing.TB
	fleet *route.Fleet
	route *route.Route
	ask   route.Ask
	plan  route.Plan
	now   time.Time
}

// targets are keyed, each at a provider of its own.
func targets(names ...string) []route.Target {
	var all []route.Target
	for _, n := range names {
		all = append(all, route.Target{Name: n, Provider: "at " + n, Keyed: true})
	}
	return all
}

func newRig(t testing.TB, r *route.Route) *rig {
	return &rig{TB: t, fleet: route.NewFleet(1), route: r, ask: route.Ask{Stream: true, InputTokens: 100}, now: start}
}

func (r *rig) pass(d time.Duration) { r.now = r.now.Add(d) }

// order plans and returns the candidates' names.
func (r *rig) order() []string {
	r.fleet.Plan(r.route, &r.ask, r.now, &r.plan)
	names := []string{}
	for _, c := range r.plan.Candidates {
		names = append(names, c.Target)
	}
	return names
}

// why is the reason for which a target is not in the plan.
func (r *rig) why(target string) route.Reason {
	r.fleet.Plan(r.route, &r.ask, r.now, &r.plan)
	for _, s := range r.plan.Skipped {
		if s.Target == target {
			return s.Why
		}
	}
	return ""
}

// begin starts an attempt at a target, planned or not.
func (r *rig) begin(target string) *route.Ticket {
	r.Helper()
	ticket, ok := r.fleet.Begin(&route.Candidate{Target: target}, r.now)
	if !ok {
		r.Fatalf("%s: refused", target)
	}
	return ticket
}

// try is one whole attempt.
func (r *rig) try(target string, report route.Report) {
	r.Helper()
	r.begin(target).End(report, r.now)
}

func (r *rig) state(target string) weir.HealthState { return r.fleet.Health(target, r.now).State }

var (
	good = route.Report{Outcome: weir.OK, Status: 200, Stream: true}
	bad  = route.Report{Outcome: weir.UpstreamError, Status: 500}
)

// came is a good stream.
func came(tokens int, ttft time.Duration) route.Report {
	return route.Report{Outcome: weir.OK, Status: 200, Stream: true, InputTokens: tokens, TTFT: weir.SpanOf(ttft)}
}

// limited is a 429.
func limited(after time.Duration) route.Report {
	return route.Report{Outcome: weir.RateLimited, Status: 429, RetryAfter: weir.Some(after)}
}

func slo(t testing.TB, text string) weir.SLO {
	t.Helper()
	s, err := weir.ParseSLO(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
