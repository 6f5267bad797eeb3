package plan

import (
	"fmt"
	"math"
	"slices"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// Percentiles are those that are told.
var Percentiles = []float64{0.5, 0.95, 0.99}

// Figure is the mean of a figure over the seeds, with its 95 % interval. It is
// empty where there is none, such as a wait that grows without end.
type Figure struct {
	Value    weir.Opt[float64] `json:"value"`
	Interval stats.Interval    `json:"interval"`
}

// over is the mean over values of independent runs.
func over(values []float64) Figure {
	v, i := stats.Mean(values)
	return Figure{v, i}
}

// Outcome is what came of all seeds.
type Outcome struct {
	Setup Setup
	Load  Load
	runs  []run
}

// run is what one seed brought.
type run struct {
	requests []request
	itl      map[float64]float64 // ms, by percentile

	hopeless   bool
	growth     float64 // share of its arrivals by which the queue grew
	ended      float64 // requests/s
	in, out    float64 // tokens/s
	under      float64 // requests under way, mean
	generating float64 // of these, those that generate
}

// request is what its user saw. Times are ms; what cannot be told is NaN, such
// as the time between tokens of an answer of one.
type request struct{ ttft, tpot, e2e, speed, e2eSpeed, stall float64 }

// sum is what is kept of a trial.
func (t *trial) sum() run {
	w := t.window
	seconds := (w.until - w.from).Seconds()
	r := run{itl: map[float64]float64{}, ended: float64(w.requests) / seconds, in: float64(w.in) / seconds, out: float64(w.out) / seconds}
	if t.flooded {
		r.hopeless, r.growth = true, math.Inf(1)
		r.generating = t.generating()
		return r
	}
	r.growth = float64(w.after-w.before) / float64(w.want)
	gaps := stats.NewQuantiles(t.itl, 0)
	for _, p := range Percentiles {
		if v, ok := gaps.At(p); ok {
			r.itl[p] = v
		}
	}
	for i := range t.calls {
		c := &t.calls[i]
		if !c.counts || !c.over {
			continue
		}
		q := request{ttft: ms(c.first - c.sent), e2e: ms(c.last - c.sent), tpot: math.NaN(), speed: math.NaN(), stall: math.NaN()}
		q.e2eSpeed = float64(c.tokens) / q.e2e * 1000
		if later := c.tokens - c.ahead; later > 0 {
			q.tpot, q.stall = ms(c.last-c.first)/float64(later), ms(c.stall)
			q.speed = 1000 / q.tpot
		}
		r.requests = append(r.requests, q)
		r.under += q.e2e / 1000 / seconds
	}
	r.generating = t.generating()
	return r
}

// generating is how many requests did so in the window, on average.
func (t *trial) generating() float64 {
	w, inside := t.window, 0.0
	for i := range t.calls {
		if c := &t.calls[i]; c.tokens > 0 {
			inside += max(0, (min(c.last, w.until) - max(c.first, w.from)).Seconds())
		}
	}
	return inside / (w.until - w.from).Seconds()
}

// grows is from where on a queue is taken to grow, as a share of the arrivals.
const grows = 0.02

// KeepsUp tells whether the deployment carries the load. Where it does not, the
// queue grows as long as the load lasts: waits have no distribution.
func (o *Outcome) KeepsUp() bool {
	if o.Load.Users > 0 {
		return true
	}
	var growth []float64
	for _, r := range o.runs {
		if r.hopeless {
			return false
		}
		growth = append(growth, r.growth)
	}
	g := over(growth)
	return !(g.Value.Or(0) > grows && g.Interval.Lo.Or(0) > 0)
}

// N is how many requests count.
func (o *Outcome) N() int {
	n := 0
	for _, r := range o.runs {
		n += len(r.requests)
	}
	return n
}

// Unsettled are those of Percentiles for which some run has too few requests to
// bound it on both sides (stats.Settled): 368 for the p99.
func (o *Outcome) Unsettled() []string {
	names := []string{}
	for _, p := range Percentiles {
		if o.KeepsUp() && slices.ContainsFunc(o.runs, func(r run) bool { return !stats.Settled(p, len(r.requests)) }) {
			names = append(names, fmt.Sprintf("p%g", 100*p))
		}
	}
	return names
}

// Seeds is how many runs there were.
func (o *Outcome) Seeds() int { return len(o.runs) }

// mean is over what each run has.
func (o *Outcome) mean(of func(run) float64) Figure {
	var values []float64
	for _, r := range o.runs {
		values = append(values, of(r))
	}
	return over(values)
}

// Requests is how many end in a second.
func (o *Outcome) Requests() Figure { return o.mean(func(r run) float64 { return r.ended }) }

// Input is how many tokens of prompts are taken in within a second.
func (o *Outcome) Input() Figure { return o.mean(func(r run) float64 { return r.in }) }

// Output is how many tokens come out in a second.
func (o *Outcome) Output() Figure { return o.mean(func(r run) float64 { return r.out }) }

// UnderWay is how many requests are, on average; empty where they pile up.
func (o *Outcome) UnderWay() Figure {
	if !o.KeepsUp() {
		return Figure{}
	}
	return o.mean(func(r run) float64 { return r.under })
}

// decoding is how many of them generate.
func (o *Outcome) decoding() float64 {
	return o.mean(func(r run) float64 { return r.generating }).Value.Or(1)
}

// of is a request's figure by its name in METRICS.md; nil for one that a
// simulation does not have.
func of(metric string) func(request) float64 {
	switch metric {
	case "ttft":
		return func(r request) float64 { return r.ttft }
	case "tpot":
		return func(r request) float64 { return r.tpot }
	case "e2e":
		return func(r request) float64 { return r.e2e }
	case "stall":
		return func(r request) float64 { return r.stall }
	case "output_speed":
		return func(r request) float64 { return r.speed }
	case "e2e_speed":
		return func(r request) float64 { return r.e2eSpeed }
	}
	return nil
}

// values are a figure of each request of a run that has it.
func (r run) values(metric string) []float64 {
	var all []float64
	for _, q := range r.requests {
		if v := of(metric)(q); !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	return all
}

// at is the p-quantile of a run; of a speed, what a share of p reaches or
// exceeds.
func (r run) at(metric string, p float64) (float64, bool) {
	sign := 1.0
	if weir.MoreIsBetter(metric) {
		sign = -1
	}
	values := r.values(metric)
	for i := range values {
		values[i] *= sign
	}
	v, ok := stats.NewQuantiles(values, 0).At(p)
	return sign * v, ok
}

// PerRun is the p-quantile in each run, by seed; ok is false where some run has
// none, or the load is not carried.
func (o *Outcome) PerRun(metric string, p float64) (values []float64, ok bool) {
	if of(metric) == nil || !o.KeepsUp() {
		return nil, false
	}
	for _, r := range o.runs {
		v, ok := r.at(metric, p)
		if !ok {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

// At is the p-quantile of what requests have: the mean of the runs' own.
func (o *Outcome) At(metric string, p float64) Figure {
	values, _ := o.PerRun(metric, p)
	return over(values)
}

// ITL is one of Percentiles of the times between tokens, in ms.
func (o *Outcome) ITL(p float64) Figure {
	var values []float64
	for _, r := range o.runs {
		v, ok := r.itl[p]
		if !ok || !o.KeepsUp() {
			return Figure{}
		}
		values = append(values, v)
	}
	return over(values)
}
