package bench

import (
	"context"
	"math"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/clock"
)

// gate keeps a target's load under its provider's quota. It stands open until a
// request is refused for a quota. Then nothing goes out for as long as the
// provider asks, and after that:
//
//   - calls under way are limited as TCP's were: to one, doubling to half of
//     what was too much, from there on slowly;
//   - from the second refusal on, starts also keep a distance: a little more than
//     what the provider turned out to allow between two recoveries, shrinking
//     slowly. That is what holds a load of short answers under a quota of requests
//     or tokens per minute, whatever its headers look like. It has a bound, the
//     longest distance that was asked for, since one who is refused by chance
//     would slow down for ever.
//
// Refusals of requests that were under way when the first came belong to it:
// that is one epoch.
type gate struct {
	clock clock.Clock
	turn  chan struct{}  // holds 1: whoever put it in is the next to pass
	moved chan time.Time // holds 1: since when there may be room for the one whose turn it is

	mu        sync.Mutex
	limit     float64 // most calls of this epoch under way; +Inf while no quota was met
	threshold float64 // up to here the limit grows fast
	flying    int     // calls of this epoch
	epoch     int
	row       int           // epochs without anything accepted between
	hold      time.Time     // nothing goes out before
	gap       time.Duration // least distance of starts
	asked     time.Duration // the longest distance that was asked for
	last      time.Time     // the latest start

	recovering  bool      // nothing was accepted in this epoch yet
	recoveredAt time.Time // when the first that was accepted went out
	accepted    int       // from then on
	acceptedAt  time.Time // when the last that was accepted went out

	shut    time.Time // the latest instant at which somebody who had to wait could go
	waiting int
	since   time.Time // while waiting > 0
	waited  time.Duration
	refused int
	limits  map[string]int
}

// Bounds of waiting and of being slow.
const (
	maxQuotaWait = time.Minute
	firstWait    = 250 * time.Millisecond // where the provider does not say how long, doubling
	hurriedWait  = 100 * time.Millisecond // where what it said was too short
	slack        = 1.1                    // of the distance that was allowed
	easing       = 1 - 1.0/400            // of the distance, with each accepted request
	growth       = 0.25                   // of the limit, with each round of accepted requests
	maxRefusals  = 20                     // in a row, each after a wait, until the target is given up
)

// pass is the right to make a call.
type pass struct {
	epoch int
	at    time.Time
	shut  time.Time // until then the gate held somebody up
}

func newGate(c clock.Clock) *gate {
	return &gate{clock: c, turn: make(chan struct{}, 1), moved: make(chan time.Time, 1), limit: math.Inf(1)}
}

// enter waits until a call may go out, or ctx ends.
func (g *gate) enter(ctx context.Context) (pass, error) {
	if p, ok := g.open(); ok {
		return p, nil
	}
	defer g.satisfied()
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return pass{}, ctx.Err()
	}
	defer func() { <-g.turn }()
	var opened time.Time // when the last thing that was waited for happened
	for {
		p, at, ok := g.try(opened)
		switch {
		case ok:
			return p, nil
		case !at.IsZero():
			if err := g.clock.Until(ctx, at); err != nil {
				return pass{}, err
			}
			opened = at
			continue
		}
		select {
		case opened = <-g.moved:
		case <-ctx.Done():
			return pass{}, ctx.Err()
		}
	}
}

// open lets everyone through until a quota was met; else it counts one who
// waits.
func (g *gate) open() (pass, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if math.IsInf(g.limit, 1) {
		return g.pass(time.Now()), true
	}
	if g.waiting == 0 {
		g.since = time.Now()
	}
	g.waiting++
	return pass{}, false
}

func (g *gate) satisfied() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting--; g.waiting == 0 {
		g.waited += time.Since(g.since)
	}
}

// try lets the one whose turn it is through, or says until when to wait; no
// time is until something moves.
func (g *gate) try(opened time.Time) (p pass, at time.Time, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if at = later(g.hold, g.last.Add(g.gap)); at.After(now) {
		return pass{}, at, false
	}
	if g.flying >= int(g.limit) {
		select {
		case <-g.moved: // what moved before does not count
		default:
		}
		return pass{}, time.Time{}, false
	}
	g.shut = later(g.shut, opened)
	if opened.IsZero() {
		opened = now
	}
	return g.pass(opened), time.Time{}, true
}

