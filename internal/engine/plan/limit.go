package plan

import (
	"context"
	"math"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// Limit is the most that a deployment carries within an SLO.
type Limit struct {
	Of       string         `json:"of"` // "users" or "requests_per_second"
	Value    float64        `json:"value"`
	Interval stats.Interval `json:"interval"` // up to its low end the SLO is surely met, from its high end on surely not; an empty side is past the search
	AtLeast  bool           `json:"at_least"` // the search ended there, not the SLO

	Users  Figure `json:"users"`               // under way at Value, mean
	Input  Figure `json:"input_tokens_per_s"`  // at Value
	Output Figure `json:"output_tokens_per_s"` // at Value
	Why    string `json:"why"`                 // what is missed just above Value

	at *Outcome // nil: nothing is within the SLO
}

const (
	slowest  = 0.01 // requests/s that a search tries
	rateStep = 1.02 // from one rate to the next
)

// grid numbers the loads that a search tries, from 1 on; 0 is none.
type grid struct{ rate bool }

func (g grid) load(k int) Load {
	if g.rate {
		return Load{Rate: slowest * math.Pow(rateStep, float64(k-1))}
	}
	return Load{Users: k}
}

func (g grid) value(k int) float64 {
	if k == 0 {
		return 0
	}
	l := g.load(k)
	return max(l.Rate, float64(l.Users))
}

// near is the number of the load nearest to one.
func (g grid) near(l Load) int {
	if g.rate {
		return max(1, 1+int(math.Round(math.Log(l.Rate/slowest)/math.Log(rateStep))))
	}
	return l.Users
}

func (g grid) most() int {
	if g.rate {
		return g.near(Load{Rate: maxRate / rateStep})
	}
	return maxUsers
}

func (g grid) stride(k int) int {
	if g.rate {
		return 8
	}
	return max(1, k/4)
}

// Most searches for the highest load within an SLO, from one that is near it:
// users if that has users, else a rate, to 2 %. It takes for granted that what
// is missed at a load is missed above it.
func Most(ctx context.Context, s Setup, near Load, slo weir.SLO, e Effort) (*Limit, error) {
	q := search{ctx: ctx, setup: s, slo: slo, effort: e, grid: grid{near.Rate > 0}, seen: map[int]tried{}}
	start, most := q.grid.near(near), q.grid.most()
	value := q.last(start, most, func(v Verdict) bool { return v.Met })
	low := q.last(value, value, func(v Verdict) bool { return v.Surely })
	high := q.last(max(value, 1), most, func(v Verdict) bool { return !v.Never })
	at, above := q.try(value), q.try(min(value+1, most))
	if q.err != nil {
		return nil, q.err
	}
	l := &Limit{Of: "users", Value: q.grid.value(value), AtLeast: value == most, Why: above.verdict.Why}
	l.Interval.Lo = weir.Some(q.grid.value(low))
	if q.grid.rate {
		l.Of = "requests_per_second"
	}
	if high < most {
		l.Interval.Hi = weir.Some(q.grid.value(high + 1))
	}
	if o := at.outcome; o != nil {
		l.at = o
		l.Users, l.Input, l.Output = o.UnderWay(), o.Input(), o.Output()
	}
	return l, nil
}

// search remembers what it tried.
type search struct {
	ctx    context.Context
	setup  Setup
	slo    weir.SLO
	effort Effort
	grid   grid
	seen   map[int]tried
	err    error
}

type tried struct {
	outcome *Outcome
	verdict Verdict
}

func (q *search) try(k int) tried {
	if t, ok := q.seen[k]; ok || k == 0 || q.err != nil {
		return t
	}
	var t tried
	if t.outcome, q.err = probe(q.ctx, q.setup, q.grid.load(k), q.effort); q.err == nil {
		t.verdict = t.outcome.Judge(q.slo)
	}
	q.seen[k] = t
	return t
}

func (q *search) last(start, most int, holds func(Verdict) bool) int {
	return last(start, most, q.grid.stride, func(k int) bool { return q.err == nil && holds(q.try(k).verdict) })
}

// last is the highest number up to most for which something holds that, once it
// does not, does not above either. It is taken to hold for 0. The search goes
// in strides from start that double, and then halves what is left.
func last(start, most int, stride func(int) int, holds func(int) bool) int {
	low, high := 0, most+1 // it holds at low, not at high
	start = min(max(start, 0), most)
	if step := stride(start); start == 0 || holds(start) {
		for low = start; low < most; step *= 2 {
			next := min(low+step, most)
			if !holds(next) {
				high = next
				break
			}
			low = next
		}
	} else {
		for high = start; high > 1; step *= 2 {
			next := max(high-step, 1)
			if holds(next) {
				low = next
				break
			}
			high = next
		}
	}
	for high-low > 1 {
		if mid := low + (high-low)/2; holds(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
