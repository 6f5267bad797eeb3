package stats

import (
	"math"

	"weir.dev/weir"
)

// Mean is the mean of independent values, such as one figure from each of
// several runs, with Student's 95 % interval. It assumes that they are about
// normal, which figures of whole runs are. Empty without values; with one, the
// interval is.
func Mean(values []float64) (weir.Opt[float64], Interval) {
	if len(values) == 0 {
		return weir.None[float64](), Interval{}
	}
	n, mean, squares := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	if len(values) == 1 {
		return weir.Some(mean), Interval{}
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	half := studentQuantile(1-alpha/2, n-1) * math.Sqrt(squares/(n-1)/n)
	return weir.Some(mean), Between(mean-half, mean+half)
}
