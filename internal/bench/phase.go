package bench

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/meter"
)

// phase is a part of a target's run under way: its warm-up, or what is
// measured.
type phase struct {
	*target
	ctx    context.Context // of calls
	starts context.Context // ends when no more may start
	lives  context.Context // the same, the end of the time apart
	warmup bool
	begun  time.Time
	next   *ahead
	crew   crew // of an open loop

	written int              // requests of the arrivals that the writer came to
	came    int              // those arrivals
	dues    [2]time.Duration // when the first and the last of them are due
	whole   bool             // there are no more
}

// maxWarmers bounds the slots of the warm-up of an open loop without a cap.
const maxWarmers = 64

// warmUp sends n requests in a closed loop, of sessions only the first turns.
func (t *target) warmUp(ctx context.Context, n int) {
	p := &phase{target: t, ctx: ctx, warmup: true, begun: time.Now()}
	slots := max(t.Concurrency, t.warmers)
	if slots == 0 {
		slots = maxWarmers
	}
	defer p.begin()()
	p.closed(min(slots, n), Load{}, func(yield func(first, more int) bool) {
		for k, i := t.source.Align(t.from+maxRequests), 0; i < n && yield(k, 0); i++ {
			k = t.source.Align(k + 1)
		}
	})
}

// measure sends what is measured.
func (t *target) measure(ctx context.Context) *phase {
	p := &phase{target: t, begun: time.Now()}
	var cut context.CancelCauseFunc
	p.ctx, cut = context.WithCancelCause(ctx)
	defer cut(nil)
	defer p.begin()()
	if span, ends := t.time(); ends {
		var end context.CancelFunc
		p.starts, end = context.WithDeadlineCause(p.starts, p.begun.Add(span), errTime)
		defer end()
		if t.Load.Grace > 0 {
			defer time.AfterFunc(span+t.Load.Grace, func() { cut(meter.ErrAbandoned) }).Stop()
		}
	}
	if t.Load.Shape != nil {
		p.open()
	} else {
		p.closed(t.slots(), t.Load, t.sessions(t.source, t.from))
	}
	return p
}

// begin lets the target be given up; the function ends that.
func (p *phase) begin() func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lives, p.giveUp = context.WithCancelCause(p.run.starts)
	p.starts = p.lives
	if p.gaveUp {
		p.giveUp(errGaveUp)
	}
	return func() { p.giveUp(nil) }
}

// closed sends what all yields: the number of each session's first request, and
// how many turns follow that. They are written ahead of time, so that a slot
// that falls free finds its next one ready.
func (p *phase) closed(slots int, l Load, all iter.Seq2[int, int]) {
	p.next = newAhead(2*slots + 2)
	waits, drained := context.WithCancel(p.starts) // nobody waits for a ramp when there is nothing left
	defer drained()
	p.next.drained = drained
	var writer, crew sync.WaitGroup
	writer.Go(func() {
		defer p.next.close()
		for first, more := range all {
			if !p.next.put(p.write(first, more)) {
				return
			}
		}
	})
	for i := range slots {
		var due time.Time
		if l.Ramp > 0 {
			due = p.begun.Add(l.Ramp * time.Duration(i) / time.Duration(slots))
		}
		crew.Go(func() {
			if due.IsZero() || p.pacer().Until(waits, due) == nil {
				p.slot(p.place(l, i), due, l.Think)
			}
		})
	}
	crew.Wait()
	p.next.stop()
	writer.Wait()
}

// slot sends one session after the other. It is free, and the next one due,
// when the last answer has ended and the time to think is over; where a quota
// held it up, when that let it go.
func (p *phase) slot(place *lapSlot, due time.Time, think time.Duration) {
	if place != nil {
		defer place.leave()
	}
	for {
		q, ok := p.next.take()
		if !ok || think > 0 && p.pacer().Until(p.starts, due) != nil {
			return
		}
		if place != nil {
			start, err := place.join(p.starts)
			if err != nil {
				return
			}
			q.lap, due = weir.Some(start.lap), start.at
		}
		leave, ok := p.enter(p.starts)
		if !ok {
			return
		}
		if due.IsZero() {
			due = time.Now()
		}
		if due, ok = p.session(q, leave, later(due, leave.shut), ""); !ok {
			return
		}
		due = due.Add(think)
	}
}

// place is that of a slot in the laps; nil where there are none.
func (p *phase) place(l Load, slot int) *lapSlot {
	if !l.Laps {
		return nil
	}
	return p.laps.slots[p.index][slot]
}

// session sends a request that may go out now, and then the turns that follow
// it, each when the answer before it has ended and the user has thought. It
// returns when the last answer ended; false where no more may start.
func (p *phase) session(q prepared, leave pass, due time.Time, warning string) (ended time.Time, ok bool) {
	for {
		next := p.writeNext(q)
		ended = p.send(q, leave, due, warning)
		if next == nil {
			return ended, true
		}
		lap := q.lap
		q = <-next
		q.lap = lap
		due = ended.Add(q.asks.Think)
		ok = q.asks.Think == 0 || p.pacer().Until(p.starts, due) == nil
		if ok {
			leave, ok = p.enter(p.starts)
		}
		if !ok {
			p.forgo(1 + q.more)
			return ended, false
		}
		due, warning = later(due, leave.shut), ""
	}
}

