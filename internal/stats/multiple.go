package stats

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// Holm adjusts the p values of one family of tests, such as all pairs of targets
// and all metrics of a table, so that the chance of even one false verdict among
// them stays 5 %, however they depend on each other (Holm, "A Simple
// Sequentially Rejective Multiple Test Procedure", 1979). The order stays.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out, most := make([]float64, len(p)), 0.0
	for rank, i := range order {
		most = max(most, min(1, float64(len(p)-rank)*p[i]))
		out[i] = most
	}
	return out
}

// Duel is the comparison of two of several targets, by their numbers.
type Duel struct {
	A, B int
	Comparison
	Adjusted float64 // P after Holm over the family; 1 where there is no P
}

// Duels compares each target with each other. medians has, for each target, its
// medians by block; the blocks are the same for all. The P are adjusted for these
// pairs; with more than one metric call [Adjust] on all of them.
func Duels(medians [][]float64, span time.Duration, rng *rand.Rand) []Duel {
	var duels []Duel
	for a := range medians {
		for b := a + 1; b < len(medians); b++ {
			pairs := make([]Pair, min(len(medians[a]), len(medians[b])))
			for i := range pairs {
				pairs[i] = Pair{medians[a][i], medians[b][i]}
			}
			duels = append(duels, Duel{A: a, B: b, Comparison: Compare(pairs, span, rng)})
		}
	}
	Adjust(duels)
	return duels
}

// Adjust sets Adjusted over all the families together.
func Adjust(families ...[]Duel) {
	var p []float64
	for _, duels := range families {
		for _, d := range duels {
			p = append(p, d.P.Or(1))
		}
	}
	p = Holm(p)
	for _, duels := range families {
		for i := range duels {
			duels[i].Adjusted, p = p[0], p[1:]
		}
	}
}

// Differs tells whether the two targets differ, all other pairs considered.
func (d Duel) Differs() bool { return d.Comparison.Differs(d.Adjusted) }

// Rank is the places that a target may hold, 1 being the best: between one more
// than those found better and as many fewer than all as were found worse.
// Targets whose places overlap and that do not differ are tied.
type Rank struct{ Best, Worst int }

// Ranks are the rank intervals of k targets by their duels. All of them hold
// together with 95 % confidence, as the duels' differences do (Mogstad, Romano,
// Shaikh and Wilhelm, "Inference for Ranks with Applications to Mobility across
// Neighbourhoods and Academic Achievement across Countries", 2024).
func Ranks(k int, duels []Duel, moreIsBetter bool) []Rank {
	ranks := slices.Repeat([]Rank{{1, k}}, k)
	for _, d := range duels {
		if !d.Differs() {
			continue
		}
		better, worse := d.A, d.B
		if (d.Interval.Lo.Or(1) > 1) == moreIsBetter {
			better, worse = worse, better
		}
		ranks[worse].Best++
		ranks[better].Worst--
	}
	return ranks
}
