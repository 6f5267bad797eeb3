package route_test

import (
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/route"
)

// Five of each at A, B being good.
func TestG36WhatCountsAsFailure(t *testing.T) {
	for _, c := range []struct {
		name   string
		report route.Report
		state  weir.HealthState
		why    route.Reason
	}{
		{"refused", route.Report{Outcome: weir.ConnectError, ErrorType: "refused"}, weir.HealthOpen, route.Open},
		{"no credit", route.Report{Outcome: weir.BadRequest, ErrorType: "quota_exhausted", Status: 400}, weir.HealthOpen, route.OutOfQuota},
		{"bad key", route.Report{Outcome: weir.Auth, ErrorType: "invalid_key", Status: 401}, weir.HealthOpen, route.BadKey},
		{"error inside a 200", route.Report{Outcome: weir.UpstreamError, Status: 200}, weir.HealthOpen, route.Open},
		{"cut after output", route.Report{Outcome: weir.Truncated, Status: 200, Stream: true, TTFT: weir.SpanOf(time.Millisecond)}, weir.HealthOpen, route.Open},
		{"stalled after output", route.Report{Outcome: weir.TimeoutStall, Status: 200, Stream: true, TTFT: weir.SpanOf(time.Millisecond)}, weir.HealthOpen, route.Open},
		{"plain 400", route.Report{Outcome: weir.BadRequest, Status: 400}, weir.HealthUnknown, ""},
		{"caller left", route.Report{Outcome: weir.Canceled}, weir.HealthUnknown, ""},
		{"caller's deadline", route.Report{Outcome: weir.TimeoutTotal, Neutral: true}, weir.HealthUnknown, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, &route.Route{Targets: targets("A", "B")})
			for range 5 {
				if r.order()[0] == "A" {
					r.try("A", c.report)
				}
			}
			if got := r.state("A"); got != c.state {
				t.Errorf("state %s, want %s", got, c.state)
			}
			if got := r.why("A"); got != c.why {
				t.Errorf("reason %q, want %q", got, c.why)
			}
		})
	}
}

func TestG37RateLimitCoolsDown(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	var asked []time.Duration
	for range 8 {
		if r.order()[0] == "A" {
			asked = append(asked, r.now.Sub(start))
			r.try("A", limited(2*time.Second))
		}
		r.pass(500 * time.Millisecond)
	}
	if len(asked) != 2 || asked[0] != 0 || asked[1] != 2*time.Second {
		t.Errorf("A was asked at %v, want at 0 and 2 s", asked)
	}
	if h := r.fleet.Health("A", r.now); h.State != weir.HealthClosed || h.Row != 0 {
		t.Errorf("a rate limit moved the breaker: %+v", h)
	}
}

func TestCoolDownClamps(t *testing.T) {
	for _, c := range []struct {
		name  string
		after weir.Opt[time.Duration]
		want  time.Duration
	}{
		{"none said", weir.None[time.Duration](), time.Second},
		{"at once", weir.Some(time.Duration(0)), time.Second},
		{"as asked", weir.Some(7 * time.Second), 7 * time.Second},
		{"far date", weir.Some(72 * time.Hour), 10 * time.Minute},
	} {
		r := newRig(t, &route.Route{Targets: targets("A", "B")})
		r.order()
		r.try("A", route.Report{Outcome: weir.RateLimited, Status: 429, RetryAfter: c.after})
		if until := r.fleet.Health("A", r.now).Until.Or(r.now); until.Sub(r.now) != c.want {
			t.Errorf("%s: cools for %v, want %v", c.name, until.Sub(r.now), c.want)
		}
	}
}

func TestG42ErrorRateNeedsAMinimum(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.order()
	r.try("A", bad)
	if got := r.order()[0]; got != "A" {
		t.Fatalf("one failure of one: %s is first, want A", got)
	}
	r.pass(time.Hour)
	asked := 0
	for range 25 {
		if r.order()[0] == "A" {
			asked++
			r.try("A", bad)
		}
		r.pass(10 * time.Millisecond)
	}
	if asked > 5 || r.state("A") != weir.HealthOpen {
		t.Errorf("A got %d of 25 and is %s, want at most 5 and open", asked, r.state("A"))
	}
}

func TestErrorRateOpens(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.order()
	for i := range 20 { // never two in a row, but one of two
		if r.state("A") == weir.HealthOpen {
			t.Fatalf("open after %d outcomes, want 20", i)
		}
		r.try("A", []route.Report{good, bad}[i%2])
		r.pass(time.Second)
	}
	if r.state("A") != weir.HealthOpen {
		t.Error("10 of 20 failed, and it is not open")
	}
}

func TestBreakerCanBeOff(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.route.Targets[0].Health = route.HealthSettings{Failures: -1, ErrorRate: -1}
	r.order()
	for range 100 {
		r.try("A", bad)
	}
	if r.state("A") != weir.HealthClosed {
		t.Errorf("A is %s", r.state("A"))
	}
}

