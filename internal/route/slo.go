package route

import (
	"time"

	"weir.dev/weir"
)

// bar is one objective, as policy slo judges it.
type bar struct {
	weir.Objective
	p float64 // the share of requests that has to meet it
}

// Judges tells whether policy slo can keep an objective: an upper bound of ttft
// (or ttft_sent) or tpot, a lower one of output_speed or success. Of a request's
// own objective, the route's attainment is the percentile.
func Judges(o weir.Objective) bool {
	above := o.Op == ">=" || o.Op == ">"
	switch o.Metric {
	case "ttft", "ttft_sent", "tpot":
		return !above
	case "output_speed", "success":
		return above
	}
	return false
}

func barsOf(slo weir.SLO, attainment float64) []bar {
	var bars []bar
	for _, o := range slo {
		if Judges(o) {
			bars = append(bars, bar{Objective: o, p: o.P.Or(attainment)})
		}
	}
	return bars
}

// stand judges a target for prompts of so many thousand tokens: whether it is
// slow, how many good samples in a row there are of the bar where they are
// fewest, and what first output to expect. What is not known is met.
func (s *state) stand(bars []bar, k float64, now time.Time, r *rank) {
	r.run = maxNeeded
	for i := range bars {
		b := &bars[i]
		switch b.Metric {
		case "success":
			if s.fails(b, now) {
				r.slow, r.run = true, 0
			}
		case "tpot", "output_speed":
			s.decode.stand(b, k, s.set.HalfLife, now, r)
		default:
			if v := s.streams.stand(b, k, s.set.HalfLife, now, r); r.expect == 0 {
				r.expect = weir.Dur(seconds(v))
			}
		}
	}
}

// stand judges by one track and returns the quantile that was judged, 0 where it
// is unknown. To be slow takes the quantile and, so that two odd answers are not
// enough, three in a row or five in all. Enough good answers in a row heal.
func (t *track) stand(b *bar, k float64, halfLife time.Duration, now time.Time, r *rank) float64 {
	if t.expired(halfLife, now) {
		return 0
	}
	about := t.fit.at(k)
	v := about * t.quantile(b.p)
	if b.meets(v) || b.meets(about*t.proof) {
		return v
	}
	n, oldest := t.run(about, b.meets)
	if n >= t.need() {
		t.heal(oldest, halfLife)
		return about * t.quantile(b.p)
	}
	r.slow, r.run = true, int8(min(int(r.run), n))
	return v
}

// meets tells whether a time in seconds keeps the bar.
func (b *bar) meets(seconds float64) bool {
	if b.Metric == "output_speed" {
		return b.Holds(1 / max(seconds, least))
	}
	return b.Holds(seconds * 1000)
}

// fails judges success by the window that the breaker has, too: it takes three
// failures, and as many outcomes as there.
func (s *state) fails(b *bar, now time.Time) bool {
	seen := s.outcomes.sum(s.set.Window, now)
	n := seen.good + seen.bad
	return seen.bad >= 3 && n >= s.set.MinOutcomes && !b.Holds(float64(seen.good)/float64(n))
}
