package handmade

import (
	"fmt"
	"math/rand/v2"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// Run is a run of two targets, north and a-longer-name, that has no sample yet.
func Run() report.Run {
	return report.Run{
		Version: "v0.0.0-test",
		Settings: report.Settings{
			Targets: []weir.Target{
				{Name: "north", URL: "https://north.example/v1", Dialect: weir.OpenAIChat, Model: "llama-3.3-70b"},
				{Name: "a-longer-name", URL: "https://south.example/v1", Dialect: weir.OpenAIChat, Model: "llama-3.3-70b"},
			},
			Concurrency: 2, Requests: 20, Warmup: 1, InputTokens: 256, OutputTokens: 128, Temperature: weir.Some(0.0), Stream: true, Work: report.WorkSettings{Content: "words", Lengths: "256/128", Cache: "auto"}, Seed: 42, WorkloadID: "0123456789ab",
			Limits: report.LimitSettings{Connect: weir.Dur(10 * time.Second), FirstOutput: weir.Dur(60 * time.Second), Stall: weir.Dur(30 * time.Second)},
		},
		Started: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Duration: 83 * time.Second, GCPauses: weir.SpanOf(1500 * time.Microsecond),
		Notes: make([]report.TargetNote, 2), WakeUps: []time.Duration{40 * time.Microsecond, 120 * time.Microsecond},
	}
}

// Laps is a run of so many laps over a time, of two slots: ttft and tpot of
// the two targets, with a little noise that both share and some of their own.
func Laps(n int, span time.Duration, ttft, tpot [2]time.Duration) report.Run {
	r := Run()
	r.Settings.Requests, r.Duration = 2*n, span
	rng := rand.New(rand.NewPCG(1, 2))
	for lap := range n {
		both := 1 + 0.1*rng.NormFloat64()
		for i, name := range []string{"north", "a-longer-name"} {
			for range 2 {
				own := both * (1 + 0.02*rng.NormFloat64())
				s := Sample(name, time.Duration(float64(ttft[i])*own), time.Duration(float64(tpot[i])*own))
				s.Block, s.Due = weir.Some(lap), r.Started.Add(time.Duration(lap)*span/time.Duration(n))
				r.Samples = append(r.Samples, s)
			}
		}
	}
	return r
}

// Good adds a warm-up and n good answers, each a little slower than the one before.
func Good(r *report.Run, target string, n int, ttft, tpot time.Duration) {
	warm := Sample(target, 9*ttft, tpot)
	warm.Warmup = true
	r.Samples = append(r.Samples, warm)
	for i := range n {
		r.Samples = append(r.Samples, Sample(target, ttft+time.Duration(i)*time.Millisecond, tpot+time.Duration(i)*10*time.Microsecond))
	}
}

// Apart moves each run an hour on from the one before, and gives each request an id.
func Apart(runs ...*report.Run) {
	for i, r := range runs {
		later := time.Duration(i) * time.Hour
		r.Started = r.Started.Add(later)
		for k := range r.Samples {
			s := &r.Samples[k]
			s.Due, s.ID = s.Due.Add(later), fmt.Sprintf("%d-%d", i, k)
		}
	}
}

// WithoutLaps takes a run's laps away: two that run beside each other have laps of
// their own, and share nothing but the time.
func WithoutLaps(r report.Run) report.Run {
	for i := range r.Samples {
		r.Samples[i].Block = weir.None[int]()
	}
	return r
}
