package clock

import (
	"runtime"
	"sync/atomic"
	"time"
)

// spinFor is how long before its time a spinner stops trusting the runtime's
// timers, which end up to about 1.1 ms late, and yields in a loop instead.
const spinFor = 1200 * time.Microsecond

// spinner is an alarm for systems without a kernel timer of their own. It
// burns up to spinFor of one processor per distinct due time.
type spinner struct {
	base time.Time
	due  atomic.Int64  // ns from base; 0 while nothing is asked
	poke chan struct{} // holds 1: due has changed
	quit chan struct{}
}

func newSpinner() *spinner {
	return &spinner{base: time.Now(), poke: make(chan struct{}, 1), quit: make(chan struct{})}
}

func (a *spinner) set(d time.Duration) {
	a.due.Store(max(1, int64(time.Since(a.base)+d)))
	select {
	case a.poke <- struct{}{}:
	default: // a poke is already on its way
	}
}

func (a *spinner) close() { close(a.quit) }

func (a *spinner) run(fire func()) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for a.sleep(timer) {
		due := a.due.Load()
		if due == 0 || due > int64(time.Since(a.base)+spinFor) {
			continue
		}
		// A due time that set replaces while we spin is seen at the next turn.
		for a.due.Load() > int64(time.Since(a.base)) {
			runtime.Gosched()
		}
		// fire may ask again; what it asks must not be forgotten.
		a.due.CompareAndSwap(due, 0)
		fire()
	}
}

// sleep waits for the time to start spinning, or for a new due time. It is
// false when the spinner was closed.
func (a *spinner) sleep(timer *time.Timer) bool {
	var expired <-chan time.Time
	if due := a.due.Load(); due != 0 {
		timer.Reset(time.Duration(due) - time.Since(a.base) - spinFor)
		expired = timer.C
	}
	select {
	case <-a.quit:
		return false
	case <-a.poke:
	case <-expired:
	}
	return true
}
