package stats

import (
	"math"
	"slices"
	"sort"

	"weir.dev/weir"
)

// Quantiles answers for the distribution of a latency of which some values were
// never reached: a call that failed or was cut first counts as "longer than
// anything seen". That is what P(reached by t | asked) means, and it keeps
// failures in the ranks (METRICS.md, "Failures are data").
//
// Where calls were cut at different times, some of them before values that
// others reached, this overstates the quantile; [Survival] does not.
type Quantiles struct {
	sorted []float64
	n      int
}

// NewQuantiles takes the values that were reached, in any unit, and how many
// more were asked for and never reached. A value of +Inf was never reached
// either.
func NewQuantiles(reached []float64, never int) Quantiles {
	s := slices.Clone(reached)
	slices.Sort(s)
	n := len(s) + never
	for len(s) > 0 && math.IsInf(s[len(s)-1], 1) {
		s = s[:len(s)-1]
	}
	return Quantiles{sorted: s, n: n}
}

// N is how many were asked for.
func (q Quantiles) N() int { return q.n }

// Reached is how many of them came.
func (q Quantiles) Reached() int { return len(q.sorted) }

// At is the p-quantile, 0 < p <= 1: an observed value, the one of rank
// ceil(p*n) (type 1 in Hyndman and Fan, "Sample Quantiles in Statistical
// Packages", 1996). ok is false where that rank was never reached.
func (q Quantiles) At(p float64) (v float64, ok bool) {
	return q.rank(type1(p, q.n)).Get()
}

// Interval is the distribution-free 95 % interval of the p-quantile: two
// observed ranks, by the binomial distribution of how many observations fall
// below the true quantile (David and Nagaraja, "Order Statistics", 2003,
// section 7.1). It assumes independent observations. A side is empty where n is
// too small for it (see [Settled]), or where its rank was never reached.
func (q Quantiles) Interval(p float64) Interval {
	lo, hi := orderRanks(q.n, p)
	return Interval{Lo: q.rank(lo), Hi: q.rank(hi)}
}

// rank is the r-th smallest, from 1.
func (q Quantiles) rank(r int) weir.Opt[float64] {
	if r < 1 || r > len(q.sorted) {
		return weir.None[float64]()
	}
	return weir.Some(q.sorted[r-1])
}

// Settled tells whether n observations bound the p-quantile on both sides with
// 95 % confidence, whatever the distribution: the chance that all of them fall
// on one side of it, max(p, 1-p)^n, must be at most 2.5 % (David and Nagaraja,
// "Order Statistics", 2003, section 7.1). METRICS.md states the n that follow:
// 6 (p50), 36 (p90), 72 (p95), 368 (p99).
func Settled(p float64, n int) bool {
	return n > 0 && math.Pow(max(p, 1-p), float64(n)) <= alpha/2
}

// type1 is the rank of the p-quantile of n values.
func type1(p float64, n int) int {
	return max(1, int(math.Ceil(p*float64(n)-1e-9)))
}

// orderRanks are the ranks that bound the p-quantile of n values: the highest
// that is above it with a chance of at most 2.5 %, and the lowest that is not
// above it with no more. The first is 0, the second n+1, where there is none.
func orderRanks(n int, p float64) (lo, hi int) {
	below := func(r int) float64 { return binomialCDF(r-1, n, p) } // P(fewer than r values fall below the quantile)
	lo = sort.Search(n, func(r int) bool { return below(r+1) > alpha/2 })
	hi = sort.Search(n+1, func(r int) bool { return below(r) >= 1-alpha/2 })
	return lo, hi
}
