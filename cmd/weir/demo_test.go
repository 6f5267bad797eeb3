package main

import (
	"testing"
	"time"

	"weir.dev/weir"
)

// TestDemo runs the demo once, in its real 25 seconds: four targets, 40 %
// between the fastest and the slowest, and one with a bad tail.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 25 seconds")
	}
	t.Parallel()
	o := promptly(t, 60*time.Second, func() outcome { return runWeir(t, "demo", "--once", "-o", "json") })
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
		t.Logf("%s: ttft p50 %.0f ms, p95 %.0f ms", target.Name, p50, p95)
	}
	// The tail is planned; a busy machine may give the others one, but not as long.
	slow := map[string]int{}
	for _, r := range s.Requests {
		if d, ok := r.TTFT.Get(); ok && !r.Warmup && d.MS() > 1200 {
			slow[r.Target]++
		}
	}
	for _, target := range s.Targets {
		if target.Name != "lakeside" && slow[target.Name] >= slow["lakeside"] {
			t.Errorf("%s has %d answers later than 1.2 s, lakeside %d", target.Name, slow[target.Name], slow["lakeside"])
		}
	}
}
