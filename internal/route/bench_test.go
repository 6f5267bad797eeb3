package route_test

import (
	"fmt"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/route"
)

// busyRig is a route of so many targets of which much was seen.
func busyRig(t testing.TB, policy route.Policy, n int) *rig {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("target-%d", i))
	}
	r := newRig(t, &route.Route{Policy: policy, SLO: slo(t, "ttft<=2s, output_speed>=20"), Targets: targets(names...)})
	r.ask.Dialect = weir.OpenAIChat
	for i := range n {
		r.route.Targets[i].Provider = fmt.Sprint(i % 5)
		for j := range 70 {
			report := came(100*j, time.Duration(200+10*j)*time.Millisecond)
			report.TPOT = weir.SpanOf(20 * time.Millisecond)
			r.try(names[i], report)
		}
	}
	return r
}

func BenchmarkPlan(b *testing.B) {
	for _, policy := range route.Policies() {
		for _, n := range []int{10, 1000} {
			b.Run(fmt.Sprintf("%s/%d", policy, n), func(b *testing.B) {
				r := busyRig(b, policy, n)
				b.ReportAllocs()
				for b.Loop() {
					r.fleet.Plan(r.route, &r.ask, r.now, &r.plan)
				}
			})
		}
	}
}

func BenchmarkAttempt(b *testing.B) {
	r := busyRig(b, route.Fixed, 1)
	report := came(500, 300*time.Millisecond)
	report.TPOT = weir.SpanOf(20 * time.Millisecond)
	c := route.Candidate{Target: "target-0"}
	b.ReportAllocs()
	for b.Loop() {
		ticket, _ := r.fleet.Begin(&c, r.now)
		r.pass(50 * time.Millisecond)
		ticket.End(report, r.now)
	}
}
