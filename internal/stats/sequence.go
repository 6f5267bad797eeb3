package stats

import (
	"math"
	"sort"

	"weir.dev/weir"
)

// How sharp a confidence sequence is at which n: the weight of the mixture, in
// observations. The first is sharpest around some hundred requests, the second
// around a dozen blocks.
const (
	mixRequests = 32
	mixBlocks   = 4
)

// Anytime is a 95 % confidence sequence for the p-quantile: an interval that may
// be looked at after every observation and acted on when one likes, since the
// chance that it ever excludes the truth, over the whole path, is at most 5 %.
// It is wider than [Quantiles.Interval], which holds for one look.
//
// How many of n observations lie below the true quantile is a sum of coin
// throws, so the ratio of a beta mixture to the truth is a martingale, and
// Ville's inequality bounds it (Robbins, "Statistical Methods Related to the Law
// of the Iterated Logarithm", 1970; Howard and Ramdas, "Sequential Estimation of
// Quantiles with Applications to A/B Testing and Best-Arm Identification", 2022,
// section 3, the beta-binomial bound). It assumes independent observations that
// enter in the order in which they were begun, whatever came of them: those that
// end first are not a sample.
func (q Quantiles) Anytime(p float64) Interval { return q.anytime(p, mixRequests) }

func (q Quantiles) anytime(p, weight float64) Interval {
	lo, hi := anytimeRanks(q.n, p, weight)
	return Interval{Lo: q.rank(lo), Hi: q.rank(hi)}
}

// anytimeRanks are the ranks between which the quantile lies.
func anytimeRanks(n int, p, weight float64) (lo, hi int) {
	a, b := weight*p, weight*(1-p)
	out := func(k int) bool { // k below the quantile is more than chance allows
		x, y := float64(k), float64(n-k)
		return logBeta(a+x, b+y)-logBeta(a, b)-x*math.Log(p)-y*math.Log1p(-p) >= -math.Log(alpha)
	}
	middle := int(math.Round(p * float64(n)))
	lo = sort.Search(middle, func(k int) bool { return !out(k) })
	hi = middle + sort.Search(n+1-middle, func(i int) bool { return out(middle + i) })
	return lo, hi
}

// Precision is half an interval's width as a share of the value, what
// `--until ttft_p50=5%` waits for. It is empty where the interval is open-ended
// or the value 0.
func Precision(value float64, i Interval) weir.Opt[float64] {
	lo, ok1 := i.Lo.Get()
	hi, ok2 := i.Hi.Get()
	if !ok1 || !ok2 || value == 0 {
		return weir.None[float64]()
	}
	return weir.Some((hi - lo) / 2 / math.Abs(value))
}

// Early is a 95 % confidence sequence for the ratio B/A of blocks: a comparison
// may be stopped as soon as it excludes 1, and a difference is found then. The
// ratio is the median over groups of so many neighbouring blocks, a group's
// value the median of its blocks; the last group counts when it is full. The
// groups must be far enough apart to be independent: where load wanders over a
// minute, some minutes.
func Early(blocks []Pair, group int) Interval {
	logs, _ := logRatios(blocks)
	group = max(group, 1)
	whole := logs[:len(logs)-len(logs)%group]
	i := NewQuantiles(fold(whole, len(whole)/group), 0).anytime(0.5, mixBlocks)
	return Interval{Lo: ratioOf(i.Lo), Hi: ratioOf(i.Hi)}
}
