package clock

import (
	"container/heap"
	"context"
	"errors"
	"sync"
	"time"
)

// ErrClosed is what waiting on a closed clock gives.
var ErrClosed = errors.New("the clock is closed")

// Precise waits on real time more precisely than the runtime's timers, which on
// an idle Linux machine end up to a millisecond late. One goroutine serves all
// waiters from a heap; it is woken by a kernel timer where there is one and
// spins only where there is none. Make one with NewPrecise and Close it. It
// does not work in a testing/synctest bubble: use Plain there.
type Precise struct {
	base  time.Time // due times are offsets from here, on the monotonic clock
	alarm alarm
	done  chan struct{} // closed when the goroutine has ended
	pool  sync.Pool     // of *waiter

	mu     sync.Mutex
	queue  queue
	closed bool
}

var _ Clock = (*Precise)(nil)

// alarm wakes the one goroutine that serves the waiters.
type alarm interface {
	// set asks for a call of fire d from now, in place of what was asked before.
	set(d time.Duration)
	// run calls fire at the times asked, and may call it at others, until close.
	run(fire func())
	// close ends run. No call of set may follow.
	close()
}

// NewPrecise starts the clock's goroutine.
func NewPrecise() (*Precise, error) {
	a, err := newAlarm()
	if err != nil {
		return nil, err
	}
	return startPrecise(a), nil
}

func startPrecise(a alarm) *Precise {
	p := &Precise{base: time.Now(), alarm: a, done: make(chan struct{})}
	p.pool.New = func() any { return &waiter{ready: make(chan struct{}, 1)} }
	go func() {
		defer close(p.done)
		a.run(p.fire)
	}()
	return p
}

// Close ends the clock and every wait on it, with ErrClosed. It returns when
// the clock's goroutine has ended.
func (p *Precise) Close() error {
	p.mu.Lock()
	first := !p.closed
	p.closed = true // from here on nobody sets the alarm
	for _, w := range p.queue {
		w.wake(ErrClosed)
	}
	p.queue = nil
	p.mu.Unlock()
	if first { // without the lock, which fire may be waiting for
		p.alarm.close()
	}
	<-p.done
	return nil
}

// Now implements Clock.
func (p *Precise) Now() time.Time { return time.Now() }

// Until implements Clock. A t without a monotonic reading is read off the wall
// clock once, at the call.
func (p *Precise) Until(ctx context.Context, t time.Time) error {
	d := time.Until(t)
	if err := ctx.Err(); d <= 0 || err != nil {
		return err
	}
	w := p.pool.Get().(*waiter)
	defer p.pool.Put(w)
	w.err = nil
	// Read after d, so that the sum is never before t.
	w.due = time.Since(p.base) + d
	if err := p.add(w); err != nil {
		return err
	}
	select {
	case <-w.ready:
		if w.err != nil {
			return w.err
		}
	case <-ctx.Done():
		p.remove(w)
	}
	return ctx.Err()
}

func (p *Precise) add(w *waiter) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	heap.Push(&p.queue, w)
	if w.index == 0 { // earlier than what the alarm is set to
		p.alarm.set(w.due - time.Since(p.base))
	}
	return nil
}

// remove takes w out, whether it still waits or was woken meanwhile. The alarm
// stays as it is: waking for nobody is harmless.
func (p *Precise) remove(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.index >= 0 {
		heap.Remove(&p.queue, w.index)
		return
	}
	<-w.ready
}

// breath is the least time between two wakings of the clock's goroutine. With a
// thousand waiters a waking each would be mostly system calls: this halves
// their processor time and is no more than what a waking takes anyway.
const breath = 50 * time.Microsecond

// fire wakes everyone who is due and sets the alarm for the next.
func (p *Precise) fire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) > 0 {
		w := p.queue[0]
		if wait := w.due - time.Since(p.base); wait > 0 {
			p.alarm.set(max(wait, breath))
			return
		}
		heap.Pop(&p.queue)
		w.wake(nil)
	}
}

// waiter is one call of Until.
type waiter struct {
	due   time.Duration // offset from the clock's base
	index int           // in the queue; -1 outside
	err   error         // set before ready
	ready chan struct{} // holds 1: waking never blocks, and a waiter is woken once
}

func (w *waiter) wake(err error) {
	w.index, w.err = -1, err
	w.ready <- struct{}{}
}

// queue is a heap of waiters, the earliest first.
type queue []*waiter

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].due < q[j].due }

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *queue) Push(x any) {
	w := x.(*waiter)
	w.index = len(*q)
	*q = append(*q, w)
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	w := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	w.index = -1
	return w
}
