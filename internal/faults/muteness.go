package faults

import "fmt"

// muteness notices an endpoint that accepts calls and answers none: each would
// have to be waited out. The zero value has seen nothing.
type muteness struct {
	seen  int
	heard bool // something was answered, or the wall was asked
}

// enoughMute is how many faults in a row tell.
const enoughMute = 4

// see takes a fault that was played.
func (m *muteness) see(c Cell) {
	m.seen++
	for _, p := range c.Parts {
		if len(p.Attempts) > 0 || p.Caller.Status.Known() {
			m.heard = true
		}
	}
}

// skips stands for a fault that is not worth playing; nil where it is.
func (m *muteness) skips() []Part {
	if m.heard || m.seen < enoughMute {
		return nil
	}
	why := fmt.Sprintf("not played: the endpoint answered none of the %d before, and the wall was not asked", enoughMute)
	return []Part{{Verdict: Skipped, Why: why, Notes: []string{}, Attempts: []Attempt{}}}
}
