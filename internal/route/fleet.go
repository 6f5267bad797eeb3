package route

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"weir.dev/weir"
)

// Fleet is what is known of all targets. It is safe for concurrent use; NewFleet
// is required.
type Fleet struct {
	mu     sync.RWMutex
	states map[string]*state

	drawing sync.Mutex
	rng     *rand.Rand
}

// NewFleet knows nothing yet. What it draws repeats with the seed, as far as
// calls come in the same order.
func NewFleet(seed uint64) *Fleet {
	return &Fleet{states: map[string]*state{}, rng: rand.New(rand.NewPCG(seed, 0x77656972))}
}

// Begin counts an attempt at a planned target, at once. It is false where the
// target went out of use since the plan, or where another request took the probe
// of its half-open breaker: then plan again. A forced candidate is refused only
// while it cools down.
func (f *Fleet) Begin(c *Candidate, now time.Time) (*Ticket, bool) {
	return f.state(c.Target).begin(c.Forced, now)
}

// Health is what is known of a target. Of a name that is none, nothing.
func (f *Fleet) Health(target string, now time.Time) weir.Health {
	f.mu.RLock()
	s := f.states[target]
	f.mu.RUnlock()
	if s == nil {
		return weir.Health{Target: target, State: weir.HealthUnknown}
	}
	return s.health(now)
}

// Healths is the health of all targets ever planned with, by name.
func (f *Fleet) Healths(now time.Time) []weir.Health {
	f.mu.RLock()
	names := slices.Sorted(maps.Keys(f.states))
	f.mu.RUnlock()
	all := make([]weir.Health, len(names))
	for i, name := range names {
		all[i] = f.Health(name, now)
	}
	return all
}

// Usable is how many of a route's targets have a key and are not out of use.
// Those of which nothing is known count: without them no gateway would ever
// begin.
func (f *Fleet) Usable(r *Route, now time.Time) int {
	n := 0
	for i, p := range f.bind(r).places {
		if why, _, _ := p.at.lookAway(now); why == "" && r.Targets[i].Keyed {
			n++
		}
	}
	return n
}

func (f *Fleet) state(name string) *state {
	f.mu.RLock()
	s := f.states[name]
	f.mu.RUnlock()
	if s != nil {
		return s
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if s = f.states[name]; s == nil {
		s = newState(f, name)
		f.states[name] = s
	}
	return s
}

// draw is a number from 0 to below 1.
func (f *Fleet) draw() float64 {
	f.drawing.Lock()
	defer f.drawing.Unlock()
	return f.rng.Float64()
}

// drawPair is two different numbers below n; of 1, twice 0.
func (f *Fleet) drawPair(n int) (one, two int) {
	if n < 2 {
		return 0, 0
	}
	f.drawing.Lock()
	defer f.drawing.Unlock()
	one, two = f.rng.IntN(n), f.rng.IntN(n-1)
	if two >= one {
		two++
	}
	return one, two
}
