package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"weir.dev/weir"
)

// What a comparison needs, and where its words change (METRICS.md, "Comparing A
// with B").
const (
	MinBlocks = 20               // fewer give no verdict
	ShortRun  = 20 * time.Minute // a shorter run speaks of "these 5 minutes"
)

const (
	maxBlocks  = 24   // neighbouring blocks are folded until so many are left: what more would add is only dependence
	resamples  = 1000 // of a bootstrap
	farApart   = 1e6  // stands for the log of an infinite ratio
	apart      = 100  // the log of a ratio that is no figure any more
	powerAsked = 0.8
)

// Pair is one block: the median of A and of B in it, above 0. A median that was
// never reached, because more than half of the requests failed, is +Inf.
type Pair struct{ A, B float64 }

// BlockMedian is a target's figure in one block: the median of what was reached,
// +Inf where the requests that never reached it are half or more. Without any
// request it is NaN, and [Compare] leaves the block out.
func BlockMedian(reached []float64, never int) float64 {
	if len(reached)+never == 0 {
		return math.NaN()
	}
	return median(slices.Concat(reached, slices.Repeat([]float64{math.Inf(1)}, never)))
}

// Comparison is what blocks say about the ratio B/A. Where B is a latency, a
// ratio below 1 is better; where it is a speed, one above 1.
type Comparison struct {
	Blocks     int               `json:"blocks"`
	LeftOut    int               `json:"blocks_left_out"` // neither median was reached, or one is not above 0
	EffectiveN weir.Opt[float64] `json:"effective_n"`     // so many independent blocks would say as much
	Ratio      weir.Opt[float64] `json:"ratio"`           // empty where it is not finite
	Interval   Interval          `json:"interval"`
	P          weir.Opt[float64] `json:"p"`
	Detectable weir.Opt[float64] `json:"detectable"` // the relative difference that would have been seen with 80 % power
	Short      bool              `json:"short"`      // under 20 minutes: it speaks of these minutes only
}

// Compare judges B against A by the blocks of a run, in order of time and about
// equally far apart, which took span in all.
//
//   - The ratio is the Hodges-Lehmann estimate over the blocks' log ratios
//     (Hodges and Lehmann, "Estimates of Location Based on Rank Tests", 1963).
//   - P is that of a block permutation: A and B change names in whole runs of
//     neighbouring blocks, the statistic is Wilcoxon's signed-rank sum, and all
//     permutations are counted, not sampled. See permute.
//   - The interval is a circular block bootstrap of the ratio. See bootstrapHL.
//
// Pairing cancels what A and B share. What each target's own load does over the
// minutes stays as dependence between neighbouring blocks; it is estimated, and
// both the runs' length and the widths follow it. See dependenceOf. The interval's
// draws repeat with rng's seed.
func Compare(blocks []Pair, span time.Duration, rng *rand.Rand) Comparison {
	logs, left := logRatios(blocks)
	c := Comparison{Blocks: len(logs), LeftOut: left, Short: span < ShortRun}
	if len(logs) < 2 {
		return c
	}
	d := fold(logs, min(len(logs), maxBlocks))
	center, _ := hodgesLehmann(d, nil)
	dep := dependenceOf(signedRanks(d, center))
	c.EffectiveN = weir.Some(float64(len(logs)) / dep.all)
	c.P = weir.Some(permute(signedRanks(d, 0), dep))
	c.Ratio = ratioOf(weir.Some(center))
	lo, hi := bootstrapHL(d, center, dep, rng)
	c.Interval = Interval{Lo: ratioOf(weir.Some(lo)), Hi: ratioOf(weir.Some(hi))}
	if c.Interval.Closed() {
		c.Detectable = weir.Some(math.Expm1((hi - lo) / 2 * dep.seen()))
	}
	return c
}

// Differs tells whether the comparison finds a difference: enough blocks, an
// interval that excludes 1, and a p of at most 5 %. adjusted is the p after [Holm]
// where more than one was asked, else P. The interval is open-ended where B was
// down so often that no factor is too large; a target that never answers at all
// has no ratio, and no verdict but its success rate.
func (c Comparison) Differs(adjusted float64) bool {
	return c.Blocks >= MinBlocks && c.P.Known() && adjusted <= alpha && !c.Interval.Holds(1)
}

// logRatios are the blocks' log(B/A), and how many say nothing.
func logRatios(blocks []Pair) (logs []float64, left int) {
	for _, b := range blocks {
		v := math.Log(b.B) - math.Log(b.A)
		if !(b.A > 0 && b.B > 0) || math.IsNaN(v) {
			left++
			continue
		}
		logs = append(logs, min(max(v, -farApart), farApart))
	}
	return logs, left
}

func ratioOf(log weir.Opt[float64]) weir.Opt[float64] {
	v, ok := log.Get()
	if !ok || math.Abs(v) > apart {
		return weir.None[float64]()
	}
	return weir.Some(math.Exp(v))
}

// fold makes m values of neighbours' medians.
func fold(values []float64, m int) []float64 {
	n := len(values)
	if m == n {
		return values
	}
	out := make([]float64, m)
	for i := range out {
		out[i] = median(slices.Clone(values[i*n/m : (i+1)*n/m]))
	}
	return out
}
