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
// in Read: a slow reader never looks like a slow provider.
type watch struct {
	limits Limits
	start  time.Time
	cancel context.CancelCauseFunc

	mu         sync.Mutex
	timer      *time.Timer
	stopped    bool
	connecting bool // a connection is asked for; over a base without httptrace that is never known
	output     bool
	body       bool          // the head has come; silence counts from here
	reading    time.Time     // since when the reader waits; zero: it is away
	noByte     time.Duration // waited before, since the last byte
	noOutput   time.Duration // waited before, since the last output
}

func newWatch(l Limits, start time.Time, cancel context.CancelCauseFunc) *watch {
	w := &watch{limits: l, start: start, cancel: cancel}
	if l == (Limits{}) {
		w.stopped = true
		return w
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.left(start).wait, w.look)
	return w
}

// look is the timer's.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	left := w.left(time.Now())
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
func (w *watch) left(now time.Time) clockLeft {
	first := clockLeft{wait: time.Hour}
	clock := func(limit, used time.Duration, outcome weir.Outcome) {
		if limit > 0 && limit-used < first.wait {
			first = clockLeft{limit - used, outcome, limit}
		}
	}
	since, waiting := now.Sub(w.start), time.Duration(0)
	if !w.reading.IsZero() {
		waiting = now.Sub(w.reading)
	}
	silent := weir.TimeoutFirstOutput
	clock(w.limits.Total, since, weir.TimeoutTotal)
	if w.connecting {
		clock(w.limits.Connect, since, weir.TimeoutConnect)
	}
	if w.output {
		silent = weir.TimeoutStall
		clock(w.limits.Stall, w.noOutput+waiting, weir.TimeoutStall)
	} else {
		clock(w.limits.FirstOutput, since, weir.TimeoutFirstOutput)
	}
	if w.body {
		clock(w.limits.Bytes, w.noByte+waiting, silent)
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
	w.rearm(time.Now())
}

func (w *watch) gotHead() {
	if w.idle() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connecting, w.body = false, true
	w.rearm(time.Now())
}

// rearm is for when a clock begins that may be shorter than what the timer
// sleeps for; the lock is held.
func (w *watch) rearm(now time.Time) {
	if !w.stopped {
		w.timer.Reset(w.left(now).wait)
	}
}

func (w *watch) enter(now time.Time) {
	if w.idle() {
		return
	}
	w.mu.Lock()
	w.reading = now
	w.mu.Unlock()
}

// leave says what a Read brought.
func (w *watch) leave(now time.Time, bytes int, output bool) {
	if w.idle() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	waited := now.Sub(w.reading)
	w.reading = time.Time{}
	w.noByte, w.noOutput = w.noByte+waited, w.noOutput+waited
	if bytes > 0 {
		w.noByte = 0
	}
	if !output {
		return
	}
	first := !w.output
	w.output, w.noOutput = true, 0
	if first {
		w.rearm(now)
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
