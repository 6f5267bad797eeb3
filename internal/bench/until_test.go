package bench

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"weir.dev/weir"
)

// TestUntil: a run ends when every target is known well enough: the steady one
// soon, the other later.
func TestUntil(t *testing.T) {
	wide := func(w http.ResponseWriter, n int, body map[string]any) {
		stream(time.Duration(50+10*(n%11))*ms, 0)(w, n, body)
	}
	bubble(t, answers{stream(100*ms, 0), wide}, func(t *testing.T, c Config, es []*endpoint) {
		until, err := ParseUntil("ttft_p50=20%")
		if err != nil {
			t.Fatal(err)
		}
		c.Until, c.Requests, c.Concurrency = &until, 1000, 2
		res := mustRun(t, c)
		a, b := count(res, "host-a", false, weir.OK), count(res, "host-b", false, weir.OK)
		if !res.Enough || a < 20 || b < 20 || a+b > 600 {
			t.Errorf("enough %v after %d and %d", res.Enough, a, b)
		}
		until.Width = 0.001
		c.Until, c.Requests = &until, 30
		if res := mustRun(t, c); res.Enough || count(res, "host-b", false, weir.OK) != 30 {
			t.Errorf("enough %v", res.Enough)
		}
	})
}

// TestKnowledgeKeepsOrder: a request that is under way holds back those that
// began after it.
func TestKnowledgeKeepsOrder(t *testing.T) {
	k := newKnowledge(&Until{Metric: "ttft", P: 0.5, Width: 1}, 1)
	for n := range 10 {
		k.begin(0, n)
	}
	for n := 1; n < 10; n++ {
		k.end(0, n, &weir.Sample{Outcome: weir.OK, TTFT: weir.SpanOf(ms)})
	}
	if n := len(k.targets[0].order); n != 0 {
		t.Errorf("%d count while the first is under way", n)
	}
	k.end(0, 0, &weir.Sample{Outcome: weir.TimeoutFirstOutput})
	if n := len(k.targets[0].order); n != 10 {
		t.Errorf("%d count", n)
	}
}

func TestParseUntil(t *testing.T) {
	for text, want := range map[string]string{
		"ttft_p50=5%": "ttft_p50=5%", " output_speed_p50 = 2.5% ": "output_speed_p50=2.5%", "e2e_p99.9=10%": "e2e_p99.9=10%",
	} {
		u, err := ParseUntil(text)
		if err != nil || u.String() != want {
			t.Errorf("%q: %v, %v", text, u, err)
		}
	}
	for _, text := range []string{"", "ttft=5%", "ttft_p50", "ttft_p50=5", "ttft_p50=0%", "success=5%", "nothing_p50=5%"} {
		_, err := ParseUntil(text)
		var e *weir.Error
		if !errors.As(err, &e) || e.Hint == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}
