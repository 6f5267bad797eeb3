package ablate

import (
	"context"
	"fmt"
	"maps"
	"math"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/engine/plan"
	"weir.dev/weir/internal/stats"
)

// maxDifferences bounds in how much two sides may differ: all that lies between
// them is simulated, twice as much for each more.
const maxDifferences = 8

// Question is what is compared under which load.
type Question struct {
	From, To Side
	Base     plan.Setup // what neither side says; TP 0: the fewest that hold every step between them
	Load     plan.Load
	// Total is told how many runs there will be; nil: nobody is.
	Total func(runs int)
}

// Report is the answer.
type Report struct {
	From       string   `json:"from"`
	To         string   `json:"to"`
	Both       string   `json:"both"` // what is the same on both sides
	Doubts     []string `json:"doubts"`
	Requests   int      `json:"requests"` // that count, of each deployment between them
	Seeds      int      `json:"seeds"`
	Simulated  int      `json:"simulated"`   // deployments
	Orders     float64  `json:"orders"`      // in which one can become the other
	OrdersLeft float64  `json:"orders_left"` // out, since the model does not fit on the way

	TTFT  Waterfall `json:"ttft_p50_ms"`
	Speed Waterfall `json:"output_speed_p50"` // tokens/s
	E2E   Waterfall `json:"e2e_p50_ms"`
}

// Waterfall leads from one figure to another.
type Waterfall struct {
	From     plan.Figure `json:"from"`
	To       plan.Figure `json:"to"`
	Culprits []Culprit   `json:"culprits"` // their values add up to To - From
}

// Culprit is one difference and what it makes.
type Culprit struct {
	Dimension string `json:"dimension"`
	Words     string `json:"words"`
	From      string `json:"from"`
	To        string `json:"to"`
	plan.Figure
}

