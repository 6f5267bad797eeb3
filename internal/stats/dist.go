package stats

import "math"

// normalCDF is the distribution function of the standard normal.
func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// normalQuantile is its inverse, 0 < p < 1.
func normalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }

// betaCDF is the regularised incomplete beta function I_x(a, b), a, b > 0: the
// distribution function of Beta(a, b). It evaluates the continued fraction of
// the NIST Digital Library of Mathematical Functions, 8.17.22, by Lentz's
// method, on the side of the mean where that converges fast.
func betaCDF(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - betaCDF(1-x, b, a)
	}
	front := math.Exp(a*math.Log(x)+b*math.Log1p(-x)-logBeta(a, b)) / a
	const tiny = 1e-300
	c, d := 1.0, 1-(a+b)*x/(a+1)
	if math.Abs(d) < tiny {
		d = tiny
	}
	d = 1 / d
	f := d
	step := func(v float64) float64 {
		d = 1 / nonZero(1+v*d, tiny)
		c = nonZero(1+v/c, tiny)
		f *= d * c
		return d * c
	}
	for i := 1.0; i < 20_000; i++ {
		step(i * (b - i) * x / ((a + 2*i - 1) * (a + 2*i)))
		if math.Abs(step(-(a+i)*(a+b+i)*x/((a+2*i)*(a+2*i+1)))-1) < 1e-15 {
			break
		}
	}
	return front * f
}

func nonZero(v, tiny float64) float64 {
	if math.Abs(v) < tiny {
		return tiny
	}
	return v
}

func logBeta(a, b float64) float64 {
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	return la + lb - lab
}

// binomialCDF is P(Bin(n, p) <= k), by its relation to the beta distribution
// (DLMF 8.17.5).
func binomialCDF(k, n int, p float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	}
	return betaCDF(1-p, float64(n-k), float64(k+1))
}

// studentCDF is the distribution function of Student's t with df degrees of
// freedom, by its relation to the beta distribution (Abramowitz and Stegun
// 26.7.1).
func studentCDF(t, df float64) float64 {
	tail := betaCDF(df/(df+t*t), df/2, 0.5) / 2
	if t > 0 {
		return 1 - tail
	}
	return tail
}

// studentQuantile is its inverse, 0 < p < 1, by bisection.
func studentQuantile(p, df float64) float64 {
	lo, hi := -1e6, 1e6
	for range 100 {
		mid := lo + (hi-lo)/2
		if studentCDF(mid, df) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
