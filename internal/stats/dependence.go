package stats

import "math"

// What dependence between neighbours does to a comparison.
const (
	unlike            = 0.1  // below this correlation of neighbours each block is a run of its own
	runsWhenDependent = 10   // else so many runs of neighbours: they leave 512 permutations, and cost 8 % of width against infinitely many
	caution           = 0.75 // standard errors by which the test takes the correlation higher than estimated
)

// dependence is how much less the blocks of a run say than so many independent
// ones.
type dependence struct {
	runs     int     // runs of neighbouring blocks that are taken as one
	residual float64 // variance that correlation between such runs adds: 1 is none
	cautious float64 // the same, as the test takes it
	all      float64 // variance that correlation between single blocks adds
}

// dependenceOf estimates it from the blocks' signed ranks about their centre,
// as if they were a first-order autoregression. The lag-1 correlation of a
// short series is too small by about (1+3r)/n, which is put back (Kendall, "Note
// on Bias in the Estimation of Autocorrelation", 1954); below 0 it is taken as
// 0. Ranks keep one outage from deciding it.
//
// The runs are "few clusters" in the sense of Canay, Romano and Shaikh,
// "Randomization Tests Under an Approximate Symmetry Assumption", 2017; that
// neighbouring runs are still a little alike is made up for by residual. From 20
// blocks the correlation is known only roughly, and a false verdict is made
// where it happens to look small: hence the test's caution.
func dependenceOf(scores []float64) dependence {
	n := float64(len(scores))
	r := lag1(scores)
	r = min(max(r+(1+3*r)/n, 0), 0.95)
	d := dependence{runs: len(scores), all: spreadOfSum(r, n)}
	if r > unlike {
		d.runs = min(d.runs, runsWhenDependent)
	}
	run := n / float64(d.runs)
	d.residual = d.all / spreadOfSum(r, run)
	high := min(r+caution*math.Sqrt((1-r*r)/n), 0.95)
	d.cautious = spreadOfSum(high, n) / spreadOfSum(high, run)
	return d
}

// seen is the shift that the test finds with 80 % power, in halves of the
// interval's width: what it must exceed, and what it falls short of in one of
// five runs (Bloom, "Minimum Detectable Effects", 1995).
func (d dependence) seen() float64 {
	df := float64(d.runs - 1)
	return math.Sqrt(d.cautious/d.residual) + studentQuantile(powerAsked, df)/studentQuantile(1-alpha/2, df)
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