// Run simulates all deployments between two, and says what each difference
// makes. Each seed sends the same requests to all of them.
func Run(ctx context.Context, q Question, e plan.Effort) (*Report, error) {
	w, err := newWay(q)
	if err != nil {
		return nil, err
	}
	outcomes := make([]*plan.Outcome, len(w.setups))
	simulated := 0
	for i := range outcomes {
		if w.used(i) {
			simulated++
		}
	}
	if q.Total != nil {
		q.Total(simulated * e.Seeds)
	}
	for i, s := range w.setups {
		if !w.used(i) {
			continue
		}
		if outcomes[i], err = plan.Simulate(ctx, s, q.Load, e); err != nil {
			return nil, fmt.Errorf("%s: %w", w.describe(i), err)
		}
		if !outcomes[i].KeepsUp() {
			return nil, bad("a lower rate, or users (a closed loop), whom every deployment can serve", "%s does not keep up with %s, so its waits have no distribution", w.describe(i), q.Load)
		}
	}
	r := w.report(outcomes[0])
	r.Simulated = simulated
	for _, one := range []struct {
		at     *Waterfall
		metric string
	}{{&r.TTFT, "ttft"}, {&r.Speed, "output_speed"}, {&r.E2E, "e2e"}} {
		if *one.at, err = w.fall(outcomes, one.metric); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func bad(hint, format string, args ...any) error {
	return &weir.Error{Code: "bad_ablation", Message: fmt.Sprintf(format, args...), Hint: hint}
}

// way is all that lies between two sides.
type way struct {
	*lattice
	differ   []dimension
	from, to engine.Deployment
	setups   []plan.Setup // by state
}

func newWay(q Question) (*way, error) {
	base := q.Base
	base.Deployment.TP = q.devices()
	w := &way{from: q.From.over(base.Deployment), to: q.To.over(base.Deployment)}
	first, second := Side{}, Side{} // values, of all that either side says
	for _, d := range dimensions() {
		_, said := q.From[d.name]
		_, also := q.To[d.name]
		if !said && !also {
			continue
		}
		first[d.name], second[d.name] = d.get(&w.from), d.get(&w.to)
		if first[d.name] != second[d.name] {
			w.differ = append(w.differ, d)
		}
	}
	switch k := len(w.differ); {
	case k == 0:
		return nil, bad("such as a100-pcie,static,bf16 and h100-sxm,continuous,fp8", "the two sides are the same")
	case k > maxDifferences:
		return nil, bad("leave some out", "the two sides differ in %d things, at most %d can be told apart", k, maxDifferences)
	}
	w.build(base, first, second)
	last := len(w.setups) - 1
	for _, s := range []plan.Setup{w.setups[0], w.setups[last]} {
		if err := s.CheckPrecision(); err != nil {
			return nil, err
		}
		if err := s.Check(); err != nil {
			return nil, err
		}
	}
	w.lattice = newLattice(len(w.differ), func(i int) bool { return w.setups[i].Missing() == 0 })
	if w.orders() == 0 {
		return nil, bad("more devices on both sides, such as tp4", "whatever is changed first, the model does not fit on the way from one side to the other")
	}
	w.from, w.to = w.setups[0].Deployment, w.setups[last].Deployment
	return w, nil
}

// devices is how many both sides have, unless each says its own. 0: what fits.
func (q Question) devices() int {
	tp := q.Base.Deployment.TP
	for _, s := range []Side{q.From, q.To} {
		if _, said := s[devices]; said {
			tp = s.over(engine.Deployment{}).TP
		}
	}
	return tp
}

// build makes the deployments of all states. What an engine would bring and a
// side says otherwise is set in each.
func (w *way) build(base plan.Setup, first, second Side) {
	for i := range 1 << len(w.differ) {
		side := maps.Clone(first)
		for bit, d := range w.differ {
			if i>>bit&1 == 1 {
				side[d.name] = second[d.name]
			}
		}
		s := base
		s.Deployment = side.over(s.Deployment)
		w.setups = append(w.setups, s)
	}
	if base.Deployment.TP == 0 {
		tp := plan.FewestDevices(w.setups...)
		for i := range w.setups {
			w.setups[i].Deployment.TP = tp
		}
	}
}

// describe names a state by the dimensions that differ.
func (w *way) describe(i int) string {
	var words []string
	for _, d := range w.differ {
		words = append(words, d.get(&w.setups[i].Deployment))
	}
	return strings.Join(words, ",")
}

// both names the rest.
func (w *way) both() string {
	var words []string
	for _, d := range dimensions() {
		if a := d.get(&w.from); a == d.get(&w.to) {
			words = append(words, a)
		}
	}
	return strings.Join(words, ",")
}

func (w *way) report(first *plan.Outcome) *Report {
	last := len(w.setups) - 1
	all := 1.0
	for i := range w.k {
		all *= float64(i + 1)
	}
	r := &Report{
		From: w.describe(0), To: w.describe(last), Both: w.both(), Doubts: plan.Doubts(w.from),
		Requests: first.N(), Seeds: first.Seeds(), Orders: all, OrdersLeft: all - w.orders(),
	}
	for _, d := range plan.Doubts(w.to) {
		if !strings.Contains(strings.Join(r.Doubts, "\n"), d) {
			r.Doubts = append(r.Doubts, d)
		}
	}
	return r
}

// fall attributes the difference of a median, seed by seed: what a seed's
// requests have in common on both sides cancels out.
func (w *way) fall(outcomes []*plan.Outcome, metric string) (Waterfall, error) {
	medians := make([][]float64, len(outcomes))
	for i, o := range outcomes {
		if o == nil {
			continue
		}
		var ok bool
		if medians[i], ok = o.PerRun(metric, 0.5); !ok {
			return Waterfall{}, bad("answers of at least two tokens", "%s has no %s", w.describe(i), metric)
		}
	}
	seeds, last := len(medians[0]), len(outcomes)-1
	parts := make([][]float64, len(w.differ))
	for s := range seeds {
		for d, v := range w.shares(func(state int) float64 { return medians[state][s] }) {
			parts[d] = append(parts[d], v)
		}
	}
	f := Waterfall{From: figure(medians[0]), To: figure(medians[last])}
	for i, d := range w.differ {
		f.Culprits = append(f.Culprits, Culprit{
			Dimension: d.name, Words: d.words, From: d.get(&w.from), To: d.get(&w.to), Figure: figure(parts[i]),
		})
	}
	return f, nil
}

func figure(values []float64) plan.Figure {
	v, i := stats.Mean(values)
	return plan.Figure{Value: v, Interval: i}
}

// Gap is what the culprits do not explain of the difference: rounding.
func (f Waterfall) Gap() float64 {
	sum := f.From.Value.Or(math.NaN())
	for _, c := range f.Culprits {
		sum += c.Value.Or(math.NaN())
	}
	return f.To.Value.Or(math.NaN()) - sum
}
