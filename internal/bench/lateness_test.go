package bench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/sim"
	"weir.dev/weir/meter"
)

// BenchmarkOpenLoop prints how late requests go out against the drawn schedule,
// without a network and over the loopback to an instant simulator in this
// process:
//
//	go test -run xxx -bench OpenLoop -benchtime 1x ./internal/bench
func BenchmarkOpenLoop(b *testing.B) {
	precise, err := clock.NewPrecise()
	if err != nil {
		b.Fatal(err)
	}
	defer precise.Close()
	for _, rate := range []float64{500, 2000} {
		c := Config{
			Targets: []weir.Target{{Name: "a", URL: "http://a/v1", Dialect: weir.OpenAIChat, Model: "m"}}, Warmup: 16, Seed: 1, Clock: precise,
			Load: Load{Shape: Poisson(rate), Duration: 5 * time.Second}, Work: Work{Plan: tokens(64, 4)}, Limits: DefaultLimits(),
		}
		b.Run(fmt.Sprintf("bare/%v", rate), func(b *testing.B) {
			for b.Loop() {
				bareLoop(b, precise, c)
			}
		})
		b.Run(fmt.Sprintf("handler/%v", rate), func(b *testing.B) {
			c.Base = instant{}
			for b.Loop() {
				openLoop(b, c)
			}
		})
		b.Run(fmt.Sprintf("loopback/%v", rate), func(b *testing.B) {
			s, err := sim.New(sim.Config{Models: map[string]sim.Plan{"m": {}}})
			if err != nil {
				b.Fatal(err)
			}
			server := httptest.NewServer(http.Handler(s))
			defer server.Close()
			c.Base = meter.NewTransport(meter.Options{})
			c.Targets = []weir.Target{{Name: "a", URL: server.URL + "/v1", Dialect: weir.OpenAIChat, Model: "m"}}
			for b.Loop() {
				openLoop(b, c)
			}
		})
	}
}

func openLoop(b *testing.B, c Config) {
	res, err := Run(b.Context(), c)
	if err != nil {
		b.Fatal(err)
	}
	r := res.Targets[0]
	if r.Unsent != 0 || r.SlotWaits != 0 {
		b.Errorf("%+v", r)
	}
	var late []time.Duration
	for _, s := range res.Samples {
		if s.Outcome != weir.OK {
			b.Fatalf("%s %s %s", s.Outcome, s.ErrorType, s.ErrorText)
		}
		if !s.Warmup {
			late = append(late, s.Lateness.Duration())
		}
	}
	reportLate(b, late)
	b.ReportMetric(r.Drawn.Or(0), "drawn/s")
	b.ReportMetric(r.Achieved.Or(0), "achieved/s")
}

// bareLoop only wakes up at the same instants: what this machine gives now.
func bareLoop(b *testing.B, clk clock.Clock, c Config) {
	var late []time.Duration
	begun := clk.Now()
	for at := range c.Load.Shape.Dues(c.Seed) {
		if at > c.Load.Duration {
			break
		}
		due := begun.Add(at)
		if err := clk.Until(b.Context(), due); err != nil {
			b.Fatal(err)
		}
		late = append(late, clk.Now().Sub(due))
	}
	reportLate(b, late)
}

func reportLate(b *testing.B, late []time.Duration) {
	slices.Sort(late)
	us := func(q float64) float64 {
		return float64(late[int(q*float64(len(late)-1))]) / float64(time.Microsecond)
	}
	b.ReportMetric(us(0.5), "late-p50-us")
	b.ReportMetric(us(0.99), "late-p99-us")
	b.ReportMetric(us(1), "late-max-us")
	b.ReportMetric(0, "ns/op")
}
