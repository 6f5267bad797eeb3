package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"weir.dev/weir"
)

// Spread is how far apart several targets are: (max - min)/max of their medians,
// as a fraction.
type Spread struct {
	Value    weir.Opt[float64] `json:"value"`
	Interval Interval          `json:"interval"`
	Chance   weir.Opt[float64] `json:"chance"` // the median spread of equal targets, measured as these were
}

// SpreadOf takes, for each of at least two targets, its medians by block, above
// 0 and of the same blocks in order of time; each target's figure is the median
// over its blocks. With fewer than two targets or two blocks all is empty.
//
// The blocks are drawn anew as in [Compare], the same for all targets, so that
// what they share cancels. On the log scale the spread is the range of the
// centres. No range moves by more than the range of the errors, which is the
// triangle inequality: so the range, more or less the 95 % point of the range of
// the drawn errors, holds the truth with at least 95 % confidence, whichever
// target comes first (it is the argument of Tukey's studentized range). The
// median of the same range of errors is what chance alone gives among equals.
func SpreadOf(medians [][]float64, rng *rand.Rand) Spread {
	logs, ok := logsOf(medians)
	if !ok {
		return Spread{}
	}
	dep, centers := dependence{}, make([]float64, len(logs))
	for i := range logs {
		centers[i] = median(slices.Clone(logs[i]))
	}
	for i, own := range logs {
		relative := make([]float64, len(own))
		for b := range own {
			relative[b] = own[b] - logs[(i+1)%len(logs)][b]
		}
		center, _ := hodgesLehmann(relative, nil)
		if d := dependenceOf(signedRanks(relative, center)); d.all >= dep.all {
			dep = d
		}
	}
	errs := errorRanges(logs, centers, dep, rng)
	slices.Sort(errs)
	wider := studentQuantile(1-alpha/2, float64(dep.runs-1)) / normalQuantile(1-alpha/2) * math.Sqrt(dep.residual)
	value, reach := rangeOf(centers), wider*errs[type1(Confidence, len(errs))-1]
	return Spread{
		Value:    weir.Some(-math.Expm1(-value)),
		Interval: Between(-math.Expm1(-max(0, value-reach)), -math.Expm1(-value-reach)),
		Chance:   weir.Some(-math.Expm1(-errs[len(errs)/2])),
	}
}

// errorRanges are the ranges over the targets of drawn minus true centre.
func errorRanges(logs [][]float64, centers []float64, dep dependence, rng *rand.Rand) []float64 {
	n := len(logs[0])
	length := (n + dep.runs - 1) / dep.runs
	at, drawn := make([]int, n), make([]float64, n)
	errs, out := make([]float64, len(logs)), make([]float64, resamples)
	for r := range out {
		for i := 0; i < n; i += length {
			from := rng.IntN(n)
			for j := range min(length, n-i) {
				at[i+j] = (from + j) % n
			}
		}
		for i, own := range logs {
			for b, from := range at {
				drawn[b] = own[from]
			}
			errs[i] = median(drawn) - centers[i]
		}
		out[r] = rangeOf(errs)
	}
	return out
}

func rangeOf(values []float64) float64 { return slices.Max(values) - slices.Min(values) }

// logsOf folds the blocks as Compare does.
func logsOf(medians [][]float64) (logs [][]float64, ok bool) {
	if len(medians) < 2 {
		return nil, false
	}
	n := len(medians[0])
	for _, own := range medians {
		if len(own) != n || n < 2 {
			return nil, false
		}
		row := make([]float64, n)
		for b, v := range own {
			if !(v > 0) || math.IsInf(v, 1) {
				return nil, false
			}
			row[b] = math.Log(v)
		}
		logs = append(logs, fold(row, min(n, maxBlocks)))
	}
	return logs, true
}
