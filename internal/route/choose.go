package route

import (
	"math"
	"slices"
	"time"

	"weir.dev/weir"
)

// rank is a target that can be a candidate, and where it goes: the lower class
// first, then the lower key, then as configured.
type rank struct {
	key    float64 // by policy
	expect weir.Dur
	target int32 // in the route
	class  int8
	run    int8 // policy slo: good samples in a row

	probe, slow, explore, forced bool
}

// The classes. The latter two add up.
const (
	first  = -1 // whatever else
	slow   = 1
	domain = 2 // of a provider that this request has failed at, or of the first candidate's
)

// most is how many candidates a plan names.
const most = 16

// Plan decides. It fills p anew and allocates nothing once p has room. Where no
// target is in use, those whose breaker is open, and those too small by our
// estimate, are given as a last resort, unless the route refuses: no outage of
// our own making. Those that cool down or refuse their key never are.
func (f *Fleet) Plan(r *Route, a *Ask, now time.Time, p *Plan) {
	b := f.bind(r)
	p.Policy = b.policy
	b.consider(r, a, now, p, false)
	if len(p.ranks) == 0 && !r.Refuse {
		b.consider(r, a, now, p, true)
	}
	b.arrange(r, a, p)
	p.Candidates = p.Candidates[:0]
	for i := range p.ranks {
		p.Candidates = append(p.Candidates, b.candidate(r, a, &p.ranks[i], now))
	}
	if n := len(p.Candidates); n > 0 {
		last := &p.Candidates[n-1]
		last.Limits.FirstOutput = last.Grace
	}
}

// candidate fills in how long to wait.
func (b *binding) candidate(r *Route, a *Ask, k *rank, now time.Time) Candidate {
	c := Candidate{Target: r.Targets[k.target].Name, Probe: k.probe, Slow: k.slow, Explore: k.explore, Forced: k.forced}
	if k.expect > 0 {
		c.Expect = weir.Some(k.expect)
	}
	c.Limits, c.Grace = b.clocks.limits(&b.places[k.target], a, now)
	return c
}

// consider sorts out which targets can be candidates. Where the order is the
// configured one, it looks no further than the plan can name.
func (b *binding) consider(r *Route, a *Ask, now time.Time, p *Plan, force bool) {
	p.ranks, p.Skipped = p.ranks[:0], p.Skipped[:0]
	ordered, ahead := p.Policy == Fixed || p.Policy == SLO, 0
	for i := range r.Targets {
		t := &r.Targets[i]
		why, until := a.unfit(t, force), time.Time{}
		if why == "" || why == Excluded {
			k := rank{target: int32(i)}
			if why, until = b.admit(&k, a, why, force, now); why == "" {
				if k.class = r.classOf(a, p.Policy, t); k.class == 0 && !k.slow {
					ahead++
				}
				p.ranks = append(p.ranks, k)
			}
		}
		if why != "" {
			p.Skipped = append(p.Skipped, Skip{Target: t.Name, Why: why, Until: until})
		}
		if ordered && ahead == most {
			return
		}
	}
}

// admit fills in what is known of a fit target, or says why it is out of use.
func (b *binding) admit(k *rank, a *Ask, why Reason, force bool, now time.Time) (Reason, time.Time) {
	place := &b.places[k.target]
	s := place.at
	s.mu.Lock()
	defer s.mu.Unlock()
	out, until, probe := s.away(now)
	if why == Excluded {
		return why, until
	}
	if k.forced = out != ""; k.forced && !(force && mayForce(out)) {
		return out, until
	}
	k.probe = probe
	switch b.policy {
	case LeastBusy:
		k.key = float64(s.inFlight+1) / place.weight
	case SLO:
		s.stand(b.bars, a.kilo(), now, k)
	}
	return "", time.Time{}
}

// kilo is the prompt's length in thousands of tokens.
func (a *Ask) kilo() float64 { return float64(max(a.InputTokens, 0)) / 1000 }

// unfit says why a target cannot serve the request, or is not to. An estimate of
// the prompt's length is not held against the last resort.
func (a *Ask) unfit(t *Target, force bool) Reason {
	switch {
	case a.Pin != "" && t.Name != a.Pin:
		return Elsewhere
	case slices.Contains(a.Without, t.Name):
		return Excluded
	case !Serves(a.Dialect, t.Dialect), a.Tools && t.NoTools, a.Images && t.NoImages:
		return CannotServe
	case !t.Keyed:
		return NoKey
	case a.LargerThan > 0 && t.Context.Or(0) <= a.LargerThan, !force && a.InputTokens > t.Context.Or(math.MaxInt):
		return TooLong
	}
	return ""
}

// classOf puts the targets of a provider that failed the request behind others,
// but where the order is the user's.
func (r *Route) classOf(a *Ask, policy Policy, t *Target) int8 {
	if len(a.Without) == 0 || t.Provider == "" || policy == Fixed {
		return 0
	}
	for i := range r.Targets {
		if o := &r.Targets[i]; o.Provider == t.Provider && slices.Contains(a.Without, o.Name) {
			return domain
		}
	}
	return 0
}
