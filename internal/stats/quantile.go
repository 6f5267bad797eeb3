package stats

import (
	"math"
	"slices"
)

// Quantiles answers for the distribution of a latency of which some values were
// never reached: a call that failed or was cut first counts as "longer than
// anything seen". That is what P(reached by t | asked) means, and it keeps
// failures in the ranks (METRICS.md, "Failures are data").
//
// Where calls were cut at different times, some of them before values that
// others reached, this overstates the quantile; a Kaplan-Meier estimate would
// not.
type Quantiles struct {
	sorted []float64
	n      int
}

// NewQuantiles takes the values that were reached, in any unit, and how many
// more were asked for and never reached.
func NewQuantiles(reached []float64, never int) Quantiles {
	s := slices.Clone(reached)
	slices.Sort(s)
	return Quantiles{sorted: s, n: len(s) + never}
}

// N is how many were asked for.
func (q Quantiles) N() int { return q.n }

// Reached is how many of them came.
func (q Quantiles) Reached() int { return len(q.sorted) }

// At is the p-quantile, 0 < p <= 1: an observed value, the one of rank
// ceil(p*n) (type 1 in Hyndman and Fan, "Sample Quantiles in Statistical
// Packages", 1996). ok is false where that rank was never reached.
func (q Quantiles) At(p float64) (v float64, ok bool) {
	rank := int(math.Ceil(p*float64(q.n) - 1e-9))
	rank = max(rank, 1)
	if rank > len(q.sorted) {
		return 0, false
	}
	return q.sorted[rank-1], true
}

// Settled tells whether n observations bound the p-quantile on both sides with
// 95 % confidence, whatever the distribution: the chance that all of them fall
// on one side of it, max(p, 1-p)^n, must be at most 2.5 % (David and Nagaraja,
// "Order Statistics", 2003, section 7.1). METRICS.md states the n that follow:
// 6 (p50), 36 (p90), 72 (p95), 368 (p99).
func Settled(p float64, n int) bool {
	return n > 0 && math.Pow(max(p, 1-p), float64(n)) <= 0.025
}
