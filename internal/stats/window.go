package stats

import (
	"cmp"
	"slices"
	"time"

	"weir.dev/weir"
)

// Busy is one stretch in which a slot had a request under way, as offsets from
// the run's start, To not before From.
type Busy struct {
	Slot     int
	From, To time.Duration
}

// Window is the steady part of a run: rates are told of it alone, since at the
// beginning and at the end not all slots work.
type Window struct{ From, To time.Duration }

// Len is how long the window is.
func (w Window) Len() time.Duration { return w.To - w.From }

// Holds tells whether the instant is in the window, its end excluded.
func (w Window) Holds(at time.Duration) bool { return w.From <= at && at < w.To }

// Steady is the window of a closed loop: from when all slots were first busy to
// when the first slot had nothing more to do (METRICS.md, "steady window"). The
// moment between one request and the slot's next is no idleness. ok is false
// where no slot was busy, or the first was done before the last began.
func Steady(busy []Busy) (w Window, ok bool) {
	last := map[int]time.Duration{}
	for _, b := range sortedByStart(busy) {
		if _, begun := last[b.Slot]; !begun {
			w.From = b.From // the latest first start so far
		}
		last[b.Slot] = max(last[b.Slot], b.To)
	}
	first := true
	for _, to := range last {
		if first || to < w.To {
			w.To, first = to, false
		}
	}
	return w, w.Len() > 0
}

func sortedByStart(busy []Busy) []Busy {
	return slices.SortedStableFunc(slices.Values(busy), func(a, b Busy) int { return cmp.Compare(a.From, b.From) })
}

// Rate is how many of the instants (requests begun, tokens arrived) fall into
// the window, per second. It is empty for an empty window.
func (w Window) Rate(at []time.Duration) weir.Opt[float64] {
	if w.Len() <= 0 {
		return weir.None[float64]()
	}
	n := 0
	for _, t := range at {
		if w.Holds(t) {
			n++
		}
	}
	return weir.Some(float64(n) / w.Len().Seconds())
}

// LapRate is the rate in laps, where a slot that waits for the lap's end is off
// the clock: n events over the slots' busy time, times the slots.
func LapRate(n int, busy []Busy) weir.Opt[float64] {
	slots, total := map[int]bool{}, time.Duration(0)
	for _, b := range busy {
		slots[b.Slot] = true
		total += b.To - b.From
	}
	if total <= 0 {
		return weir.None[float64]()
	}
	return weir.Some(float64(n) / total.Seconds() * float64(len(slots)))
}

// Concurrency is how many requests were under way in the window: the mean over
// its time, and the most at once. Both are empty for an empty window.
func (w Window) Concurrency(busy []Busy) (mean weir.Opt[float64], peak weir.Opt[int]) {
	if w.Len() <= 0 {
		return weir.None[float64](), weir.None[int]()
	}
	type edge struct {
		at   time.Duration
		step int
	}
	var edges []edge
	under := time.Duration(0)
	for _, b := range busy {
		from, to := max(b.From, w.From), min(b.To, w.To)
		if from < to {
			under += to - from
			edges = append(edges, edge{from, 1}, edge{to, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step)) // an end before a start at the same instant
	})
	now, most := 0, 0
	for _, e := range edges {
		now += e.step
		most = max(most, now)
	}
	return weir.Some(under.Seconds() / w.Len().Seconds()), weir.Some(most)
}
