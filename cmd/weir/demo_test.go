package main

import (
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
)

// TestDemo runs the demo once, in its real 25 seconds: four targets of one
// model, some 40 % between the fastest and the slowest by their devices alone,
// and one whose prompt cache shows.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 25 seconds")
	}
	t.Parallel()
	o := promptly(t, 60*time.Second, func() outcome { return runWeir(t, "demo", "--once", "-o", "json") })
	if o.code != 0 {
		t.Fatalf("code %d\n%s", o.code, o.err)
	}
	o.says(t, "40 of 40 requests were answered whole", "northwind failed (503), harbor answers", "northwind is left alone (open)")
	s := o.summary(t)
	if len(s.Targets) != 4 {
		t.Fatalf("%d targets", len(s.Targets))
	}
	if spread := s.Spread.Or(0); spread < 0.3 || spread > 0.55 { // a busy machine moves it
		t.Errorf("spread %.3f, want about 0.39", spread)
	}
	ttft, tail := map[string]float64{}, map[string]float64{}
	for _, target := range s.Targets {
		p50, p95 := target.TTFT.P50.Or(0), target.TTFT.P95.Or(0)
		if target.Outcomes[weir.OK] != target.Requests || target.Requests < 20 || p50 <= 0 {
			t.Errorf("%+v", target)
		}
		ttft[target.Name], tail[target.Name] = float64(p50), float64(p95)/float64(p50)
		t.Logf("%s: ttft p50 %.0f ms, p95 %.0f ms", target.Name, p50, p95)
	}
	// Only lakeside has other customers, who come in bursts.
	if tail["lakeside"] < 1.4 || tail["northwind"] > tail["lakeside"] || tail["cascade"] > tail["lakeside"] {
		t.Errorf("p95 of the ttft over its p50: %v", tail)
	}
	// What harbor keeps of the prompts it does not compute: it is ahead of faster
	// devices.
	if ttft["harbor"] > 0.7*ttft["northwind"] || ttft["northwind"] > 0.7*ttft["cascade"] {
		t.Errorf("ttft p50 %v ms", ttft)
	}
}

// TestDemoGateway: the outage is seen, nobody suffers by it, and the first target
// is back at the end.
func TestDemoGateway(t *testing.T) {
	t.Parallel()
	o := promptly(t, 20*time.Second, func() outcome { return runWeir(t, "demo", "--gateway") })
	if o.code != 0 || o.err != "" {
		t.Errorf("code %d: %s", o.code, o.err)
	}
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	if len(lines) < 5 || !strings.Contains(lines[1], "request 1   northwind answers") || !strings.HasSuffix(lines[len(lines)-2], "northwind answers") ||
		!strings.HasPrefix(lines[len(lines)-1], "40 of 40 requests were answered whole") {
		t.Errorf("%s", o.out)
	}
}
