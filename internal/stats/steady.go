package stats

import (
	"cmp"
	"math"
	"slices"

	"weir.dev/weir"
)

// Call is one request of a run. Times are seconds from any common instant.
type Call struct {
	Start  float64 // when it went out; of an open loop when it was due
	End    float64 // when its last byte came, or its failure
	OK     bool    // only then do it and its tokens count
	First  float64 // when its output began and ended. Where both are the same
	Last   float64 // it came in one piece
	Tokens weir.Opt[int]
}

// Steady is what the requests of one target amounted to in the steady window of
// a run (METRICS.md, "steady window"), warm-up, start and end left out.
type Steady struct {
	From, To float64    // the window; both 0: there was none
	Answers  float64    // good answers in it, where shares of them count as such
	Requests Throughput // good answers per second
	Tokens   Throughput // output tokens per second; unknown where a good answer has no count
}

// Throughput is events per second, with two standard errors as a share of it.
type Throughput struct {
	PerSecond weir.Opt[float64]
	Error     weir.Opt[float64]
}

// SteadySlots is the steady window of a closed loop: from when all slots have
// been busy and as many calls have ended as there are slots, to when all are busy
// for the last time: then the first of them has nothing more to send. The first round is left out since its calls met
// a server that was not yet full. An answer counts, with its tokens, by the share
// of its time that lies in the window. (Tokens by the time of their output would
// lose up to a round at the edge, where slots wait for their first tokens in
// step.)
//
// The error is that of a ratio of sums: what the calls brought, over the time
// that they kept a slot. It takes calls as independent of each other (Cochran,
// "Sampling Techniques", 1977, chapter 6); a provider's own swings over
// minutes are not in it.
func SteadySlots(calls []Call, slots int) Steady {
	from, to := fullRounds(calls, slots)
	if !(to > from) {
		return Steady{}
	}
	var took, answers, tokens []float64
	for _, c := range calls {
		part := share(c.Start, c.End, from, to)
		took = append(took, part*(c.End-c.Start))
		if !c.OK {
			part = 0
		}
		answers = append(answers, part)
		tokens = append(tokens, part*float64(c.Tokens.Or(0)))
	}
	s := Steady{From: from, To: to, Answers: sum(answers)}
	s.Requests = rate(s.Answers, to-from, ratioError(answers, took))
	if counted(calls) {
		s.Tokens = rate(sum(tokens), to-from, ratioError(tokens, took))
	}
	return s
}

// SteadyArrivals is the steady window of an open loop: from the first end, when
// as many may be under way as will be, to the last arrival. An answer counts
// when it ends, since in an overload those under way say nothing of what will
// be served; tokens count by the share of the time of their output. Where good
// answers ended before or after it only, or nothing ended in it, no rate is known:
// 0 is the rate of a target that answered nothing well.
//
// The error is that of a count whose gaps are independent: two standard
// deviations of the gaps between answers, over their mean and the root of their
// number.
func SteadyArrivals(calls []Call) Steady {
	if len(calls) == 0 {
		return Steady{}
	}
	from, to := calls[0].End, calls[0].Start
	for _, c := range calls {
		from, to = min(from, c.End), max(to, c.Start)
	}
	if !(to > from) {
		return Steady{}
	}
	ends, tokens := []float64{from}, 0.0
	ended, good := 0, 0
	for _, c := range calls {
		in := c.End > from && c.End <= to
		if in {
			ended++
		}
		if !c.OK {
			continue
		}
		good++
		if in {
			ends = append(ends, c.End)
		}
		switch n := float64(c.Tokens.Or(0)); {
		case c.Last > c.First:
			tokens += n * share(c.First, c.Last, from, to)
		case in:
			tokens += n
		}
	}
	s := Steady{From: from, To: to, Answers: float64(len(ends) - 1)}
	if s.Answers == 0 && (good > 0 || ended == 0) {
		return s
	}
	off := gapsError(ends)
	s.Requests = rate(s.Answers, to-from, off)
	if counted(calls) {
		s.Tokens = rate(tokens, to-from, off)
	}
	return s
}

