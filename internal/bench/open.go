package bench

import (
	"sync"
	"time"
)

// open sends requests when they are due. Each is waited for and sent by the
// same worker: to hand it to another at that instant would cost a wake-up. The
// workers that wait are a few more than will be due at once; one that goes to
// work hires the next.
func (p *phase) open() {
	slots := p.Concurrency
	if slots == 0 {
		slots = maxSlots
	}
	p.next = newAhead(maxReady)
	p.crew = crew{work: p.worker, slots: slots}
	var writer sync.WaitGroup
	writer.Go(p.writeDues)
	p.crew.hire(min(spare, slots))
	p.crew.all.Wait()
	p.next.stop()
	writer.Wait()
}

const (
	maxReady = 128 // requests that are written ahead
	spare    = 32  // workers that wait beside those at work
)

func (p *phase) writeDues() {
	defer p.next.close()
	for a := range p.arrivals(p.source, p.from) {
		q := p.write(a.first, a.more)
		q.due = p.begun.Add(a.at)
		if p.came == 0 {
			p.dues[0] = a.at
		}
		p.dues[1], p.came, p.written = a.at, p.came+1, p.written+1+a.more
		if !p.next.put(q) {
			return
		}
	}
	p.whole = true
}

// worker sends one request after the other, each when it is due, or as soon
// after as a slot and the quota allow. One that cannot go out before the end
// stays unsent.
func (p *phase) worker() {
	var free time.Time // when the last answer ended
	for {
		q, ok := p.next.take()
		if !ok || p.pacer().Until(p.lives, q.due) != nil {
			return
		}
		may, waited := p.lives, q.due.Before(free) && p.crew.full() // all were at work then
		if waited {
			may = p.starts // one that was in time may wake up after the end
		}
		leave, ok := p.enter(may)
		if !ok {
			return
		}
		warning := ""
		switch {
		case q.due.Before(leave.shut):
			warning = WarnQuotaWait
		case waited:
			warning = WarnSlotWait
		}
		p.crew.busy()
		free, _ = p.session(q, leave, q.due, warning)
		if !p.crew.idle() {
			return
		}
	}
}

// crew is the workers of an open loop.
type crew struct {
	work  func()
	slots int // most workers
	all   sync.WaitGroup

	mu      sync.Mutex
	workers int
	waiting int // of them, those that are not at work
}

// hire adds n workers, who wait.
func (c *crew) hire(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range min(n, c.slots-c.workers) {
		c.workers++
		c.waiting++
		c.all.Go(c.work)
	}
}

// full tells whether all slots have a worker.
func (c *crew) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.workers == c.slots
}

// busy says that a worker goes to work, and hires another where few wait.
func (c *crew) busy() {
	c.mu.Lock()
	c.waiting--
	more := c.waiting < spare && c.workers < c.slots
	c.mu.Unlock()
	if more {
		c.hire(1)
	}
}

// idle says that a worker waits again; it is false when too many do.
func (c *crew) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting > 2*spare {
		c.workers--
		return false
	}
	c.waiting++
	return true
}
