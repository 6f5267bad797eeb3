package route_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
	"weir.dev/weir/internal/route"
)

func TestPlanLeavesOut(t *testing.T) {
	r := newRig(t, &route.Route{Targets: []route.Target{
		{Name: "chat", Dialect: weir.OpenAIChat, Keyed: true, Context: weir.Some(8000)},
		{Name: "claude", Dialect: weir.Anthropic, Keyed: true, Context: weir.Some(200_000)},
		{Name: "gemini", Dialect: weir.Gemini, NoTools: true, Keyed: true},
		{Name: "text", Dialect: weir.OpenAICompletions, Keyed: true, NoImages: true},
		{Name: "poor", Dialect: weir.OpenAIChat},
	}})
	for _, c := range []struct {
		name string
		ask  route.Ask
		want []string
		why  map[string]route.Reason
	}{
		{"chat", route.Ask{Dialect: weir.OpenAIChat}, []string{"chat", "claude", "gemini"}, map[string]route.Reason{"text": route.CannotServe, "poor": route.NoKey}},
		{"completions", route.Ask{Dialect: weir.OpenAICompletions}, []string{"chat", "text"}, map[string]route.Reason{"claude": route.CannotServe, "gemini": route.CannotServe, "poor": route.NoKey}},
		{"responses", route.Ask{Dialect: weir.OpenAIResponses}, []string{"chat", "claude", "gemini"}, map[string]route.Reason{"text": route.CannotServe, "poor": route.NoKey}},
		{"tools", route.Ask{Dialect: weir.Anthropic, Tools: true}, []string{"chat", "claude"}, map[string]route.Reason{"gemini": route.CannotServe, "text": route.CannotServe, "poor": route.NoKey}},
		{"long", route.Ask{Dialect: weir.OpenAIChat, InputTokens: 8001}, []string{"claude", "gemini"}, map[string]route.Reason{"chat": route.TooLong, "text": route.CannotServe, "poor": route.NoKey}},
		{"larger", route.Ask{Dialect: weir.OpenAIChat, LargerThan: 8000}, []string{"claude"}, map[string]route.Reason{"chat": route.TooLong, "gemini": route.TooLong, "text": route.CannotServe, "poor": route.NoKey}},
		{"pinned", route.Ask{Dialect: weir.OpenAIChat, Pin: "claude"}, []string{"claude"}, map[string]route.Reason{"chat": route.Elsewhere, "gemini": route.Elsewhere, "text": route.Elsewhere, "poor": route.Elsewhere}},
		{"again", route.Ask{Dialect: weir.OpenAIChat, Without: []string{"chat", "gemini"}}, []string{"claude"}, map[string]route.Reason{"chat": route.Excluded, "gemini": route.Excluded, "text": route.CannotServe, "poor": route.NoKey}},
	} {
		r.ask = c.ask
		if d := cmp.Diff(c.want, r.order()); d != "" {
			t.Errorf("%s: candidates (-want +got)\n%s", c.name, d)
		}
		why := map[string]route.Reason{}
		for _, s := range r.plan.Skipped {
			why[s.Target] = s.Why
		}
		if d := cmp.Diff(c.why, why); d != "" {
			t.Errorf("%s: left out (-want +got)\n%s", c.name, d)
		}
	}
}

// An estimate is no reason to refuse a request that nobody else can take.
func TestTooLongByEstimateIsTriedLast(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A")})
	r.route.Targets[0].Context = weir.Some(1000)
	r.ask.InputTokens = 1100
	if got := r.order(); len(got) != 1 {
		t.Errorf("candidates %q, want A", got)
	}
	r.ask.LargerThan = 1000
	if got := r.why("A"); got != route.TooLong {
		t.Errorf("where the target itself said so: %q, want %q", got, route.TooLong)
	}
}

func TestG39SingleTargetIsStillTried(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A")})
	r.order()
	r.open("A")
	r.order()
	if len(r.plan.Candidates) != 1 || !r.plan.Candidates[0].Forced || len(r.plan.Skipped) != 0 {
		t.Fatalf("plan %+v, want A forced", r.plan)
	}
	ticket, ok := r.fleet.Begin(&r.plan.Candidates[0], r.now)
	if !ok {
		t.Fatal("a forced candidate was refused")
	}
	if ticket.End(good, r.now); r.state("A") != weir.HealthClosed {
		t.Errorf("a good answer, and A is %s", r.state("A"))
	}
	r.open("A")
	r.route = &route.Route{Targets: targets("A"), Refuse: true}
	if got := r.order(); len(got) != 0 {
		t.Errorf("the route refuses, and gets %q", got)
	}
	if status, after := route.AllOut(&r.plan, nil, r.now); status != http.StatusServiceUnavailable || after.Or(0) < 5*time.Second {
		t.Errorf("%d after %v, want 503 and the open time", status, after)
	}
}

