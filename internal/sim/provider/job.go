package provider

import (
	"time"

	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/sim/promptcache"
)

// job is a request in an engine. Times are the provider's.
type job struct {
	id     engine.ID
	answer *Answer // nil: another customer's
	over   bool    // finished, or its client went away
	prompt int     // tokens
	output int
	most   int  // that the client allows
	whole  bool // the answer ends by itself
	hit    promptcache.Hit
	step   int // granularity of what the policy reports

	arrived  time.Duration // at the engine's door
	due      time.Duration // when it could be scheduled
	admitted time.Duration // first
	seat     int           // the step of that
	first    time.Duration // token
	last     time.Duration
	truth    Truth
}

// granted is how many cached tokens the provider reports where the engine found
// so many: what its policy says, unless the engine had lost it.
func (j *job) granted(found int) int {
	switch {
	case !j.hit.Limited:
		return found
	case found+j.step >= j.hit.Read: // the engine has whole blocks only
		return j.hit.Read
	}
	return found / j.step * j.step
}

// see takes an event of the engine, at the provider's time.
func (j *job) see(e engine.Event, at time.Duration) {
	switch e.Kind {
	case engine.Admitted:
		if j.admitted == 0 {
			j.admitted, j.seat = at, e.Step
			j.truth.QueueMS = ms(at - j.due)
			j.truth.CachedTokens = e.Cached
		}
	case engine.Preempted:
		j.truth.Preemptions++
	case engine.Token:
		if e.First() {
			j.first = at
			j.truth.PrefillMS = ms(at - j.admitted)
		}
		j.last = at
		j.truth.Steps = e.Step - j.seat + 1
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
