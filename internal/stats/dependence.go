package stats

import "math"

// runsWhenDependent is how many runs of neighbouring blocks change names as one
// where neighbours resemble each other, and unlike is the correlation below
// which they do not and each block is a run of its own. Ten runs leave 512
// permutations and cost 8 % of width against infinitely many.
const (
	runsWhenDependent = 10
	unlike            = 0.1
)

// dependence is how much less the blocks of a run say than so many independent
// ones.
type dependence struct {
	runs     int     // runs of neighbouring blocks that are taken as one
	residual float64 // variance that correlation between such runs adds: 1 is none
	all      float64 // variance that correlation between single blocks adds
}

// dependenceOf estimates it from the blocks' signed ranks about their centre,
// as if they were a first-order autoregression. The lag-1 correlation of a
// short series is too small by about (1+3r)/n, which is put back (Kendall, "Note
// on Bias in the Estimation of Autocorrelation", 1954); below 0 it is taken as
// 0. Where it counts it is taken a quarter of its standard error higher, since
// too little costs more than too much. Ranks keep one outage from deciding it.
//
// The runs are "few clusters" in the sense of Canay, Romano and Shaikh,
// "Randomization Tests Under an Approximate Symmetry Assumption", 2017; that
// neighbouring runs are still a little alike is made up for by residual.
func dependenceOf(scores []float64) dependence {
	n := len(scores)
	r := lag1(scores)
	r = min(max(r+(1+3*r)/float64(n), 0), 0.95)
	d := dependence{runs: n}
	if r > unlike {
		d.runs = min(n, runsWhenDependent)
		r += 0.25 * math.Sqrt((1-r*r)/float64(n))
	}
	d.all = spreadOfSum(r, float64(n))
	d.residual = d.all / spreadOfSum(r, float64(n)/float64(d.runs))
	return d
}

// lag1 is the correlation of neighbours, 0 where all are equal.
func lag1(x []float64) float64 {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	var own, next float64
	for i, v := range x {
		own += (v - mean) * (v - mean)
		if i > 0 {
			next += (v - mean) * (x[i-1] - mean)
		}
	}
	if own == 0 {
		return 0
	}
	return next / own
}

// spreadOfSum is the variance of a sum of n values with lag-k correlation r^k,
// as a multiple of that of n independent ones.
func spreadOfSum(r, n float64) float64 {
	v := 1.0
	for k := 1.0; k < n; k++ {
		v += 2 * (1 - k/n) * math.Pow(r, k)
	}
	return v
}
