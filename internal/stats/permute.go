package stats

import (
	"cmp"
	"math"
	"slices"
)

// signedRanks are Wilcoxon's scores: each value's distance from the centre by
// rank, with its sign; ties share a rank, values at the centre have none but
// count in the ranking (Pratt, "Remarks on Zeros and Ties in the Wilcoxon Signed
// Rank Procedures", 1959). They are doubled, so that shared ranks are whole.
func signedRanks(values []float64, center float64) []float64 {
	n := len(values)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	far := func(i int) float64 { return math.Abs(values[i] - center) }
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
	scores := make([]float64, n)
	for i := 0; i < n; {
		j := i
		for j < n && far(order[j]) == far(order[i]) {
			j++
		}
		for _, at := range order[i:j] {
			switch {
			case values[at] > center:
				scores[at] = float64(i + j + 1)
			case values[at] < center:
				scores[at] = -float64(i + j + 1)
			}
		}
		i = j
	}
	return scores
}

// permute is the two-sided p of scores under exchange of A and B in whole runs
// of blocks, over all 2^runs exchanges: the sum's distribution is built up run
// by run, since scores are whole numbers.
//
// Where runs are still alike the sum spreads wider than the exchanges say, by
// the cautious variance. The sum is therefore brought into the scale of
// Student's t, shrunk there, and brought back; where that is 1 this changes
// nothing, as t grows with the sum.
func permute(scores []float64, dep dependence) float64 {
	sums := make([]float64, dep.runs)
	for i, s := range scores {
		sums[i*dep.runs/len(scores)] += s
	}
	var sum, squares float64
	reach := 0
	for _, s := range sums {
		sum += s
		squares += s * s
		reach += int(math.Abs(s))
	}
	if squares == 0 {
		return 1
	}
	seen := shrink(math.Abs(sum)/math.Sqrt(squares), float64(dep.runs), dep.cautious) * math.Sqrt(squares)
	p := 0.0
	for i, share := range signSums(sums, reach) {
		if math.Abs(float64(i-reach)) >= seen-1e-6 {
			p += share
		}
	}
	return min(p, 1)
}

// shrink takes r = |sum| / sqrt(sum of squares) of n values to the scale of
// Student's t, divides it there by the root of the variance's factor, and takes
// it back.
func shrink(r, n, factor float64) float64 {
	if factor <= 1 || r*r >= n*(1-1e-12) {
		return r
	}
	t := r * math.Sqrt((n-1)/(n-r*r)/factor)
	return t * math.Sqrt(n/(n-1+t*t))
}

// signSums is the distribution of the sum of whole numbers under random signs;
// index reach is the sum 0.
func signSums(values []float64, reach int) []float64 {
	share, next := make([]float64, 2*reach+1), make([]float64, 2*reach+1)
	share[reach] = 1
	for _, v := range values {
		k := int(math.Abs(v))
		clear(next)
		for i, p := range share {
			if p > 0 {
				next[i+k] += p / 2
				next[i-k] += p / 2
			}
		}
		share, next = next, share
	}
	return share
}
