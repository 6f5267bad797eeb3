package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// reachTruth is the p-quantile of a lognormal of which a share never comes.
func reachTruth(p, sigma, never float64) float64 {
	return math.Exp(sigma * normalQuantile(p/(1-never)))
}

func TestSimulationOrderStatistics(t *testing.T) {
	for i, c := range []struct {
		p float64
		n int
	}{{0.5, 20}, {0.5, 200}, {0.9, 100}, {0.95, 200}, {0.99, 1000}} {
		for _, never := range []float64{0, 0.05} {
			if p := c.p / (1 - never); p >= 1 {
				continue
			}
			name := fmt.Sprintf("01 order statistics, p%v of %d, %v %% failed: covers", 100*c.p, c.n, 100*never)
			expect(t, name, uint64(100+i), cheap, 0.94, 1, func(r *rand.Rand) bool {
				var reached []float64
				failed := 0
				for range c.n {
					if r.Float64() < never {
						failed++
					} else {
						reached = append(reached, lognormal(r, 0.5))
					}
				}
				return NewQuantiles(reached, failed).Interval(c.p).Holds(reachTruth(c.p, 0.5, never))
			})
		}
	}
}

// mixedLimits draws waits of which six in ten have one of three limits, the
// median, the 80 % and the 95 % point, and some fail.
func mixedLimits(r *rand.Rand, n int, sigma, fail float64) Latencies {
	var l Latencies
	for range n {
		limit := math.Inf(1)
		if r.Float64() < 0.6 {
			limit = math.Exp(sigma * []float64{0, 0.84, 1.64}[r.IntN(3)])
		}
		v := lognormal(r, sigma)
		switch {
		case r.Float64() < fail:
			l.Never++
		case v > limit:
			l.Cut = append(l.Cut, limit)
		default:
			l.Reached = append(l.Reached, v)
		}
	}
	return l
}

func TestSimulationKaplanMeier(t *testing.T) {
	const sigma, fail = 0.3, 0.0005
	truth := reachTruth(0.99, sigma, fail)
	near := func(v float64) bool { return math.Abs(v/truth-1) <= 0.1 }
	expect(t, "02 Kaplan-Meier, p99 of 2000, mixed limits: within 10 % of the truth", 201, cheap, 0.94, 1, func(r *rand.Rand) bool {
		v, ok := NewSurvival(mixedLimits(r, 2000, sigma, fail)).At(0.99).Get()
		return ok && near(v)
	})
	contrast("02 Kaplan-Meier, p99 of 2000: cut waits dropped: within 10 %", 201, func(r *rand.Rand) bool {
		l := mixedLimits(r, 2000, sigma, fail)
		v, ok := NewQuantiles(l.Reached, l.Never).At(0.99)
		return ok && near(v)
	})
	contrast("02 Kaplan-Meier, p99 of 2000: cut waits set to the limit: within 10 %", 201, func(r *rand.Rand) bool {
		l := mixedLimits(r, 2000, sigma, fail)
		v, ok := NewQuantiles(append(l.Reached, l.Cut...), l.Never).At(0.99)
		return ok && near(v)
	})
	for i, c := range []struct {
		p float64
		n int
	}{{0.5, 30}, {0.9, 100}, {0.95, 300}, {0.99, 2000}} {
		name := fmt.Sprintf("02 Kaplan-Meier, p%v of %d, mixed limits: interval covers", 100*c.p, c.n)
		expect(t, name, uint64(210+i), cheap, 0.94, 1, func(r *rand.Rand) bool {
			return NewSurvival(mixedLimits(r, c.n, sigma, fail)).Interval(c.p).Holds(reachTruth(c.p, sigma, fail))
		})
	}
}

