package bench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// Until is how well a figure is to be known of every target before a run ends by
// itself: half the width of its 95 % confidence sequence, as a share of the
// figure. A confidence sequence may be looked at after every request, unlike an
// interval (stats.Quantiles.Anytime).
type Until struct {
	Metric string  // of weir.Sample.Metric
	P      float64 // the percentile, from 0 to 1
	Width  float64 // a fraction
}

// ParseUntil reads METRIC=WIDTH%, such as ttft_p50=5%.
func ParseUntil(text string) (Until, error) {
	const hint = "METRIC_pNN=WIDTH%, such as ttft_p50=5%"
	name, width, ok := strings.Cut(strings.TrimSpace(text), "=")
	number, percent := strings.CutSuffix(strings.TrimSpace(width), "%")
	share, err := strconv.ParseFloat(number, 64)
	if !ok || !percent || err != nil || !(share >= 0.1 && share <= 100) {
		return Until{}, bad(fmt.Sprintf("until %.100q", text), hint+", from 0.1% to 100%")
	}
	o, err := weir.ParseObjective(name + "<=1s") // whatever its unit, the name is read
	if err != nil {
		o, err = weir.ParseObjective(name + "<=1")
	}
	p, each := o.P.Get()
	if err != nil || !each {
		return Until{}, bad(fmt.Sprintf("until %.100q", text), hint+"; a figure that each request has")
	}
	return Until{Metric: o.Metric, P: p, Width: share / 100}, nil
}

// String is what ParseUntil reads.
func (u Until) String() string {
	return fmt.Sprintf("%s_p%s=%s%%", u.Metric, trim(100*u.P), trim(100*u.Width))
}

func trim(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// knowledge is what a run knows of its targets, for Until.
type knowledge struct {
	Until
	targets []known
}

// known is what is known of a target. Requests count in the order in which they
// began: those that end first are no sample.
type known struct {
	flying map[int]bool    // numbers of the requests under way
	ended  map[int]float64 // by number, until all before are there
	order  []float64       // values of the requests that count
	enough bool
}

func newKnowledge(u *Until, targets int) *knowledge {
	if u == nil {
		return nil
	}
	k := &knowledge{Until: *u, targets: make([]known, targets)}
	for i := range k.targets {
		k.targets[i] = known{flying: map[int]bool{}, ended: map[int]float64{}}
	}
	return k
}

// begin says that a request began.
func (k *knowledge) begin(target, number int) {
	if k != nil {
		k.targets[target].flying[number] = true
	}
}

// lookEvery is after how many requests the interval is computed again.
const lookEvery = 5

// end takes what a request measured, and tells whether all is known well enough.
func (k *knowledge) end(target, number int, s *weir.Sample) bool {
	if k == nil {
		return false
	}
	t := &k.targets[target]
	delete(t.flying, number)
	if s.Warmup || slices.Contains(s.Warnings, WarnRetried) {
		return false
	}
	t.ended[number] = k.value(s)
	first := math.MaxInt
	for n := range t.flying {
		first = min(first, n)
	}
	var whole []int
	for n := range t.ended {
		if n < first {
			whole = append(whole, n)
		}
	}
	slices.Sort(whole)
	before := len(t.order) / lookEvery
	for _, n := range whole {
		if v := t.ended[n]; !math.IsNaN(v) {
			t.order = append(t.order, v)
		}
		delete(t.ended, n)
	}
	if len(t.order)/lookEvery > before {
		t.enough = k.look(t.order)
	}
	return !slices.ContainsFunc(k.targets, func(t known) bool { return !t.enough })
}

// value is a request's; without end where it failed, and NaN where it says
// nothing.
func (k *knowledge) value(s *weir.Sample) float64 {
	v, ok := s.Metric(k.Metric).Get()
	switch {
	case !s.Outcome.Eligible():
		return math.NaN()
	case ok && weir.MoreIsBetter(k.Metric):
		return -v
	case ok:
		return v
	case s.Outcome == weir.OK:
		return math.NaN()
	}
	return math.Inf(1)
}

func (k *knowledge) look(values []float64) bool {
	q := stats.NewQuantiles(values, 0)
	v, ok := q.At(k.P)
	width, bounded := stats.Precision(v, q.Anytime(k.P)).Get()
	return ok && bounded && width <= k.Width
}
