package report

import (
	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// Measured are each target's samples that its figures are of, taken from
// Requests: none of the warm-up, none of the warm halves of pairs.
func (s *Summary) Measured() [][]weir.Sample {
	number := map[string]int{}
	for i := range s.Targets {
		number[s.Targets[i].Name] = i
	}
	each := func(do func(target int, r *weir.Sample)) {
		for i := range s.Requests {
			r := &s.Requests[i]
			if t, ok := number[r.Target]; ok && !r.Warmup && compared(r) {
				do(t, r)
			}
		}
	}
	n := make([]int, len(s.Targets))
	each(func(t int, _ *weir.Sample) { n[t]++ })
	out := make([][]weir.Sample, len(s.Targets))
	for t := range out {
		out[t] = make([]weir.Sample, 0, n[t]) // they are large
	}
	each(func(t int, r *weir.Sample) { out[t] = append(out[t], *r) })
	return out
}

// FirstWaits are what is known of the wait, in ms, that a run is judged by: to
// the first token, and to the whole answer where no stream was asked for.
func (s *Summary) FirstWaits(mine []weir.Sample) stats.Latencies {
	if !s.Settings.Stream {
		return waits(mine, answeredIn)
	}
	return waits(mine, func(s *weir.Sample) weir.Span { return s.TTFT })
}

// Speeds are those of the good answers, in tokens/s: output speed, and whole
// speed where no stream was asked for.
func (s *Summary) Speeds(mine []weir.Sample) []float64 {
	if !s.Settings.Stream {
		return goodOnes(mine, wholeSpeedOf)
	}
	return goodOnes(mine, speedMetric.of)
}
