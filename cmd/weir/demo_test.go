package main

import (
	"testing"
	"time"

	"weir.dev/weir"
)

// TestDemo runs the demo once, in its real 20 seconds: four targets, 40 %
// between the fastest and the slowest, and one with a bad tail.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 seconds")
	}
	t.Parallel()
	o := promptly(t, 30*time.Second, func() outcome { return runWeir(t, "demo", "--once", "-o", "json") })
	if o.code != 0 {
		t.Fatalf("code %d\n%s", o.code, o.err)
	}
	s := o.summary(t)
	if len(s.Targets) != 4 {
		t.Fatalf("%d targets", len(s.Targets))
	}
	if spread := s.Spread.Or(0); spread < 0.35 || spread > 0.45 {
		t.Errorf("spread %.3f, want 0.40", spread)
	}
	for _, target := range s.Targets {
		p50, p95 := target.TTFT.P50.Or(0), target.TTFT.P95.Or(0)
		if target.Outcomes[weir.OK] != target.Requests || target.Requests < 20 || p50 <= 0 {
			t.Errorf("%+v", target)
		}
		if bad := p95 > 4*p50; bad != (target.Name == "lakeside") {
			t.Errorf("%s: ttft p50 %.0f ms, p95 %.0f ms", target.Name, p50, p95)
		}
	}
}