func TestSimulationWilson(t *testing.T) {
	expect(t, "03 Wilson, success of 80 to 100 %, n of 20 to 500: covers", 301, cheap, 0.935, 0.97, func(r *rand.Rand) bool {
		p, n, k := 0.8+0.2*r.Float64(), 20+r.IntN(480), 0
		for range n {
			if r.Float64() < p {
				k++
			}
		}
		return Rate{k, n}.Interval().Holds(p)
	})
	expect(t, "03 Newcombe, difference of two such: covers", 302, cheap, 0.935, 0.975, func(r *rand.Rand) bool {
		p, q, n, m := 0.8+0.2*r.Float64(), 0.8+0.2*r.Float64(), 20+r.IntN(480), 20+r.IntN(480)
		a, b := Rate{0, n}, Rate{0, m}
		for range n {
			if r.Float64() < p {
				a.K++
			}
		}
		for range m {
			if r.Float64() < q {
				b.K++
			}
		}
		_, i := a.Minus(b)
		return i.Holds(p - q)
	})
}

func TestSimulationPooledGaps(t *testing.T) {
	const between, within, gaps = 0.3, 0.5, 64
	draw := func(r *rand.Rand, n int) [][]float64 {
		requests := make([][]float64, n)
		for i := range requests {
			own := between * r.NormFloat64()
			for range gaps/2 + r.IntN(gaps) {
				requests[i] = append(requests[i], math.Exp(own+within*r.NormFloat64()))
			}
		}
		return requests
	}
	for i, c := range []struct {
		p float64
		n int
	}{{0.5, 50}, {0.95, 100}, {0.99, 400}} {
		truth := math.Exp(math.Hypot(between, within) * normalQuantile(c.p))
		name := fmt.Sprintf("04 gaps, p%v over %d requests", 100*c.p, c.n)
		seed := uint64(400 + i)
		expect(t, name+": interval by requests covers", seed, dear, 0.93, 0.97, func(r *rand.Rand) bool {
			_, i := PooledQuantile(draw(r, c.n), c.p, r)
			return i.Closed() && i.Holds(truth)
		})
		contrast(name+": interval by gaps covers", seed, func(r *rand.Rand) bool {
			var all []float64
			for _, own := range draw(r, c.n) {
				all = append(all, own...)
			}
			return NewQuantiles(all, 0).Interval(c.p).Holds(truth)
		})
	}
}

func TestSimulationComparison(t *testing.T) {
	laps, steady, short, many := anHour(), anHour(), anHour(), anHour()
	laps.lasts = 5
	many.blocks, many.every, many.lasts = 400, 3, 3
	steady.own = 0
	short.every, short.lasts = 60, 60
	for i, c := range []struct {
		name string
		w    world
	}{
		{"20 blocks in an hour, load wanders over 60 s", anHour()},
		{"20 laps of 5 s in an hour, load wanders over 60 s", laps},
		{"20 blocks in an hour, steady", steady},
		{"20 blocks in 20 minutes, load wanders over 60 s", short},
		{"400 laps in 20 minutes, load wanders over 60 s", many},
	} {
		seed := uint64(500 + i)
		span := time.Duration(c.w.every*float64(c.w.blocks)) * time.Second
		lo, hi, false5 := 0.93, 0.97, 0.06
		if c.w.every < 180 {
			lo, false5 = 0.9, 0.07 // a block is as short as the load's memory: docs/statistics.md says what that costs
		}
		expect(t, "05 "+c.name+", equal: false verdicts", seed, dear, 0, false5, func(r *rand.Rand) bool {
			pairs, _, _ := c.w.pairs(r, 1)
			got := Compare(pairs, span, r)
			return got.Differs(got.P.Or(1))
		})
		contrast("05 "+c.name+", equal: Mann-Whitney on pooled requests says different", seed, func(r *rand.Rand) bool {
			_, a, b := c.w.pairs(r, 1)
			return mannWhitney(a, b) <= alpha
		})
		expect(t, "05 "+c.name+", 10 % slower: interval covers", seed, dear, lo, hi, func(r *rand.Rand) bool {
			pairs, _, _ := c.w.pairs(r, 1.1)
			return Compare(pairs, span, r).Interval.Holds(1.1)
		})
		contrast("05 "+c.name+", 25 % slower: found", seed, func(r *rand.Rand) bool {
			pairs, _, _ := c.w.pairs(r, 1.25)
			got := Compare(pairs, span, r)
			return got.Differs(got.P.Or(1))
		})
	}
}