// pass counts a start at an instant: that from which it was possible, so that
// being late does not add up.
func (g *gate) pass(at time.Time) pass {
	g.flying++
	g.last = at
	if g.recoveredAt.IsZero() {
		g.recoveredAt = at
	}
	return pass{epoch: g.epoch, at: at, shut: g.shut}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// accept notes that the provider took a call on.
func (g *gate) accept(p pass) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.recovering && p.epoch == g.epoch {
		g.recover(p)
	}
	g.accepted++
	g.acceptedAt = later(g.acceptedAt, p.at)
	if math.IsInf(g.limit, 1) || p.epoch != g.epoch {
		return
	}
	g.row = 0
	if g.limit < g.threshold {
		g.limit++
	} else {
		g.limit += growth / g.limit
	}
	g.gap = time.Duration(float64(g.gap) * easing)
	g.free(time.Now())
}

// recover learns from the time since the recovery before: so many calls were
// accepted in it, and one more was too much. The time until the first tells
// nothing, since a quota may allow a burst.
func (g *gate) recover(p pass) {
	if since := p.at.Sub(g.recoveredAt); g.epoch > 1 && g.accepted > 0 && since > 0 {
		g.gap = time.Duration(slack * min(float64(since)/float64(g.accepted), float64(g.asked)))
	}
	g.recovering, g.recoveredAt, g.accepted = false, p.at, 0
}

// free tells the one whose turn it is that there may be room.
func (g *gate) free(at time.Time) {
	select {
	case g.moved <- at:
	default: // it has not seen the last one yet
	}
}

// cancel gives a pass back that was not used.
func (g *gate) cancel(p pass) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.landed(p, time.Now())
}

func (g *gate) landed(p pass, at time.Time) {
	if p.epoch == g.epoch {
		g.flying--
		g.free(at)
	}
}

// leave notes how a call ended. It is false when the target has refused too
// often.
func (g *gate) leave(p pass, tr *weir.Trace, at time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.landed(p, at)
	if tr.Outcome != weir.RateLimited {
		return true
	}
	g.refused++
	if name := limitOf(tr); name != "" {
		if g.limits == nil {
			g.limits = make(map[string]int)
		}
		g.limits[name]++
	}
	g.hold = later(g.hold, at.Add(g.wait(tr.RetryAfter, p)))
	if p.epoch == g.epoch {
		g.shrink()
	}
	return g.row < maxRefusals
}

// wait is how long a refusal holds everything up: as long as it asks, and
// longer where that has just proved too short.
func (g *gate) wait(asked weir.Span, p pass) time.Duration {
	row := g.row
	if p.epoch != g.epoch {
		row = max(row-1, 0) // the epoch has been counted
	}
	d := firstWait << min(row, 8)
	if a, ok := asked.Get(); ok {
		d = min(a.Duration(), maxQuotaWait)
		g.asked = max(g.asked, d+g.distance(p))
		if row > 0 {
			d = max(d, hurriedWait<<min(row-1, 9))
		}
	}
	return min(d, maxQuotaWait)
}

// distance is what a refused call had kept from the last accepted one of its
// own accord: while there was no gap to keep, and not after a refusal.
func (g *gate) distance(p pass) time.Duration {
	if g.gap > 0 || p.epoch != g.epoch || g.row > 0 || g.acceptedAt.IsZero() {
		return 0
	}
	return max(0, p.at.Sub(g.acceptedAt))
}

// shrink begins an epoch.
func (g *gate) shrink() {
	g.threshold = max(1, min(float64(g.flying+1), g.limit)/2)
	g.limit, g.flying, g.recovering = 1, 0, true
	g.epoch++
	g.row++
}

// quota is what the gate has to say.
func (g *gate) quota() Quota {
	g.mu.Lock()
	defer g.mu.Unlock()
	q := Quota{Refused: g.refused, Waited: g.waited, Limits: byCount(g.limits)}
	if g.gap > 0 {
		q.Rate = weir.Some(1 / g.gap.Seconds())
	}
	return q
}

// reset forgets the counts, not what was learned.
func (g *gate) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waited, g.refused, g.limits = 0, 0, nil
}
