package route

import (
	"cmp"
	"time"

	"weir.dev/weir"
)

// binding is a route made ready for one fleet: its targets' states looked up,
// its settings filled in.
type binding struct {
	fleet   *Fleet
	policy  Policy
	places  []place
	bars    []bar
	explore float64
	clocks  clocks
}

// place is a target in a route.
type place struct {
	at     *state
	weight float64
	limits Limits // FirstOutput above 0: fixed; 0: measured; below 0: none
}

// bind makes a route ready, once. Where routes give one target different health
// settings, those of the route bound last count.
func (f *Fleet) bind(r *Route) *binding {
	if b := r.bound.Load(); b != nil && b.fleet == f {
		return b
	}
	b := &binding{
		fleet:   f,
		policy:  cmp.Or(r.Policy, Fixed),
		bars:    barsOf(r.SLO, cmp.Or(r.Attainment, 0.95)),
		explore: max(cmp.Or(r.Explore, 0.02), 0),
		clocks: clocks{
			min:      r.MinFirstOutput,
			max:      r.MaxFirstOutput,
			cold:     cmp.Or(r.Cold, 10*time.Second),
			perK:     cmp.Or(r.ColdPer1K, 500*time.Millisecond),
			perToken: cmp.Or(r.WholePerToken, 50*time.Millisecond),
			factor:   cmp.Or(r.Factor, 1.5),
		},
	}
	if b.clocks.max == 0 {
		b.clocks.max = max(120*time.Second, b.clocks.min)
	}
	if b.clocks.min == 0 {
		b.clocks.min = min(2*time.Second, b.clocks.max)
	}
	b.clocks.grace = cmp.Or(r.Grace, b.clocks.max)
	for i := range r.Targets {
		t := &r.Targets[i]
		s := f.state(t.Name)
		s.configure(t)
		b.places = append(b.places, place{at: s, weight: cmp.Or(t.Weight, 1), limits: limitsOf(t.Limits, r.Limits)})
	}
	r.bound.Store(b)
	return b
}

// limitsOf fills in what a target leaves to its route, and that to the defaults.
// Below 0 is no limit, which a candidate has as 0.
func limitsOf(target, route Limits) Limits {
	return Limits{
		Connect:     max(cmp.Or(target.Connect, route.Connect, 5*time.Second), 0),
		FirstOutput: cmp.Or(target.FirstOutput, route.FirstOutput),
		Bytes:       max(cmp.Or(target.Bytes, route.Bytes), 0),
		Stall:       max(cmp.Or(target.Stall, route.Stall, 30*time.Second), 0),
	}
}

func (h HealthSettings) filled() HealthSettings {
	return HealthSettings{
		Failures:    cmp.Or(h.Failures, 5),
		ErrorRate:   cmp.Or(h.ErrorRate, 0.5),
		MinOutcomes: cmp.Or(h.MinOutcomes, 20),
		Window:      cmp.Or(h.Window, 30*time.Second),
		OpenFor:     cmp.Or(h.OpenFor, 5*time.Second),
		OpenMax:     cmp.Or(h.OpenMax, 20*time.Second),
		CoolMin:     cmp.Or(h.CoolMin, time.Second),
		CoolMax:     cmp.Or(h.CoolMax, 10*time.Minute),
		Recheck:     cmp.Or(h.Recheck, 5*time.Minute),
		HalfLife:    cmp.Or(h.HalfLife, time.Minute),
	}
}

// Serves tells whether a target of one dialect can serve a caller of another:
// as it is, or by translation.
func Serves(caller, target weir.Dialect) bool {
	if caller == target || caller == "" || target == "" {
		return true
	}
	switch target {
	case weir.OpenAIChat: // where the rest of OpenAI's API is, too
		return caller != weir.Gemini && caller != weir.Ollama
	case weir.Anthropic, weir.Gemini:
		return caller == weir.OpenAIChat || caller == weir.OpenAIResponses || caller == weir.Anthropic
	}
	return false
}
