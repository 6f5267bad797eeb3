package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// first takes the first n due times, or all there are.
func first(s *Shape, seed uint64, n int) (dues []time.Duration) {
	for at := range s.Dues(seed) {
		if len(dues) == n {
			return dues
		}
		dues = append(dues, at)
	}
	return dues
}

func steps(t *testing.T, text string) []Step {
	t.Helper()
	s, err := ParseSchedule(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDues(t *testing.T) {
	sec := time.Second
	for _, c := range []struct {
		name  string
		shape *Shape
		n     int
		want  []time.Duration
	}{
		{"constant", Constant(4), 5, []time.Duration{0, 250 * ms, 500 * ms, 750 * ms, sec}},
		{"a third", Constant(3), 4, []time.Duration{0, 333_333_333, 666_666_667, sec}},
		{"slow", Constant(0.1), 3, []time.Duration{0, 10 * sec, 20 * sec}},
		{"steps", &Shape{Steps: steps(t, "1@2s,4@1s,0@10s,2@1s")}, 99, []time.Duration{0, sec, 2 * sec, 2250 * ms, 2500 * ms, 2750 * ms, 13 * sec, 13500 * ms}},
		{"an open end", &Shape{Steps: steps(t, "1@1s,10")}, 4, []time.Duration{0, sec, 1100 * ms, 1200 * ms}},
		{"a pause first", &Shape{Steps: steps(t, "0@5s,1@2s")}, 9, []time.Duration{5 * sec, 6 * sec}},
		{"half a gap is carried over", &Shape{Steps: steps(t, "1@1500ms,2@2s")}, 9, []time.Duration{0, sec, 1750 * ms, 2250 * ms, 2750 * ms, 3250 * ms}},
		{"a trace", Replay([]Item{{At: 0}, {At: 3}, {At: 3}}), 9, []time.Duration{0, 3, 3}},
	} {
		if got := first(c.shape, 1, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestM28DueTimesAreAbsolute: a rate does not sag over 10,000 arrivals.
func TestM28DueTimesAreAbsolute(t *testing.T) {
	for _, rate := range []float64{0.3, 7, 200, 2000, 99_999} {
		dues := first(Constant(rate), 1, 10_001)
		if got := meanRate(dues); math.Abs(got/rate-1) > 1e-6 {
			t.Errorf("asked %v per second, drawn %v", rate, got)
		}
	}
}

func TestSeeds(t *testing.T) {
	for _, s := range []*Shape{Poisson(10), Gamma(10, 0.3), {Steps: steps(t, "5@10s,50"), Burstiness: 1}} {
		a, b, other := first(s, 7, 1000), first(s, 7, 1000), first(s, 8, 1000)
		if !slices.Equal(a, b) || slices.Equal(a, other) {
			t.Errorf("%v: a seed must say it all", s)
		}
		if !slices.IsSorted(a) {
			t.Errorf("%v: time goes back", s)
		}
	}
}

// TestRatesOverSeeds: the arrivals within a time, over many seeds, are as many
// and scatter as much as the distribution says. Chi-square of 400 counts with
// an expectation of 200 each has mean 400 and deviation 28, times the
// distribution's dispersion.
func TestRatesOverSeeds(t *testing.T) {
	const seeds, expect = 400, 200.0
	for _, c := range []struct {
		name       string
		shape      Shape
		span       time.Duration
		dispersion float64 // variance of counts by their mean
	}{
		{"Poisson", *Poisson(20), 10 * time.Second, 1},
		{"Poisson in steps", Shape{Steps: steps(t, "5@20s,50@2s"), Burstiness: 1}, 22 * time.Second, 1},
		{"bursts", *Gamma(20, 0.5), 10 * time.Second, 2},
		{"great bursts", *Gamma(20, 0.1), 10 * time.Second, 10},
		{"more regular than chance", *Gamma(20, 4), 10 * time.Second, 0.25},
	} {
		chi, all := 0.0, 0.0
		for seed := range uint64(seeds) {
			n := 0.0
			for at := range c.shape.Dues(seed) {
				if at >= c.span {
					break
				}
				n++
			}
			chi += (n - expect) * (n - expect) / expect
			all += n
		}
		if ratio := chi / c.dispersion / seeds; ratio < 0.8 || ratio > 1.2 { // +-2.8 deviations
			t.Errorf("%s: chi-square %.0f, want about %.0f", c.name, chi, c.dispersion*seeds)
		}
		if off := (all/seeds - expect) / math.Sqrt(expect*c.dispersion/seeds); math.Abs(off) > 3 {
			t.Errorf("%s: %.2f arrivals in the mean, want %.0f (%.1f deviations off)", c.name, all/seeds, expect, off)
		}
	}
}

// TestGaps: the gaps themselves have the distribution's shape: chi-square over
// 20 classes of equal probability, 19 degrees of freedom, p = 0.001 at 43.8.
func TestGaps(t *testing.T) {
	const n, classes = 20_000, 20
	dues := first(Poisson(1), 3, n)
	var counts [classes]float64
	for i := 1; i < n; i++ {
		p := 1 - math.Exp(-(dues[i] - dues[i-1]).Seconds())
		counts[min(int(p*classes), classes-1)]++
	}
	chi := 0.0
	for _, c := range counts {
		chi += (c - (n-1)/classes) * (c - (n-1)/classes) / ((n - 1) / classes)
	}
	if chi > 43.8 {
		t.Errorf("Poisson: chi-square %.1f", chi)
	}
	for _, b := range []float64{0.05, 0.3, 0.99, 1, 2.5, 100} {
		sum, squares := 0.0, 0.0
		gap, _ := gaps(5, b)
		for range 100_000 {
			g := gap()
			sum += g
			squares += g * g
		}
		mean := sum / 100_000
		spread := (squares/100_000 - mean*mean) * b // a gamma's variance is mean²/shape
		if math.Abs(mean-1) > 0.05 || math.Abs(spread-1) > 0.1 {
			t.Errorf("burstiness %v: mean %.3f, variance %.3f of what it should be", b, mean, spread)
		}
	}
}

func TestAskedRate(t *testing.T) {
	for _, c := range []struct {
		shape *Shape
		n     int
		d     time.Duration
		want  float64
	}{
		{Poisson(7), 100, 0, 7},
		{Poisson(7), 0, time.Minute, 7},
		{&Shape{Steps: steps(t, "10@30s,50@1m")}, 0, 90 * time.Second, 3300.0 / 90},
		{&Shape{Steps: steps(t, "10@30s,50@1m")}, 0, time.Minute, 30},
		{&Shape{Steps: steps(t, "10@30s,50@1m")}, 550, 0, 550.0 / 35},
		{&Shape{Steps: steps(t, "10@30s,50")}, 0, time.Minute, 30},
		{Replay([]Item{{At: 0}, {At: time.Second}, {At: 2 * time.Second}, {At: 10 * time.Second}}), 3, 0, 1},
	} {
		if got := c.shape.Rate(c.n, c.d); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%v, %d requests, %v: %v, want %v", c.shape, c.n, c.d, got, c.want)
		}
	}
}

func TestShapeNames(t *testing.T) {
	for want, s := range map[string]*Shape{
		"10 req/s, constant":                  Constant(10),
		"0.5 req/s, Poisson":                  Poisson(0.5),
		"8 req/s, gamma with burstiness 0.25": Gamma(8, 0.25),
		"10@30s,50@1m0s req/s, Poisson":       {Steps: steps(t, "10@30s, 50@1m"), Burstiness: 1},
		"trace of 2 requests over 1s (":       Replay([]Item{{}, {At: time.Second}}),
	} {
		if got := s.String(); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBadShapes(t *testing.T) {
	for _, text := range []string{"", "x", "10@", "10@x", "10@-5s", "10@0s", "-1@5s", "10@5s,", "10,20@5s", "NaN@5s", "1e9@5s", "Inf", "0", "0@5s", "0@5s,0@6s", "5@5s,0", "5@9999999h"} {
		if _, err := ParseSchedule(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	for _, s := range []*Shape{{}, Gamma(1, -1), Gamma(1, math.NaN()), Gamma(1, 1e-9), {Offsets: []time.Duration{5, 3}}, {Offsets: []time.Duration{-1}}, {Offsets: []time.Duration{1}, Steps: []Step{{Rate: 1}}}} {
		if s.check() == nil {
			t.Errorf("%+v was taken", s)
		}
	}
	if err := fmt.Sprint(Gamma(1, -1).check()); !strings.Contains(err, "1 is Poisson") {
		t.Error(err)
	}
}
