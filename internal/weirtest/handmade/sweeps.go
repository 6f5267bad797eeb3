package handmade

import (
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// Busy adds the samples of slots that send one request after the other, n in
// all; every fifth is a little slower.
func Busy(r *report.Run, target string, slots, n int, ttft, tpot time.Duration) {
	free := make([]time.Time, slots)
	for i := range n {
		s := Sample(target, ttft, tpot)
		if i%5 == 0 {
			s = Sample(target, ttft+ttft/10, tpot+tpot/50)
		}
		slot := i % slots
		if free[slot].IsZero() {
			free[slot] = s.Due.Add(time.Duration(slot) * time.Millisecond)
		}
		s.Due = free[slot]
		free[slot] = s.Due.Add(s.Lateness.Duration() + s.End.Or(0).Duration())
		r.Samples = append(r.Samples, s)
	}
}

// AtConcurrency is a run of one point, started after those before it.
func AtConcurrency(i, slots, n int) report.Run {
	r := Run()
	r.Settings.Concurrency, r.Settings.Requests = slots, n
	r.Started = r.Started.Add(time.Duration(i) * time.Minute)
	r.Duration = 50 * time.Second
	if i > 0 {
		r.Settings.Warmup = 0
	}
	return r
}

// Queueing is a sweep of two targets: one has room for four, and another grows
// with what it is asked.
func Queueing() *report.Sweep {
	var runs []*report.Summary
	for i, c := range []int{1, 4, 8, 16} {
		r := AtConcurrency(i, c, 64)
		waits := time.Duration(max(0, c/4-1)) * 1200 * ms
		Busy(&r, "north", c, 64, 180*ms+waits, 8*ms)
		Busy(&r, "a-longer-name", c, 60, 950*ms, 12*ms)
		for range c / 8 {
			r.Samples = append(r.Samples, Failed("a-longer-name", weir.UpstreamError, 503, "overloaded", "try later"))
		}
		runs = append(runs, report.Summarise(r))
	}
	return report.NewSweep(report.OverConcurrency, []float64{1, 4, 8, 16}, runs)
}

// Sweeps are those of the golden reports, by name.
func Sweeps() map[string]*report.Sweep {
	interrupted := Queueing()
	interrupted.Points = interrupted.Points[:2]
	var begun []*report.Summary
	for _, p := range interrupted.Points {
		begun = append(begun, p.Summary)
	}
	begun[1].Interrupted = true
	begun[1].Targets[0].Unsent = 12
	priced := Run()
	return map[string]*report.Sweep{
		"queueing":    Queueing(),
		"interrupted": report.NewSweep(report.OverConcurrency, []float64{1, 4, 8}, begun),
		"nothing":     report.NewSweep(report.OverConcurrency, []float64{1, 4}, []*report.Summary{report.Summarise(priced)}),
		"rates":       rates(),
	}
}

// rates is an open loop with equal gaps against a target that can serve ten
// requests per second, priced.
func rates() *report.Sweep {
	var runs []*report.Summary
	asked := []float64{2.5, 5, 10, 20}
	for i, rate := range asked {
		r := AtConcurrency(i, 0, 200)
		r.Settings.Targets, r.Notes = r.Settings.Targets[:1], r.Notes[:1]
		r.Settings.Targets[0].Price = &weir.Price{Rates: weir.Rates{Input: weir.Some(1.0), Output: weir.Some(2.0)}, AsOf: "2026-11-01"}
		r.Settings.Load = report.PointName(report.OverRate, rate) + " per target"
		r.Notes[0].Asked, r.Notes[0].Achieved = weir.Some(rate), weir.Some(rate)
		for k := range 200 {
			at := time.Duration(float64(k) / rate * 1e9)
			late := max(0, time.Duration(k)*100*ms-at)
			s := Sample("north", 180*ms+late, 8*ms)
			s.Due = s.Due.Add(at)
			r.Samples = append(r.Samples, s)
		}
		runs = append(runs, report.Summarise(r))
	}
	return report.NewSweep(report.OverRate, asked, runs)
}
