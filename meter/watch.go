package meter

import (
	"context"
	"sync"
	"time"

	"weir.dev/weir"
)

// watch ends a call when one of its clocks runs out. One timer serves all of
// them: it sleeps until the earliest possible end and looks again, so that
// events cost it nothing.
//
// The clocks of silence (bytes, stall) run only while the body's reader waits
// in Read: a slow reader never looks like a slow provider. How long it has
// waited is the tap's to know.
type watch struct {
	limits  Limits
	start   time.Time
	cancel  context.CancelCauseFunc
	silence func(now time.Time) silence // nil before there is a body

	mu         sync.Mutex
	timer      *time.Timer
	stopped    bool
	connecting bool // a connection is asked for; over a base without httptrace that is never known
}

// silence is how long a body's reader has waited.
type silence struct {
	body     bool          // there is a body
	output   bool          // output has come
	noByte   time.Duration // waited since the last byte
	noOutput time.Duration // waited since the last output
}

func newWatch(l Limits, start time.Time, cancel context.CancelCauseFunc, quiet func(time.Time) silence) *watch {
	w := &watch{limits: l, start: start, cancel: cancel, silence: quiet}
	if l == (Limits{}) {
		w.stopped = true
		return w
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.left(start, silence{}).wait, w.look)
	return w
}

// look is the timer's. The tap's lock comes first wherever both are held.
func (w *watch) look() {
	now := time.Now()
	quiet := w.silence(now)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	left := w.left(now, quiet)
	if left.wait <= 0 {
		w.stopped = true
		w.cancel(&LimitError{left.outcome, left.limit})
		return
	}
	w.timer.Reset(left.wait)
}

type clockLeft struct {
	wait    time.Duration
	outcome weir.Outcome
	limit   time.Duration
}

// left is the clock that will run out first. Without any, it looks again in an
// hour.
func (w *watch) left(now time.Time, quiet silence) clockLeft {
	first := clockLeft{wait: time.Hour}
	clock := func(limit, used time.Duration, outcome weir.Outcome) {
		if limit > 0 && limit-used < first.wait {
			first = clockLeft{limit - used, outcome, limit}
		}
	}
	since := now.Sub(w.start)
	silent := weir.TimeoutFirstOutput
	clock(w.limits.Total, since, weir.TimeoutTotal)
	if w.connecting {
		clock(w.limits.Connect, since, weir.TimeoutConnect)
	}
	if quiet.output {
		silent = weir.TimeoutStall
		clock(w.limits.Stall, quiet.noOutput, weir.TimeoutStall)
	} else {
		clock(w.limits.FirstOutput, since, weir.TimeoutFirstOutput)
	}
	if quiet.body {
		clock(w.limits.Bytes, quiet.noByte, silent)
	}
	return first
}

// idle is for calls without limits, which are not watched.
func (w *watch) idle() bool { return w.timer == nil }

func (w *watch) getConn() { w.connect(true) }

func (w *watch) gotConn() { w.connect(false) }

func (w *watch) connect(under bool) {
	if w.idle() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connecting = under
	w.rearm(silence{})
}

// again is for when a clock of silence begins that may be shorter than what the
// timer sleeps for: at the head, and at the first output.
func (w *watch) again(quiet silence) {
	if w.idle() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if quiet.body {
		w.connecting = false
	}
	w.rearm(quiet)
}

// rearm sets the timer anew; the lock is held.
func (w *watch) rearm(quiet silence) {
	if !w.stopped {
		w.timer.Reset(w.left(time.Now(), quiet).wait)
	}
}

func (w *watch) stop() {
	if w.idle() {
		return
	}
	w.mu.Lock()
	w.stopped = true
	w.timer.Stop()
	w.mu.Unlock()
}
