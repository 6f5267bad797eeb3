package stats

import (
	"math"
	"testing"
)

// Values of printed tables: Abramowitz and Stegun 26.1 and 26.10; NIST/SEMATECH
// e-Handbook of Statistical Methods 1.3.6.7.2 (t) and tables of the binomial.
func TestDistributionsMatchTables(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
		digits    float64
	}{
		{"normal 97.5 %", normalQuantile(0.975), 1.959964, 6},
		{"normal 99.9 %", normalQuantile(0.999), 3.090232, 6},
		{"normal 20 %", normalQuantile(0.2), -0.841621, 6},
		{"normal below 1.5", normalCDF(1.5), 0.933193, 6},
		{"t 97.5 %, 1 df", studentQuantile(0.975, 1), 12.706, 3},
		{"t 97.5 %, 9 df", studentQuantile(0.975, 9), 2.262, 3},
		{"t 80 %, 10 df", studentQuantile(0.8, 10), 0.879, 3},
		{"t 97.5 %, 120 df", studentQuantile(0.975, 120), 1.980, 3},
		{"t 2.5 %, 9 df", studentQuantile(0.025, 9), -2.262, 3},
		{"binomial 5 of 10, half", binomialCDF(5, 10, 0.5), 0.623047, 6},
		{"binomial 1 of 20, 5 %", binomialCDF(1, 20, 0.05), 0.735840, 6},
		{"binomial 19 of 20, 95 %", binomialCDF(19, 20, 0.95), 1 - math.Pow(0.95, 20), 12},
		{"binomial, no one", binomialCDF(-1, 20, 0.5), 0, 12},
		{"binomial, all", binomialCDF(20, 20, 0.5), 1, 12},
		{"beta(2, 3) below 0.4", betaCDF(0.4, 2, 3), 0.5248, 6},
		{"beta(1/2, 1/2) below 1/4", betaCDF(0.25, 0.5, 0.5), 1.0 / 3, 9},
	} {
		if math.Abs(c.got-c.want) > 0.51*math.Pow(10, -c.digits) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// Sums of exact terms hold the continued fraction where n is large.
func TestBinomialOfManyIsTheSumOfItsTerms(t *testing.T) {
	const n, p = 100_000, 0.99
	sum := 0.0
	for k := 98_500; k <= 99_040; k++ {
		ln, _ := math.Lgamma(n + 1)
		lk, _ := math.Lgamma(float64(k + 1))
		lr, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(ln - lk - lr + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	if got := binomialCDF(99_040, n, p); math.Abs(got-sum) > 1e-7 {
		t.Errorf("%v, the terms add up to %v", got, sum)
	}
}
