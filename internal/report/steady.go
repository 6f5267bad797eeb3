package report

import (
	"slices"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// Steady is the load that a target bore in the steady part of a run: from all
// slots first busy to the first slot idle, or between the warm-up and the end of
// arrivals. In laps a slot that waits for the lap's end is off the clock, and the
// rates are counts over the slots' busy time, times the slots.
type Steady struct {
	Laps            bool              `json:"laps"`
	From            weir.Span         `json:"from_ms"` // since the first request's due time
	To              weir.Span         `json:"to_ms"`
	RequestRate     weir.Opt[float64] `json:"request_rate"`     // requests that began, per second
	OutputRate      weir.Opt[float64] `json:"output_rate"`      // output tokens that arrived, per second
	TotalTokenRate  weir.Opt[float64] `json:"total_token_rate"` // the prompts of those requests beside
	Concurrency     weir.Opt[float64] `json:"concurrency_mean"` // weighted by time
	ConcurrencyPeak weir.Opt[int]     `json:"concurrency_peak"`
}

// steadyOf takes one target's measured samples.
func steadyOf(mine []weir.Sample, open bool) Steady {
	busy, first := busyTimes(mine)
	if len(busy) == 0 {
		return Steady{}
	}
	laps := slices.ContainsFunc(mine, func(s weir.Sample) bool { return s.Block.Known() })
	out := Steady{Laps: laps}
	if laps {
		output, prompt := 0, 0
		for i := range mine {
			output += mine[i].Completion.Or(0)
			prompt += mine[i].Prompt.Or(0)
		}
		out.RequestRate, out.OutputRate = stats.LapRate(len(mine), busy), stats.LapRate(output, busy)
		out.TotalTokenRate = stats.LapRate(output+prompt, busy)
		return out
	}
	w, ok := stats.Steady(busy)
	if open {
		w, ok = arrivals(mine, first)
	}
	if !ok {
		return out
	}
	out.From, out.To = weir.SpanOf(w.From), weir.SpanOf(w.To)
	out.Concurrency, out.ConcurrencyPeak = w.Concurrency(busy)
	seconds := w.Len().Seconds()
	requests, output, prompt := 0, 0.0, 0.0
	for i := range mine {
		s := &mine[i]
		if w.Holds(s.Due.Sub(first) + s.Lateness.Duration()) {
			requests++
			prompt += float64(s.Prompt.Or(0))
		}
		output += arrived(s, first, w)
	}
	out.RequestRate = weir.Some(float64(requests) / seconds)
	if slices.ContainsFunc(mine, func(s weir.Sample) bool { return s.Completion.Known() }) {
		out.OutputRate = weir.Some(output / seconds)
		out.TotalTokenRate = weir.Some((output + prompt) / seconds)
	}
	return out
}

// busyTimes are the stretches in which requests were under way, each given to
// the slot that was free for the shortest time: samples do not name their slot.
func busyTimes(mine []weir.Sample) (busy []stats.Busy, first time.Time) {
	sorted := slices.Clone(mine)
	slices.SortStableFunc(sorted, func(a, b weir.Sample) int { return a.Due.Compare(b.Due) })
	var free []time.Duration // since when each slot is
	for i := range sorted {
		s := &sorted[i]
		end, ok := s.End.Get()
		if !ok {
			continue
		}
		if first.IsZero() {
			first = s.Due
		}
		from := s.Due.Sub(first)
		to := from + s.Lateness.Duration() + end.Duration()
		slot := -1
		for k, since := range free {
			if since <= from && (slot < 0 || since > free[slot]) {
				slot = k
			}
		}
		if slot < 0 {
			slot, free = len(free), append(free, 0)
		}
		free[slot] = to
		busy = append(busy, stats.Busy{Slot: slot, From: from, To: to})
	}
	return busy, first
}

// arrivals is the window of an open loop.
func arrivals(mine []weir.Sample, first time.Time) (w stats.Window, ok bool) {
	for i := range mine {
		w.To = max(w.To, mine[i].Due.Sub(first))
	}
	return w, w.Len() > 0
}

// arrived is how many of a request's output tokens came within the window, evenly
// between its first output and its last.
func arrived(s *weir.Sample, first time.Time, w stats.Window) float64 {
	n, counted := s.Completion.Get()
	from, ok1 := s.TTFT.Get()
	to, ok2 := s.E2E.Get()
	if !counted || n == 0 || !ok2 {
		return 0
	}
	if !ok1 {
		from = to
	}
	due := s.Due.Sub(first)
	a, b := due+from.Duration(), due+to.Duration()
	if b <= a {
		if w.Holds(b) {
			return float64(n)
		}
		return 0
	}
	inside := min(b, w.To) - max(a, w.From)
	return float64(n) * float64(max(inside, 0)) / float64(b-a)
}