func TestG40AllCooledDown(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.order()
	r.try("A", limited(5*time.Second))
	r.try("B", limited(9*time.Second))
	r.pass(time.Second)
	if got := r.order(); len(got) != 0 {
		t.Fatalf("candidates %q, want none", got)
	}
	status, after := route.AllOut(&r.plan, nil, r.now)
	if status != http.StatusTooManyRequests || after.Or(0) != 4*time.Second {
		t.Errorf("%d after %v, want 429 after 4 s", status, after)
	}
	// The request that met both limits itself is told the same.
	r.ask.Without = []string{"A", "B"}
	r.order()
	status, after = route.AllOut(&r.plan, []route.Effect{route.CoolDown, route.CoolDown}, r.now)
	if status != http.StatusTooManyRequests || after.Or(0) != 4*time.Second {
		t.Errorf("after its own attempts: %d after %v, want 429 after 4 s", status, after)
	}
}

func TestAllOut(t *testing.T) {
	in := func(d time.Duration) time.Time { return start.Add(d) }
	for _, c := range []struct {
		name   string
		skips  []route.Skip
		tried  []route.Effect
		status int
		after  weir.Opt[time.Duration]
	}{
		{"no target", nil, nil, 503, weir.None[time.Duration]()},
		{"keys and quota", []route.Skip{{Why: route.BadKey, Until: in(9)}, {Why: route.NoKey}}, []route.Effect{route.Quota}, 502, weir.Some(time.Duration(9))},
		{"limits", []route.Skip{{Why: route.CoolingDown, Until: in(7)}, {Why: route.CannotServe}}, nil, 429, weir.Some(time.Duration(7))},
		{"a limit and an open one", []route.Skip{{Why: route.CoolingDown, Until: in(7)}, {Why: route.Open, Until: in(3)}}, nil, 503, weir.Some(time.Duration(3))},
		{"a limit and a failure", []route.Skip{{Why: route.CoolingDown, Until: in(7)}}, []route.Effect{route.Failure}, 503, weir.Some(time.Duration(7))},
		{"a limit and a key", []route.Skip{{Why: route.CoolingDown, Until: in(7)}, {Why: route.NoKey}}, nil, 503, weir.Some(time.Duration(7))},
		{"none can", []route.Skip{{Why: route.TooLong}, {Why: route.CannotServe}}, nil, 400, weir.None[time.Duration]()},
		{"over by now", []route.Skip{{Why: route.ProbeRunning, Until: in(-1)}}, nil, 503, weir.None[time.Duration]()},
	} {
		status, after := route.AllOut(&route.Plan{Skipped: c.skips}, c.tried, start)
		if status != c.status || after != c.after {
			t.Errorf("%s: %d after %v, want %d after %v", c.name, status, after, c.status, c.after)
		}
	}
}

func TestG47UnknownIsNotHealthy(t *testing.T) {
	r := newRig(t, &route.Route{})
	if got := r.order(); len(got) != 0 || r.fleet.Usable(r.route, r.now) != 0 {
		t.Errorf("no target: candidates %q, %d usable", got, r.fleet.Usable(r.route, r.now))
	}
	if h := r.fleet.Health("nobody", r.now); h.State != weir.HealthUnknown {
		t.Errorf("no such target is %s", h.State)
	}
	r.route = &route.Route{Targets: targets("A")}
	r.order()
	h := r.fleet.Health("A", r.now)
	if h.State != weir.HealthUnknown || h.ErrorRate.Known() || h.TPOT.Known() || h.Streams.P95At1K.Known() {
		t.Errorf("nothing was seen of it: %+v", h)
	}
	if r.fleet.Usable(r.route, r.now) != 1 {
		t.Error("a target that was never tried can be tried")
	}
	r.try("A", good)
	if h := r.fleet.Health("A", r.now); h.State != weir.HealthClosed || h.ErrorRate != weir.Some(0.0) {
		t.Errorf("one good answer: %+v", h)
	}
	if n := len(r.fleet.Healths(r.now)); n != 1 {
		t.Errorf("%d targets, want 1", n)
	}
}

func TestStateOutlivesAReload(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.order()
	r.open("A")
	r.route = &route.Route{Name: "another", Targets: targets("A", "C")}
	if got := r.order(); !slices.Equal(got, []string{"C"}) {
		t.Errorf("candidates %q, want C", got)
	}
	r.fleet = route.NewFleet(1)
	if got := r.order(); !slices.Equal(got, []string{"A", "C"}) {
		t.Errorf("for another fleet: candidates %q, want A and C", got)
	}
}

func TestPlanAllocatesNothing(t *testing.T) {
	for _, policy := range route.Policies() {
		r := busyRig(t, policy, 10)
		r.order()
		if n := testing.AllocsPerRun(200, func() { r.fleet.Plan(r.route, &r.ask, r.now, &r.plan) }); n != 0 {
			t.Errorf("%s: %v allocations", policy, n)
		}
	}
}
