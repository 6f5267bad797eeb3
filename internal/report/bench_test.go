package report_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

// BenchmarkSummarise is a run of 30 targets in 30 laps of 4 slots, and one of
// 100,000 requests to two.
func BenchmarkSummarise(b *testing.B) {
	for _, c := range []struct{ targets, laps, slots int }{{30, 30, 4}, {2, 6250, 8}} {
		r := handmade.Run()
		r.Settings.Targets = nil
		rng := rand.New(rand.NewPCG(1, 2))
		for t := range c.targets {
			name := fmt.Sprint("t", t)
			r.Settings.Targets = append(r.Settings.Targets, weir.Target{Name: name, Model: "m"})
			for lap := range c.laps {
				for range c.slots {
					s := handmade.Sample(name, time.Duration(3e8*(1+0.1*rng.NormFloat64())), time.Duration(1e7*(1+0.1*rng.NormFloat64())))
					s.Block, s.Due = weir.Some(lap), r.Started.Add(time.Duration(lap)*time.Minute)
					r.Samples = append(r.Samples, s)
				}
			}
		}
		b.Run(fmt.Sprintf("%dx%d", c.targets, c.laps*c.slots), func(b *testing.B) {
			for b.Loop() {
				report.Summarise(r)
			}
		})
	}
}
