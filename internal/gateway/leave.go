package gateway

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// drains counts the answers that are read on for their usage.
type drains struct{ n atomic.Int64 }

func (d *drains) take(most int) bool {
	if d.n.Add(1) <= int64(most) {
		return true
	}
	d.n.Add(-1)
	return false
}

func (d *drains) give() { d.n.Add(-1) }

// leaving is what becomes of an attempt whose caller is gone.
type leaving struct {
	once  sync.Once
	on    atomic.Bool // its answer is read on
	began atomic.Bool // the caller had some of it
	timer *time.Timer
}

// leave ends the attempt, since its request is over; or has its answer read on
// for the usage, where the target is to have that, for a while.
func (a *attempt) leave() {
	a.leaving.once.Do(func() {
		why := context.Cause(a.exchange.ctx)
		drain := a.target.DrainUsage && !a.ending() && a.leaving.began.Load()
		if !drain || !a.server.drains.take(a.plant.bounds.Drains) {
			a.cancel(why)
			return
		}
		a.leaving.timer = time.AfterFunc(a.plant.bounds.UsageDrain, func() { a.cancel(why) })
		a.leaving.on.Store(true)
	})
}

// left gives back what a drain took.
func (a *attempt) left() {
	a.leaving.once.Do(func() {}) // from now on there is nothing to leave
	if a.leaving.on.Load() {
		a.leaving.timer.Stop()
		a.server.drains.give()
	}
}