// fullRounds is the window of SteadySlots; both are 0 where all slots are never
// busy.
func fullRounds(calls []Call, slots int) (from, to float64) {
	if slots < 1 || len(calls) < slots {
		return 0, 0
	}
	var starts, ends []float64
	for _, c := range calls {
		starts, ends = append(starts, c.Start), append(ends, c.End)
	}
	slices.Sort(starts)
	slices.Sort(ends)
	from = math.Inf(1)
	begun := 0
	for ended, at := range ends { // what ends makes room for what starts at the same instant
		for begun < len(starts) && starts[begun] < at {
			begun++
			if begun-ended == slots {
				from = min(from, starts[begun-1])
			}
		}
		if begun-ended == slots {
			to = at
		}
	}
	return max(from, ends[slots-1]), to
}

// share is how much of the time from a to b lies in the window.
func share(a, b, from, to float64) float64 {
	if b <= a {
		if a > from && a <= to {
			return 1
		}
		return 0
	}
	return max(0, min(b, to)-max(a, from)) / (b - a)
}

func counted(calls []Call) bool {
	return !slices.ContainsFunc(calls, func(c Call) bool { return c.OK && !c.Tokens.Known() })
}

func rate(n, seconds float64, off weir.Opt[float64]) Throughput {
	r := Throughput{PerSecond: weir.Some(n / seconds)}
	if n > 0 {
		r.Error = off
	}
	return r
}

// ratioError is two standard errors of sum(y)/sum(x), as a share of it.
func ratioError(y, x []float64) weir.Opt[float64] {
	all, over := sum(y), sum(x)
	if !(all > 0 && over > 0) {
		return weir.None[float64]()
	}
	n, squares := 0.0, 0.0
	for i := range y {
		if x[i] > 0 {
			n++
			d := y[i] - x[i]*all/over
			squares += d * d
		}
	}
	if n < 2 {
		return weir.None[float64]()
	}
	return weir.Some(2 * math.Sqrt(n/(n-1)*squares) / all)
}

// gapsError is two standard errors of the mean gap, as a share of it.
func gapsError(at []float64) weir.Opt[float64] {
	slices.Sort(at)
	n := float64(len(at) - 1)
	if n < 2 {
		return weir.None[float64]()
	}
	mean, squares := (at[len(at)-1]-at[0])/n, 0.0
	for i := 1; i < len(at); i++ {
		d := at[i] - at[i-1] - mean
		squares += d * d
	}
	if !(mean > 0) {
		return weir.None[float64]()
	}
	return weir.Some(2 * math.Sqrt(squares/(n-1)) / mean / math.Sqrt(n))
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}

// SteadyLaps is what slots brought that wait for each other between laps: that
// wait is off the clock, so a rate is a count over the calls' own time, times the
// slots. There is no window: all of the run counts.
func SteadyLaps(calls []Call, slots int) Steady {
	var took, answers, tokens []float64
	for _, c := range calls {
		n, t := 0.0, 0.0
		if c.OK {
			n, t = 1, float64(c.Tokens.Or(0))
		}
		took, answers, tokens = append(took, c.End-c.Start), append(answers, n), append(tokens, t)
	}
	busy := sum(took) / float64(max(slots, 1))
	if !(busy > 0) {
		return Steady{}
	}
	s := Steady{Answers: sum(answers)}
	s.Requests = rate(s.Answers, busy, ratioError(answers, took))
	if counted(calls) {
		s.Tokens = rate(sum(tokens), busy, ratioError(tokens, took))
	}
	return s
}

// UnderWay is how many calls were under way between two instants: the mean over
// that time, and the most at once. Both are empty where the time is none.
func UnderWay(calls []Call, from, to float64) (mean weir.Opt[float64], peak weir.Opt[int]) {
	if !(to > from) {
		return mean, peak
	}
	type edge struct {
		at   float64
		step int
	}
	var edges []edge
	under := 0.0
	for _, c := range calls {
		a, b := max(c.Start, from), min(c.End, to)
		if a < b {
			under += b - a
			edges = append(edges, edge{a, 1}, edge{b, -1})
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
	return weir.Some(under / (to - from)), weir.Some(most)
}
