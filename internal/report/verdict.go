package report

import (
	"math"
	"math/rand/v2"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// Verdict is what a run says of the differences between its targets.
type Verdict struct {
	Blocks  int            `json:"blocks"`  // laps, or slices of time
	Laps    bool           `json:"laps"`    // else slices
	Span    weir.Dur       `json:"span_ms"` // from the first request to the last
	Short   bool           `json:"short"`   // under 20 minutes: it speaks of these minutes only
	Metrics []MetricResult `json:"metrics"` // what was compared
	Why     string         `json:"no_verdict,omitempty"`
}

// MetricResult compares the targets in one figure.
type MetricResult struct {
	Metric string       `json:"metric"` // output_speed, ttft, e2e
	Duels  []DuelResult `json:"duels"`  // each target with each other
	Ranks  []RankResult `json:"ranks"`  // in the order of the targets
	Spread stats.Spread `json:"spread"` // (max - min)/max of the medians
}

// DuelResult is the comparison of two targets: B against A.
type DuelResult struct {
	A string `json:"a"`
	B string `json:"b"`
	stats.Comparison
	Adjusted float64           `json:"p_adjusted"` // by Holm over all pairs and metrics of the run
	Differs  bool              `json:"differs"`
	DeltaMS  weir.Opt[float64] `json:"difference_ms"` // B - A, of a latency
	DeltaCI  stats.Interval    `json:"difference_ms_interval"`
}

// RankResult is the places that a target may hold, 1 the best.
type RankResult struct {
	Target string `json:"target"`
	Best   int    `json:"best"`
	Worst  int    `json:"worst"`
}

// verdictOf compares a run's targets; nil where there is only one.
func verdictOf(r *Run) *Verdict {
	targets := r.Settings.Targets
	if len(targets) < 2 {
		return nil
	}
	b := blocksOf(r)
	v := &Verdict{Blocks: b.n, Laps: b.laps, Span: weir.Dur(b.span), Short: b.span < stats.ShortRun}
	metrics := []metric{speedMetric, ttftMetric}
	if !r.Settings.Stream {
		metrics = []metric{e2eMetric}
	}
	var families [][]stats.Duel
	for i, m := range metrics {
		med := b.medians(r.Samples, targets, m)
		if len(med) == 0 || len(med[0]) < leastBlocks {
			continue
		}
		rng := rand.New(rand.NewPCG(r.Settings.Seed, uint64(i)))
		duels := stats.Duels(med, b.span, rng)
		families = append(families, duels)
		v.Metrics = append(v.Metrics, result(m, targets, med, duels, b.span, rng))
	}
	stats.Adjust(families...)
	for i := range v.Metrics {
		m := &v.Metrics[i]
		for k, d := range families[i] {
			m.Duels[k].Adjusted, m.Duels[k].Differs = d.Adjusted, d.Differs()
		}
		for k, rank := range stats.Ranks(len(targets), families[i], m.MoreIsBetter()) {
			m.Ranks = append(m.Ranks, RankResult{targets[k].Name, rank.Best, rank.Worst})
		}
	}
	v.Why = v.why()
	return v
}

func result(m metric, targets []weir.Target, med [][]float64, duels []stats.Duel, span time.Duration, rng *rand.Rand) MetricResult {
	out := MetricResult{Metric: m.name, Spread: stats.SpreadOf(med, rng)}
	for _, d := range duels {
		one := DuelResult{A: targets[d.A].Name, B: targets[d.B].Name, Comparison: d.Comparison}
		if !m.moreIsBetter {
			one.DeltaMS, one.DeltaCI = difference(med[d.A], med[d.B], span, rng)
		}
		out.Duels = append(out.Duels, one)
	}
	return out
}

// difference is B - A with its interval, by the same method as the ratio: that
// compares logarithms, so it is given exponentials, of seconds to keep them in
// bounds.
func difference(a, b []float64, span time.Duration, rng *rand.Rand) (weir.Opt[float64], stats.Interval) {
	pairs := make([]stats.Pair, len(a))
	for i := range a {
		d := (b[i] - a[i]) / 1000
		switch {
		case math.IsInf(a[i], 1) && math.IsInf(b[i], 1):
			d = math.NaN()
		case d > maxSeconds:
			d = math.Inf(1)
		case d < -maxSeconds:
			d = math.Inf(-1)
		}
		pairs[i] = stats.Pair{A: 1, B: math.Exp(d)}
		if math.IsInf(d, -1) {
			pairs[i] = stats.Pair{A: math.Inf(1), B: 1}
		}
	}
	c := stats.Compare(pairs, span, rng)
	ms := func(v weir.Opt[float64]) weir.Opt[float64] {
		if f, ok := v.Get(); ok {
			return weir.Some(1000 * math.Log(f))
		}
		return v
	}
	return ms(c.Ratio), stats.Interval{Lo: ms(c.Interval.Lo), Hi: ms(c.Interval.Hi)}
}

// maxSeconds keeps exponentials finite.
const maxSeconds = 600

// why says what a verdict lacks; empty where there is one.
func (v *Verdict) why() string {
	switch {
	case len(v.Metrics) == 0:
		return "no blocks in which every target was measured"
	case v.Metrics[0].Duels[0].Blocks < stats.MinBlocks:
		return "too few blocks"
	}
	return ""
}