// A target that takes no new requests still ends old ones well.
func TestOldSuccessesDoNotEndARowOfFailures(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.order()
	var old []*route.Ticket
	for range 5 {
		old = append(old, r.begin("A"))
	}
	for _, o := range old {
		r.pass(time.Second)
		r.try("A", bad)
		o.End(good, r.now)
	}
	if r.state("A") != weir.HealthOpen {
		t.Error("five failures in a row, and it is not open")
	}
}

// open fails a target until its breaker opens, and returns for how long.
func (r *rig) open(target string) time.Duration {
	r.Helper()
	for range 5 {
		r.try(target, bad)
	}
	h := r.fleet.Health(target, r.now)
	if h.State != weir.HealthOpen {
		r.Fatalf("%s is %s, want open", target, h.State)
	}
	return h.Until.Or(r.now).Sub(r.now)
}

func TestOpenTimeDoublesToACap(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.order()
	d := r.open("A")
	for _, base := range []time.Duration{5, 10, 20, 20} {
		if base *= time.Second; d < base || d > base+base/10 {
			t.Errorf("open for %v, want %v and up to a tenth more", d, base)
		}
		r.pass(d)
		if r.order(); !r.plan.Candidates[0].Probe {
			t.Fatal("no probe when the open time is over")
		}
		r.try("A", bad)
		d = r.fleet.Health("A", r.now).Until.Or(r.now).Sub(r.now)
	}
	r.pass(d)
	r.try("A", good)
	r.pass(time.Minute)
	if d := r.open("A"); d > 6*time.Second {
		t.Errorf("a minute closed, and it opens for %v, want 5 s again", d)
	}
}

func TestHalfOpenLetsOneThrough(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.order()
	r.pass(r.open("A"))
	probe := r.begin("A")
	if got := r.why("A"); got != route.ProbeRunning {
		t.Errorf("beside the probe: %q, want %q", got, route.ProbeRunning)
	}
	if _, ok := r.fleet.Begin(&route.Candidate{Target: "A", Probe: true}, r.now); ok {
		t.Error("a second probe")
	}
	probe.End(route.Report{Outcome: weir.Canceled}, r.now)
	if r.state("A") != weir.HealthHalfOpen || r.order()[0] != "A" {
		t.Errorf("after a cancelled probe: %s, want half open with a probe to give", r.state("A"))
	}
	probe = r.begin("A")
	probe.End(limited(time.Second), r.now)
	if got := r.why("A"); got != route.CoolingDown {
		t.Errorf("after a limited probe: %q, want %q", got, route.CoolingDown)
	}
	r.pass(time.Second)
	r.try("A", good)
	if r.state("A") != weir.HealthClosed {
		t.Errorf("after a good probe: %s", r.state("A"))
	}
}

func TestLateAnswersMoveNoNewerBreaker(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.order()
	var before []*route.Ticket
	for range 12 {
		before = append(before, r.begin("A"))
	}
	d := r.open("A")
	until := r.now.Add(d)
	before[0].End(good, r.now)
	for _, late := range before[1:6] {
		late.End(bad, r.now)
	}
	if h := r.fleet.Health("A", r.now); h.State != weir.HealthOpen || !h.Until.Or(r.now).Equal(until) {
		t.Errorf("late answers moved the breaker: %s until %v, want open until %v", h.State, h.Until, until)
	}
	r.pass(d)
	r.try("A", good)
	for _, late := range before[6:] {
		late.End(bad, r.now)
	}
	if h := r.fleet.Health("A", r.now); h.State != weir.HealthClosed || h.Row != 0 || h.InFlight != 0 {
		t.Errorf("late failures counted in the new generation: %+v", h)
	}
}

func TestTicketsEndOnce(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A")})
	ticket := r.begin("A")
	for range 3 {
		ticket.End(good, r.now)
	}
	if h := r.fleet.Health("A", r.now); h.InFlight != 0 || h.Totals.Success != 1 {
		t.Errorf("ended three times: %+v", h)
	}
}

func TestABadKeyIsCheckedAgain(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B")})
	r.order()
	refused := route.Report{Outcome: weir.Auth, ErrorType: "invalid_key", Status: 401}
	late := r.begin("A")
	r.try("A", refused)
	r.pass(5*time.Minute - 1)
	if got := r.why("A"); got != route.BadKey {
		t.Fatalf("before its time: %q", got)
	}
	r.pass(1)
	if r.order(); r.plan.Candidates[0].Target != "A" || !r.plan.Candidates[0].Probe {
		t.Fatalf("no probe: %+v", r.plan.Candidates)
	}
	r.try("A", refused)
	renewed := &route.Route{Targets: targets("A", "B")}
	renewed.Targets[0].Credential = "another"
	r.route = renewed
	if got := r.order()[0]; got != "A" {
		t.Errorf("with a new key %s is first, want A", got)
	}
	if late.End(refused, r.now); r.why("A") != "" {
		t.Error("an answer to the old key counts for the new one")
	}
}
