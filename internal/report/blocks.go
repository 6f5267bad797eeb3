package report

import (
	"math"
	"slices"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// blocks are the parts of a run in which all targets met the same: the laps of a
// closed loop, else equal slices of its time.
type blocks struct {
	laps bool
	n    int
	span time.Duration // from the first request's due time to the last one's
	of   func(*weir.Sample) (block int, ok bool)
}

// Slices of time: as many as the design asks for, where each target then has a
// few requests in each.
const (
	mostSlices  = 30
	perSlice    = 4
	leastBlocks = 2
)

// blocksOf cuts a run's measured samples; those of pooled runs follow each other,
// and the time between the runs is in no block.
func blocksOf(r *Run) blocks {
	targets := len(r.Settings.Targets)
	if len(r.Merged) < 2 {
		return blocksIn(r.Samples, targets)
	}
	each := r.parts(r.Samples)
	parts := make([]blocks, len(each))
	first := make([]int, len(each)) // number of a part's first block
	all := blocks{laps: true}
	for i := range each {
		one := blocksIn(each[i], targets)
		parts[i] = one
		all.laps, all.span = all.laps && one.laps, all.span+one.span
		if first[i] = all.n; one.laps { // stored.Merge has numbered them on
			first[i] = 0
			all.n = max(all.n, one.n)
		} else {
			all.n += one.n
		}
	}
	all.of = func(s *weir.Sample) (int, bool) {
		i := r.partOf(s)
		if parts[i].n == 0 {
			return 0, false
		}
		block, ok := parts[i].of(s)
		return first[i] + block, ok
	}
	return all
}

// blocksIn cuts the samples of one run.
func blocksIn(samples []weir.Sample, targets int) blocks {
	var first, last time.Time
	perTarget := map[string]int{}
	laps := 0
	for i := range samples {
		s := &samples[i]
		if s.Warmup || !compared(s) {
			continue
		}
		perTarget[s.Target]++
		if first.IsZero() || s.Due.Before(first) {
			first = s.Due
		}
		if s.Due.After(last) {
			last = s.Due
		}
		if lap, ok := s.Block.Get(); ok {
			laps = max(laps, lap+1)
		}
	}
	b := blocks{span: last.Sub(first)}
	if laps > 0 {
		b.laps, b.n = true, laps
		b.of = func(s *weir.Sample) (int, bool) { return s.Block.Get() }
		return b
	}
	least := math.MaxInt
	for _, n := range perTarget {
		least = min(least, n)
	}
	if len(perTarget) < targets || least/perSlice < leastBlocks || b.span <= 0 {
		return b
	}
	b.n = min(mostSlices, least/perSlice)
	width := b.span/time.Duration(b.n) + 1
	b.of = func(s *weir.Sample) (int, bool) { return int(s.Due.Sub(first) / width), true }
	return b
}

// compared tells whether a request is in the comparison: warm halves of pairs
// are compared with their cold ones, not with other targets.
func compared(s *weir.Sample) bool { return s.CacheRole != "warm" }

// metric is a figure that targets are compared by, the median of which is taken
// in each block. Requests that failed have a latency beyond all others.
type metric struct {
	name         string
	moreIsBetter bool
	of           func(*weir.Sample) (v float64, ok bool)
}

var speedMetric = metric{"output_speed", true, func(s *weir.Sample) (float64, bool) {
	v, ok := s.Speed.Get()
	return v, ok && s.Outcome == weir.OK
}}

var ttftMetric = metric{"ttft", false, func(s *weir.Sample) (float64, bool) { return wait(s, s.TTFT) }}

var e2eMetric = metric{"e2e", false, func(s *weir.Sample) (float64, bool) {
	if s.Outcome != weir.OK {
		return wait(s, weir.Span{})
	}
	return wait(s, s.E2E)
}}

// wait is a latency in ms, without end where the request failed; false where
// it says nothing of the target.
func wait(s *weir.Sample, v weir.Span) (float64, bool) {
	ms, ok := v.Get()
	switch {
	case !s.Outcome.Eligible():
		return 0, false
	case ok:
		return ms.MS(), true
	case s.Outcome == weir.OK, s.Outcome == weir.NotStreamed:
		return 0, false
	}
	return math.Inf(1), true
}

// medians are a metric's by block for each target, in the blocks in which every
// target has one. when are the middles of those blocks' time, from the first on.
func (b *blocks) medians(samples []weir.Sample, targets []weir.Target, m metric) [][]float64 {
	if b.n == 0 {
		return nil
	}
	values := make([][][]float64, len(targets))
	number := map[string]int{}
	for i, t := range targets {
		values[i], number[t.Name] = make([][]float64, b.n), i
	}
	for i := range samples {
		s := &samples[i]
		block, ok := b.of(s)
		v, has := m.of(s)
		t, known := number[s.Target]
		if ok && has && known && !s.Warmup && compared(s) && block >= 0 && block < b.n {
			values[t][block] = append(values[t][block], v)
		}
	}
	out := make([][]float64, len(targets))
	for block := range b.n {
		if slices.ContainsFunc(values, func(of [][]float64) bool { return len(of[block]) == 0 }) {
			continue
		}
		for t := range targets {
			v, ok := stats.NewQuantiles(values[t][block], 0).At(0.5)
			if !ok {
				v = math.Inf(1)
			}
			out[t] = append(out[t], v)
		}
	}
	return out
}
