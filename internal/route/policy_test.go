package route_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/route"
)

func TestFixedKeepsTheOrder(t *testing.T) {
	r := newRig(t, &route.Route{Targets: targets("A", "B", "C")})
	r.route.Targets[1].Provider = "at A"
	if got := r.order(); !slices.Equal(got, []string{"A", "B", "C"}) {
		t.Errorf("%q", got)
	}
	r.ask.Without = []string{"A"}
	if got := r.order(); !slices.Equal(got, []string{"B", "C"}) {
		t.Errorf("after a failure at A: %q, want the user's order", got)
	}
}

func TestWeightedDrawsByWeight(t *testing.T) {
	r := newRig(t, &route.Route{Policy: route.Weighted, Targets: targets("A", "B", "C")})
	for i, w := range []float64{6, 3, 0} { // 0 is 1
		r.route.Targets[i].Weight = w
	}
	const n = 20_000
	led, second := map[string]int{}, map[string]int{}
	for range n {
		got := r.order()
		led[got[0]]++
		if got[0] == "A" {
			second[got[1]]++
		}
	}
	for name, share := range map[string]float64{"A": 0.6, "B": 0.3, "C": 0.1} {
		if got := float64(led[name]) / n; math.Abs(got-share) > 0.015 {
			t.Errorf("%s leads %.3f of the plans, want %.1f", name, got, share)
		}
	}
	if got := float64(second["B"]) / float64(led["A"]); math.Abs(got-0.75) > 0.015 {
		t.Errorf("behind A comes B in %.3f, want 0.75", got)
	}
}

func TestPlansRepeatWithTheSeed(t *testing.T) {
	run := func() (all []string) {
		r := newRig(t, &route.Route{Policy: route.Weighted, Targets: targets("A", "B", "C")})
		for range 50 {
			all = append(all, r.order()...)
		}
		return all
	}
	if !slices.Equal(run(), run()) {
		t.Error("one seed, two orders")
	}
}

func TestLeastBusyEvensOut(t *testing.T) {
	r := newRig(t, &route.Route{Policy: route.LeastBusy, Targets: targets("A", "B", "C", "D")})
	r.route.Targets[0].Weight = 2
	for range 100 {
		r.begin(r.order()[0])
	}
	for i, name := range []string{"A", "B", "C", "D"} {
		want := []int{40, 20, 20, 20}[i]
		if got := r.fleet.Health(name, r.now).InFlight; got < want-4 || got > want+4 {
			t.Errorf("%s has %d in flight, want about %d", name, got, want)
		}
	}
	got := r.order()[1:]
	load := func(name string) float64 {
		w := 1.0
		if name == "A" {
			w = 2
		}
		return float64(r.fleet.Health(name, r.now).InFlight+1) / w
	}
	if !slices.IsSortedFunc(got, func(a, b string) int { return int(math.Copysign(1, load(a)-load(b))) }) {
		t.Errorf("fallbacks %q are not by load", got)
	}
}

func TestLeastBusyPrefersTheCallersDialectAmongEqual(t *testing.T) {
	r := newRig(t, &route.Route{Policy: route.LeastBusy, Targets: targets("A", "B")})
	r.route.Targets[0].Dialect, r.route.Targets[1].Dialect = weir.Anthropic, weir.OpenAIChat
	r.ask.Dialect = weir.OpenAIChat
	for range 20 {
		if got := r.order()[0]; got != "B" {
			t.Fatalf("%s leads, want B", got)
		}
	}
	r.begin("B")
	for range 20 {
		if got := r.order()[0]; got != "A" {
			t.Fatalf("B is busier, and %s leads", got)
		}
	}
}

func TestOtherProvidersComeFirstAfterAFailure(t *testing.T) {
	for _, policy := range []route.Policy{route.Weighted, route.LeastBusy, route.SLO} {
		r := newRig(t, &route.Route{Policy: policy, Targets: targets("A", "A2", "B", "C")})
		r.route.Targets[1].Provider = "at A"
		for range 50 {
			r.ask.Without = nil
			if got := r.order(); got[0] == "A" && got[3] != "A2" {
				t.Fatalf("%s: %q: A2 fails with A", policy, got)
			}
			r.ask.Without = []string{"A"}
			if got := r.order(); got[2] != "A2" {
				t.Fatalf("%s after A failed: %q, want A2 last", policy, got)
			}
		}
	}
}

func TestAPlanNamesSixteen(t *testing.T) {
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprintf("T%02d", i))
	}
	for _, policy := range route.Policies() {
		r := newRig(t, &route.Route{Policy: policy, Targets: targets(names...)})
		for i := range 40 { // the last are the least busy
			for range 40 - i {
				r.begin(names[i])
			}
		}
		got := r.order()
		if len(got) != 16 {
			t.Errorf("%s: %d candidates, want 16", policy, len(got))
		}
		seen := slices.Compact(slices.Sorted(slices.Values(got)))
		if len(seen) != 16 {
			t.Errorf("%s: one target twice in %q", policy, got)
		}
		if policy == route.LeastBusy && (got[1] < "T36" || got[15] < "T23") {
			t.Errorf("%s: %q are not the least busy", policy, got)
		}
	}
}

func TestRetryBudgetWithoutBound(t *testing.T) {
	b := &route.RetryBudget{Share: math.Inf(1), Floor: -1}
	for range 1000 {
		if !b.Retry(start) {
			t.Fatal("bounded")
		}
	}
}

func TestRetryBudget(t *testing.T) {
	spend := func(b *route.RetryBudget, requests int, now time.Time) (retries int) {
		for range requests {
			b.Request(now)
		}
		for b.Retry(now) {
			retries++
		}
		return retries
	}
	for _, c := range []struct {
		name     string
		budget   *route.RetryBudget
		requests int
		want     int
	}{
		{"few requests", &route.RetryBudget{}, 5, 100},
		{"many", &route.RetryBudget{}, 5000, 500},
		{"own share", &route.RetryBudget{Share: 0.2, Floor: 3}, 100, 20},
		{"own floor", &route.RetryBudget{Floor: 3}, 10, 3},
		{"none", &route.RetryBudget{Share: -1, Floor: -1}, 1000, 0},
	} {
		if got := spend(c.budget, c.requests, start); got != c.want {
			t.Errorf("%s: %d retries, want %d", c.name, got, c.want)
		}
		if c.want == 0 {
			continue
		}
		if c.budget.Retry(start.Add(8 * time.Second)) {
			t.Errorf("%s: more within ten seconds", c.name)
		}
		if !c.budget.Retry(start.Add(11 * time.Second)) {
			t.Errorf("%s: none ten seconds later", c.name)
		}
	}
}
