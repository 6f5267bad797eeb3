package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"weir.dev/weir"
)

// bootstrapHL is the 95 % interval of the Hodges-Lehmann centre of blocks in
// order of time. Whole stretches of neighbours are drawn, the last block being
// the first one's neighbour, so that each block is as likely as any other
// (Politis and Romano, "A Circular Block-Resampling Procedure for Stationary
// Data", 1992); a stretch is as long as the runs of dependence.
//
// The percentile interval of so few blocks is too narrow. As in Hesterberg,
// "What Teachers Should Know About the Bootstrap", 2015, it is widened about the
// centre by Student's t over the normal quantile, with one degree of freedom
// less than there are runs; and by the root of the runs' residual dependence.
func bootstrapHL(d []float64, center float64, dep dependence, rng *rand.Rand) (lo, hi float64) {
	n := len(d)
	length := (n + dep.runs - 1) / dep.runs
	drawn, centers := make([]float64, n), make([]float64, resamples)
	var buf []float64
	for b := range centers {
		for i := 0; i < n; i += length {
			from := rng.IntN(n)
			for j := range min(length, n-i) {
				drawn[i+j] = d[(from+j)%n]
			}
		}
		centers[b], buf = hodgesLehmann(drawn, buf)
	}
	below, above := middle95(centers)
	wider := studentQuantile(1-alpha/2, float64(dep.runs-1)) / normalQuantile(1-alpha/2) * math.Sqrt(dep.residual)
	return center - wider*(center-below), center + wider*(above-center)
}

// middle95 sorts the values and returns the 2.5 % and 97.5 % ranks.
func middle95(values []float64) (lo, hi float64) {
	slices.Sort(values)
	n := len(values)
	r := type1(alpha/2, n)
	return values[r-1], values[n-r]
}

// PooledQuantile is the p-quantile (type 1) of what many requests brought
// together, such as all gaps between events, and its 95 % interval. The values
// of one request are alike, so requests are drawn and never values (the cluster
// bootstrap; Davison and Hinkley, "Bootstrap Methods and Their Application",
// 1997, section 3.8), which assumes that requests are independent of each other.
// The percentile interval is widened by Student's t over the normal quantile for
// the number of requests.
//
// Both sides are empty with fewer requests than a two-sided interval of the
// quantile needs values (see [Settled]); the estimate is empty without values.
func PooledQuantile(requests [][]float64, p float64, rng *rand.Rand) (weir.Opt[float64], Interval) {
	all := newPool(requests)
	n := len(all.sizes)
	if n == 0 {
		return weir.None[float64](), Interval{}
	}
	times := slices.Repeat([]int{1}, n)
	estimate := all.quantile(p, times)
	if !Settled(p, n) {
		return weir.Some(estimate), Interval{}
	}
	drawn := make([]float64, resamples)
	for b := range drawn {
		clear(times)
		for range n {
			times[rng.IntN(n)]++
		}
		drawn[b] = all.quantile(p, times)
	}
	lo, hi := middle95(drawn)
	wider := studentQuantile(1-alpha/2, float64(n-1)) / normalQuantile(1-alpha/2)
	return weir.Some(estimate), Between(estimate-wider*(estimate-lo), estimate+wider*(hi-estimate))
}