func TestSimulationPower(t *testing.T) {
	w := anHour()
	mean, n := 0.0, 100
	for i := range n {
		r := rand.New(rand.NewPCG(600, uint64(i)))
		pairs, _, _ := w.pairs(r, 1)
		mean += Compare(pairs, time.Hour, r).Detectable.Or(0) / float64(n)
	}
	name := fmt.Sprintf("06 power: %.0f %% slower, the difference said to be seen with 80 %%: found", 100*mean)
	expect(t, name, 601, dear, 0.75, 0.9, func(r *rand.Rand) bool {
		pairs, _, _ := w.pairs(r, 1+mean)
		got := Compare(pairs, time.Hour, r)
		return got.Differs(got.P.Or(1))
	})
}

func TestSimulationManyTargets(t *testing.T) {
	w := anHour()
	expect(t, "07 four equal targets, Holm: any false verdict", 701, dear, 0, 0.06, func(r *rand.Rand) bool {
		medians, _ := w.run(r, 1, 1, 1, 1)
		for _, d := range Duels(medians, time.Hour, r) {
			if d.Differs() {
				return true
			}
		}
		return false
	})
	contrast("07 four equal targets, without Holm: any false verdict", 701, func(r *rand.Rand) bool {
		medians, _ := w.run(r, 1, 1, 1, 1)
		for _, d := range Duels(medians, time.Hour, r) {
			if d.Comparison.Differs(d.P.Or(1)) {
				return true
			}
		}
		return false
	})
	expect(t, "07 five targets, 0 to 40 % slower: all rank intervals hold the true rank", 702, dear, 0.94, 1, func(r *rand.Rand) bool {
		medians, _ := w.run(r, 1, 1.05, 1.1, 1.2, 1.4)
		for i, rank := range Ranks(5, Duels(medians, time.Hour, r), false) {
			if i+1 < rank.Best || i+1 > rank.Worst {
				return false
			}
		}
		return true
	})
	expect(t, "07 spread of five targets, 29 %: interval covers", 703, dear, 0.94, 1, func(r *rand.Rand) bool {
		medians, _ := w.run(r, 1, 1.05, 1.1, 1.2, 1.4)
		return SpreadOf(medians, r).Interval.Holds(1 - 1/1.4)
	})
	expect(t, "07 spread of five equal targets: above what chance alone is said to give", 704, dear, 0.4, 0.6, func(r *rand.Rand) bool {
		medians, _ := w.run(r, 1, 1, 1, 1, 1)
		s := SpreadOf(medians, r)
		return s.Value.Or(0) > s.Chance.Or(1)
	})
}

func TestSimulationSequences(t *testing.T) {
	const looks = 3000
	for i, p := range []float64{0.5, 0.95, 0.99} {
		type pair struct{ lo, hi int }
		anytime, once := make([]pair, looks+1), make([]pair, looks+1)
		for n := 1; n <= looks; n++ {
			anytime[n].lo, anytime[n].hi = anytimeRanks(n, p, mixRequests)
			once[n].lo, once[n].hi = orderRanks(n, p)
		}
		misses := func(ranks []pair) func(*rand.Rand) bool {
			return func(r *rand.Rand) bool {
				below := 0 // the true quantile lies between the below-th value and the next
				for n := 1; n <= looks; n++ {
					if r.Float64() < p {
						below++
					}
					if below < ranks[n].lo || below >= ranks[n].hi {
						return true
					}
				}
				return false
			}
		}
		name := fmt.Sprintf("08 p%v looked at after each of %d requests: ", 100*p, looks)
		expect(t, name+"confidence sequence ever misses", uint64(800+i), cheap, 0, 0.05, misses(anytime))
		contrast(name+"the interval for one look ever misses", uint64(800+i), misses(once))
	}
	w := anHour()
	w.blocks = 120
	early := func(ratio float64) func(*rand.Rand) bool {
		return func(r *rand.Rand) bool {
			pairs, _, _ := w.pairs(r, ratio)
			for n := 2; n <= len(pairs); n += 2 {
				if i := Early(pairs[:n], 2); !i.Holds(1) {
					return true
				}
			}
			return false
		}
	}
	expect(t, "09 early stop, equal, up to 6 hours, looked at each 6 minutes: false verdicts", 901, cheap, 0, 0.06, early(1))
	contrast("09 early stop, 25 % slower: found within 6 hours", 901, early(1.25))
}
