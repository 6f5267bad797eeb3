package reconcile

import (
	"math"
	"slices"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// rule is how a tool sums a figure up over a run.
type rule int

const (
	interpolated rule = iota // numpy's and pandas' default percentile, between ranks
	ranked                   // GuideLLM: the first value at which the share is reached
	byTokens                 // the same, each request weighing as many tokens as its mean is over
)

func (r rule) cause() string {
	switch r {
	case ranked:
		return "their percentile of what succeeded"
	case byTokens:
		return "each request weighs as much as it has tokens"
	}
	return "their percentile lies between two ranks"
}

// Stat names a statistic of a run.
type Stat string

// The statistics that every tool reports.
const (
	Mean Stat = "mean"
	P50  Stat = "p50"
	P99  Stat = "p99"
)

// statistics in the order of rows.
func statistics() []Stat { return []Stat{Mean, P50, P99} }

func (s Stat) share() float64 {
	if s == P50 {
		return 0.5
	}
	return 0.99
}

// weighted is a value and what it weighs.
type weighted struct {
	value  Amount
	weight float64
}

// of is the tool's statistic; empty where there is nothing to sum up.
func (r rule) of(s Stat, values []weighted) weir.Opt[Amount] {
	if len(values) == 0 {
		return weir.None[Amount]()
	}
	sorted := slices.Clone(values)
	slices.SortFunc(sorted, func(a, b weighted) int { return int(max(-1, min(1, a.value-b.value))) })
	if r != byTokens {
		for i := range sorted {
			sorted[i].weight = 1
		}
	}
	switch {
	case s == Mean:
		return weightedMean(sorted)
	case r == interpolated:
		return weir.Some(between(sorted, s.share()))
	}
	return reached(sorted, s.share())
}

func weightedMean(values []weighted) weir.Opt[Amount] {
	sum, all := 0.0, 0.0
	for _, v := range values {
		sum += float64(v.value) * v.weight
		all += v.weight
	}
	if all <= 0 {
		return weir.None[Amount]()
	}
	return weir.Some(Amount(math.Round(sum / all)))
}

// between is type 7 in Hyndman and Fan, "Sample Quantiles in Statistical
// Packages", 1996: numpy.percentile and pandas' quantile by default.
func between(sorted []weighted, p float64) Amount {
	at := p * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	a, b := float64(sorted[low].value), float64(sorted[high].value)
	return Amount(math.Round(a + (b-a)*(at-float64(low))))
}

// reached is GuideLLM's Percentiles.from_pdf: the first value at which the
// cumulated share of the weight is p.
func reached(sorted []weighted, p float64) weir.Opt[Amount] {
	all := 0.0
	for _, v := range sorted {
		all += v.weight
	}
	if all <= 0 {
		return weir.None[Amount]()
	}
	sum := 0.0
	for _, v := range sorted {
		if sum += v.weight; sum/all >= p {
			return weir.Some(v.value)
		}
	}
	return weir.Some(sorted[len(sorted)-1].value)
}

// ofOurs is our own statistic: an observed rank, and the mean of what was reached.
func (s Stat) ofOurs(values []Amount, never int) weir.Opt[Amount] {
	if s == Mean {
		return mean(values)
	}
	floats := make([]float64, len(values))
	for i, v := range values {
		floats[i] = float64(v)
	}
	if v, ok := stats.NewQuantiles(floats, never).At(s.share()); ok {
		return weir.Some(Amount(v))
	}
	return weir.None[Amount]()
}

// ofOurSpeeds is the same where more is better: the p99 is the speed that 99 %
// reach or exceed.
func (s Stat) ofOurSpeeds(values []Amount, never int) weir.Opt[Amount] {
	negative := make([]Amount, len(values))
	for i, v := range values {
		negative[i] = -v
	}
	v, ok := s.ofOurs(negative, never).Get()
	if !ok {
		return weir.None[Amount]()
	}
	return weir.Some(-v)
}

func mean(values []Amount) weir.Opt[Amount] {
	if len(values) == 0 {
		return weir.None[Amount]()
	}
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	return weir.Some(Amount(math.Round(sum / float64(len(values)))))
}
