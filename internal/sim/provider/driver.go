package provider

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/sim/cast"
)

// driver runs one engine in real time. One goroutine steps it when the wall
// says so, and hands out what each step brought, all at once.
type driver struct {
	clockwork
	timeline    timeline
	personality cast.Personality
	replica     int
	origin      time.Duration // what the engine's clock shows at the start

	mu         sync.Mutex
	engine     *engine.Engine
	jobs       map[engine.ID]*job
	asked      int // jobs that have an answer
	background *background
	coming     time.Duration // when the next of the background's requests is
	network    *rand.Rand
	outbox     outbox
	metrics    *metrics // nil before the start
	wakesAt    time.Duration
	wake       context.CancelFunc
}

// never is later than anything.
const never = time.Duration(math.MaxInt64)

// preroll is how long the background has been asking when a simulation starts.
const preroll = time.Minute

// warm fills the engine with what the background has left it.
func (d *driver) warm() {
	d.wakesAt, d.wake = never, func() {}
	if d.background == nil {
		return
	}
	d.origin = preroll
	d.coming = d.background.next(-preroll)
	d.turn(0)
}

// run drives the engine until ctx or the clock ends.
func (d *driver) run(ctx context.Context) {
	for ctx.Err() == nil {
		wait, cancel := context.WithCancel(ctx)
		d.mu.Lock()
		d.wakesAt, d.wake = d.turn(d.now()), cancel
		at := d.wakesAt
		d.mu.Unlock()
		var err error
		if at == never {
			<-wait.Done()
		} else {
			err = d.until(wait, at)
		}
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			return
		}
	}
}

// turn does all that is due by now, and returns when the next thing is.
func (d *driver) turn(now time.Duration) (next time.Duration) {
	limit := d.toEngine(now)
	due := d.due()
	for ; due <= limit; due = d.due() {
		events, _, _ := d.engine.Step(due)
		d.tell(events)
	}
	d.outbox.deliver(now, d.clockwork)
	if due != never {
		due = max(d.fromEngine(due), now+1) // rounding must not make it spin
	}
	return min(due, d.outbox.next())
}

// due is when, on its own clock, the engine does something next. What the
// background asks until then is handed in.
func (d *driver) due() time.Duration {
	for {
		_, due, any := d.engine.Step(-1) // nothing is due by then
		if !any {
			due = never
		}
		if d.background == nil || d.toEngine(d.coming) > due {
			return due
		}
		// One that is too long for the engine is refused: its customer's problem.
		_ = d.submit(&job{}, d.background.request(), d.coming)
		d.coming = d.background.next(d.coming)
	}
}

func (d *driver) toEngine(at time.Duration) time.Duration { return d.timeline.engine(at) + d.origin }

func (d *driver) fromEngine(at time.Duration) time.Duration {
	return d.timeline.provider(at - d.origin)
}

// submit hands a request to the engine, at the provider's time.
func (d *driver) submit(j *job, r engine.Request, at time.Duration) error {
	r.Arrival = max(d.toEngine(at), d.engine.Now())
	id, err := d.engine.Submit(r)
	if err != nil {
		return err
	}
	p := d.engine.Profile()
	j.id, j.prompt, j.output, j.arrived = id, r.Prompt, r.Output, at
	j.due = d.fromEngine(r.Arrival + p.Frontend + time.Duration(r.Prompt)*p.FrontendToken)
	d.jobs[id] = j
	return nil
}

// ask hands in a client's request.
func (d *driver) ask(j *job, r engine.Request, at time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.submit(j, r, at); err != nil {
		return err
	}
	d.asked++
	if d.fromEngine(d.due()) < d.wakesAt {
		d.wake()
	}
	return nil
}

// cancel takes a request out of the engine, if it is still there.
func (d *driver) cancel(j *job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if j.over {
		return
	}
	d.engine.Cancel(j.id)
	d.end(j)
}

func (d *driver) end(j *job) {
	j.over = true
	delete(d.jobs, j.id)
	if j.answer != nil {
		d.asked--
	}
}

// tell passes on what happened in one moment of the engine.
func (d *driver) tell(events []engine.Event) {
	if len(events) == 0 {
		return
	}
	at := d.fromEngine(events[0].At)
	arrives := d.arrives(at)
	for _, e := range events {
		j, ok := d.jobs[e.Request]
		if !ok {
			continue
		}
		if d.metrics != nil {
			d.metrics.see(j, e, at)
		}
		j.see(e, at)
		switch {
		case e.Kind == engine.Finished:
			d.end(j)
		case j.answer != nil && (e.Kind == engine.Token || e.Kind == engine.Admitted && j.admitted == at):
			d.outbox.add(delivery{due: arrives, job: j, tokens: e.Tokens, admitted: e.Kind == engine.Admitted, done: e.Kind == engine.Token && e.Done == j.output})
		}
	}
}

// arrives is when what leaves the engine at the time at reaches the client.
// Everything of one moment arrives together, and nothing overtakes.
func (d *driver) arrives(at time.Duration) time.Duration {
	n := d.personality.Network
	at += n.RTT / 2
	if n.Jitter > 0 {
		at += time.Duration(d.network.ExpFloat64() * float64(n.Jitter))
	}
	at += delay(d.personality.Faults, at)
	if every := d.personality.Coalesce.Every; every > 0 {
		at += modulo(-at, every)
	}
	d.outbox.last = max(d.outbox.last, at)
	return d.outbox.last
}

// busy is how much the engine has to do.
func (d *driver) busy() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.jobs)
}
