package stats

import (
	"math"

	"weir.dev/weir"
)

// Rate is k of n.
type Rate struct{ K, N int }

// Share is k/n, empty where n is 0.
func (r Rate) Share() weir.Opt[float64] {
	if r.N <= 0 {
		return weir.None[float64]()
	}
	return weir.Some(float64(r.K) / float64(r.N))
}

// Interval is Wilson's 95 % score interval (Wilson, "Probable Inference, the Law
// of Succession, and Statistical Inference", 1927). It assumes independent
// trials; its level holds on average, also near 0 and 1, where k/n plus or minus
// two standard errors fails.
func (r Rate) Interval() Interval {
	if r.N <= 0 {
		return Interval{}
	}
	z, n, p := normalQuantile(1-alpha/2), float64(r.N), float64(r.K)/float64(r.N)
	mid := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	lo, hi := max(0, mid-half), min(1, mid+half)
	if r.K <= 0 { // what rounding leaves of 0 and 1 would be printed
		lo = 0
	}
	if r.K >= r.N {
		hi = 1
	}
	return Between(lo, hi)
}

// Minus is the difference of two rates with Newcombe's interval from the two of
// Wilson (Newcombe, "Interval Estimation for the Difference Between Independent
// Proportions", 1998, method 10). Both are empty where either n is 0.
func (r Rate) Minus(other Rate) (weir.Opt[float64], Interval) {
	a, ok1 := r.Share().Get()
	b, ok2 := other.Share().Get()
	if !ok1 || !ok2 {
		return weir.None[float64](), Interval{}
	}
	x, y := r.Interval(), other.Interval()
	lo := math.Hypot(a-x.Lo.Or(0), y.Hi.Or(1)-b)
	hi := math.Hypot(x.Hi.Or(1)-a, b-y.Lo.Or(0))
	return weir.Some(a - b), Between(a-b-lo, a-b+hi)
}