// writeNext writes the turn after q while q is answered, where there is one. It
// sends it once; who calls it receives.
func (p *phase) writeNext(q prepared) <-chan prepared {
	if q.more == 0 {
		return nil
	}
	next := make(chan prepared, 1)
	go func() { next <- p.write(q.k+1, q.more-1) }()
	return next
}

func (p *phase) forgo(turns int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tally.forgone += turns
}

// enter waits for the quota. Nothing goes out once may has ended.
func (p *phase) enter(may context.Context) (pass, bool) {
	leave, err := p.gate.enter(p.starts)
	if err != nil {
		return pass{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gaveUp || may.Err() != nil || p.caller.Err() != nil {
		p.gate.cancel(leave)
		return pass{}, false
	}
	return leave, true
}

// maxRetries bounds how often a request that is refused for a quota is made
// again.
const maxRetries = 10

// send makes a request and returns when its answer ended. Where the endpoint
// refuses the form of the request and says how, the refusal counts as warm-up
// and the request is made again.
func (p *phase) send(q prepared, leave pass, due time.Time, warning string) (ended time.Time) {
	p.count()
	if q.lessons != p.known() { // it was written before we knew better
		q = p.rewrite(q)
	}
	for lessons, retries := 0, 0; ; {
		trace, refused := p.notEncoded(q.k, q.err, due, p.warmup), []byte(nil)
		if q.err == nil {
			trace, refused = p.call(q, leave, due)
		}
		ended = time.Now()
		q.mark(trace)
		if p.warmup {
			p.words.Observe(q.asks.Words, trace.Usage.Prompt.Or(0))
		}
		if lessons < request.MaxRetries && p.learn(refused) {
			trace.Warmup = true
			p.took.add(step{target: p.index, number: q.k, trace: trace})
			q, due = p.rewrite(q), time.Now()
			lessons++
			continue
		}
		if warning != "" {
			trace.Warn(warning)
		}
		again, more := p.ended(q, trace, leave, ended, retries)
		p.took.add(step{target: p.index, number: q.k, trace: trace})
		if !more {
			return ended
		}
		leave, due, warning = again, later(ended, again.shut), ""
		retries++
	}
}

// ended judges a call. Where a quota refused it and it is to be made again, it
// waits until it may be.
func (p *phase) ended(q prepared, trace *weir.Trace, leave pass, at time.Time, retries int) (again pass, more bool) {
	if !p.gate.leave(leave, trace, at) {
		p.mu.Lock()
		p.surrender()
		p.mu.Unlock()
	}
	p.judge(trace)
	if trace.Outcome == weir.RateLimited {
		p.took.add(step{target: p.index, number: q.k, refused: true, wait: trace.RetryAfter})
	}
	if p.Retry429 && trace.Outcome == weir.RateLimited && retries < maxRetries {
		if again, more = p.enter(p.starts); more {
			trace.Warn(WarnRetried)
			p.mu.Lock()
			p.tally.retried++
			p.mu.Unlock()
		}
	}
	if !p.warmup && !more {
		p.note(q, trace)
	}
	return again, more
}

// mark says which part of a session or a pair a trace is.
func (q *prepared) mark(trace *weir.Trace) {
	trace.CacheRole, trace.Block = string(q.asks.Cache), q.lap
	if q.more > 0 || q.asks.Turn > 0 || q.asks.Cache != "" {
		trace.Session, trace.Turn = weir.Some(q.asks.Session), weir.Some(q.asks.Turn)
	}
}

func (p *phase) count() {
	if p.warmup {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tally.sent++
}

// result is what there is to say of what was measured. The lock is held.
func (p *phase) result() TargetResult {
	c := &p.tally
	planned, came, open := p.Requests, 0, p.Load.Shape != nil
	timeUp := errors.Is(context.Cause(p.starts), errTime)
	switch {
	case open:
		planned, came = p.planned()
	case timeUp || p.Requests == 0:
		planned = c.sent
	}
	res := TargetResult{
		Begun: p.begun, Planned: planned, Unsent: planned - c.sent, Cut: c.cut, SlotWaits: c.slotWaits, Quota: p.gate.quota(),
	}
	res.Quota.Retried = c.retried
	if !open {
		return res
	}
	if timeUp {
		res.Planned -= c.forgone // the answers before them were too late
		res.Unsent -= c.forgone
		res.Missed = res.Unsent
	}
	span, _ := p.time()
	if rate := p.Load.Shape.Rate(came, span); rate > 0 { // a recording of one arrival has none
		res.Asked = weir.Some(rate)
	}
	if d := p.dues[1] - p.dues[0]; p.came > 1 && d > 0 {
		res.Drawn = weir.Some(float64(p.came-1) / d.Seconds())
	}
	if d := c.last.Sub(c.first); c.began > 1 && d > 0 {
		res.Achieved = weir.Some(float64(c.began-1) / d.Seconds())
	}
	return res
}

// planned is how many requests the schedule has, and how many arrivals.
func (p *phase) planned() (requests, arrivals int) {
	if p.whole {
		return p.written, p.came
	}
	for a := range p.arrivals(p.source, p.from) {
		requests, arrivals = requests+1+a.more, arrivals+1
	}
	return requests, arrivals
}
