package report

import (
	"fmt"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// client judges the measuring itself (METRICS.md, "client"): it is the limit
// where p99 lateness (and at least two requests) is over max(1 ms, 1 % of the median ttft), where more than
// 0.1 % of the output events are only bounded, or where the stamps' error is
// over 2 % of the median gap.
func client(r Run, targets []TargetSummary) Client {
	var late, gaps []float64
	events, bounded := 0, 0
	kernel, user := false, false
	for _, s := range r.Samples {
		if s.Warmup {
			continue
		}
		late = append(late, s.Lateness.MS())
		events += s.OutputEvents
		bounded += s.BoundedEvents
		if s.OutputEvents > 0 || s.E2E.Known() {
			kernel, user = kernel || s.KernelStamps, user || !s.KernelStamps
		}
		if gap, ok := s.GapP50.Get(); ok {
			gaps = append(gaps, gap.MS())
		}
	}
	c := Client{
		Events: events, BoundedShare: share(bounded, events), Stamps: stamps(kernel, user),
		GCPauses: r.GCPauses,
	}
	var woke []float64
	for _, d := range r.WakeUps {
		woke = append(woke, weir.Dur(d).MS())
	}
	slept := stats.NewQuantiles(woke, 0)
	if c.StampErrorP99, c.StampErrorMax = at(slept, 0.99), at(slept, 1); !c.StampErrorP99.Known() {
		c.StampErrorP99, c.StampErrorMax = r.StampErrorP99, r.StampErrorMax
	}
	q := stats.NewQuantiles(late, 0)
	c.LatenessP50, c.LatenessP99, c.LatenessMax = at(q, 0.5), at(q, 0.99), at(q, 1)
	c.judge(targets, late, at(stats.NewQuantiles(gaps, 0), 0.5))
	return c
}

func stamps(kernel, user bool) string {
	switch {
	case kernel && user:
		return "mixed"
	case kernel:
		return "kernel"
	}
	return "user-space"
}

func at(q stats.Quantiles, p float64) weir.Opt[float64] {
	if v, ok := q.At(p); ok {
		return weir.Some(v)
	}
	return weir.None[float64]()
}

func (c *Client) judge(targets []TargetSummary, lateness []float64, gap weir.Opt[float64]) {
	fastest := 0.0 // the median ttft that lateness hurts most
	for _, t := range targets {
		if v, ok := t.TTFT.P50.Get(); ok && (fastest == 0 || v < fastest) {
			fastest = v
		}
	}
	limit := max(1, fastest/100)
	late, _ := c.LatenessP99.Get()
	over := 0 // with few requests the p99 is the one latest, which may be chance
	for _, l := range lateness {
		if l > limit {
			over++
		}
	}
	bounded, _ := c.BoundedShare.Get()
	g, hasGap := gap.Get()
	off, _ := c.StampErrorP99.Get()
	switch {
	case late > limit && over > 1:
		c.Why = fmt.Sprintf("requests went out late: p99 %.2f ms, over %.2f ms", late, limit)
	case bounded > 0.001:
		c.Why = fmt.Sprintf("the client was too busy to stamp %.2f %% of the events, over 0.1 %%", 100*bounded)
	case c.Stamps != "kernel" && hasGap && g > 0 && off > 0.02*g:
		c.Why = fmt.Sprintf("stamps are late by p99 %.2f ms, over 2 %% of the median gap of %.1f ms: smaller differences between gaps are noise", off, g)
	}
	c.Limited = c.Why != ""
}
