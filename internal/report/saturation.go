package report

import (
	"cmp"
	"fmt"
	"slices"

	"weir.dev/weir"
)

// Saturation is where more load brings a target no more throughput: the
// smallest point of a sweep whose throughput is within 5 % of the best that was
// seen. Throughput is output_rate in a sweep over concurrency, where every point
// knows it, and else request_rate.
//
// It is told only where the figures carry it; else Why says what is missing.
//   - At least three points count. Partial ones do not, nor those with fewer than
//     6 good answers in the steady window (the least that bound a median), nor
//     those at which the client was the limit.
//   - No point below the one that is told was left out.
//   - The best throughput and that of the point before are further apart than
//     their errors, two standard errors each.
//   - The errors of the best and of the one that is told are at most 10 %.
//   - It is not the largest point, where throughput may go on growing.
type Saturation struct {
	Target     string            `json:"target"`
	Throughput string            `json:"throughput"` // output_rate or request_rate
	Point      weir.Opt[float64] `json:"point"`      // null: not told
	Rate       weir.Opt[float64] `json:"rate"`       // its throughput
	BestPoint  weir.Opt[float64] `json:"best_point"`
	BestRate   weir.Opt[float64] `json:"best_rate"`
	TTFTRatio  weir.Opt[float64] `json:"ttft_p50_ratio"` // ttft p50 over that at the smallest point; null where one is open-ended
	Smallest   weir.Opt[float64] `json:"smallest_point"`
	Why        string            `json:"why_not,omitempty"`
}

const (
	nearBest      = 0.95 // of the best throughput
	fewestPoints  = 3
	fewestAnswers = 6
	widestError   = 0.10
)

// load is a point that counts.
type load struct {
	point, rate, off float64
	ttft             weir.Opt[float64] // p50, where n bounds it
}

func saturation(over string, points []SweepPoint, target int) Saturation {
	s := Saturation{Target: points[0].Targets[target].Name, Throughput: "request_rate"}
	points = slices.SortedFunc(slices.Values(points), func(a, b SweepPoint) int { return cmp.Compare(a.Point, b.Point) })
	byTokens := over == OverConcurrency && !slices.ContainsFunc(points, func(p SweepPoint) bool {
		st := p.Targets[target].Steady
		return !p.Partial && st.RequestRate.Known() && !st.OutputRate.Known()
	})
	if byTokens {
		s.Throughput = "output_rate"
	}
	var loads []load
	var missing []float64
	finished, why := 0, ""
	for _, p := range points {
		if !p.Partial {
			finished++
		}
		l, gap := loadOf(p, target, byTokens)
		if gap == "" {
			loads = append(loads, l)
			continue
		}
		if missing = append(missing, p.Point); len(missing) == 1 {
			why = fmt.Sprintf("%s at %s", gap, PointName(over, p.Point))
		}
	}
	switch {
	case finished < fewestPoints:
		s.Why = fmt.Sprintf("it takes %d finished points, there are %d", fewestPoints, finished)
		return s
	case len(loads) < fewestPoints:
		s.Why = why
		return s
	}
	best := slices.MaxFunc(loads, func(a, b load) int { return cmp.Compare(a.rate, b.rate) })
	s.BestPoint, s.BestRate = weir.Some(best.point), weir.Some(best.rate)
	i := slices.IndexFunc(loads, func(l load) bool { return l.rate >= nearBest*best.rate })
	s.Why = doubt(over, loads, i, best)
	switch {
	case len(missing) == 0:
	case s.Why != "":
		s.Why += "; " + why
	case missing[0] < loads[i].point:
		s.Why = why
	}
	if s.Why == "" {
		s.tell(loads[0], loads[i])
	}
	return s
}

func (s *Saturation) tell(smallest, at load) {
	s.Point, s.Rate, s.Smallest = weir.Some(at.point), weir.Some(at.rate), weir.Some(smallest.point)
	from, ok1 := smallest.ttft.Get()
	to, ok2 := at.ttft.Get()
	if ok1 && ok2 && from > 0 && at.point > smallest.point {
		s.TTFTRatio = weir.Some(to / from)
	}
}

// loadOf is the load at a point, or what keeps it from counting.
func loadOf(p SweepPoint, target int, byTokens bool) (l load, gap string) {
	t := &p.Targets[target]
	st := t.Steady
	rate, off := st.RequestRate, st.RequestError
	if byTokens {
		rate, off = st.OutputRate, st.OutputError
	}
	r, known := rate.Get()
	e, bounded := off.Get()
	answers, steady := st.Answers.Get()
	switch {
	case p.Partial:
		return l, "the requests were not all sent"
	case p.Client.Limited:
		return l, "the client was the limit"
	case !steady:
		return l, "there were too few requests for a steady window"
	case !known || !bounded || answers < fewestAnswers:
		return l, fmt.Sprintf("there were %.3g good answers in the steady window, fewer than %d,", answers, fewestAnswers)
	}
	l = load{point: p.Point, rate: r, off: e}
	if !slices.Contains(t.TTFT.Open, "p50") {
		l.ttft = t.TTFT.P50
	}
	return l, ""
}

// doubt is why it cannot be said that the i-th load saturates the target.
func doubt(over string, loads []load, i int, best load) string {
	if i > 0 {
		if before := loads[i-1]; best.rate*(1-best.off) <= before.rate*(1+before.off) {
			return fmt.Sprintf("the throughputs at %s and %s are too close for so few requests", PointName(over, before.point), PointName(over, best.point))
		}
	}
	if i == len(loads)-1 {
		return fmt.Sprintf("throughput still grew at %s, the largest point that counts", PointName(over, loads[i].point))
	}
	for _, l := range []load{loads[i], best} {
		if l.off > widestError {
			return fmt.Sprintf("the throughput at %s is only known to ±%.0f %%", PointName(over, l.point), 100*l.off)
		}
	}
	return ""
}
