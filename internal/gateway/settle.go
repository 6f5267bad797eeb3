package gateway

import (
	"errors"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
)

// planned keeps the first plan in the record.
func (x *exchange) planned() {
	r := x.record
	r.Policy = string(x.plan.Policy)
	r.Candidates, r.Skipped = make([]journal.Candidate, 0, len(x.plan.Candidates)), make([]journal.Skip, 0, len(x.plan.Skipped))
	for _, c := range x.plan.Candidates {
		r.Candidates = append(r.Candidates, journal.Candidate{
			Target: c.Target, FirstOutput: limit(c.Limits.FirstOutput), Stall: limit(c.Limits.Stall), Probe: c.Probe,
		})
	}
	for _, s := range x.plan.Skipped {
		skip := journal.Skip{Target: s.Target, Why: string(s.Why)}
		if !s.Until.IsZero() {
			skip.Until = weir.Some(s.Until)
		}
		r.Skipped = append(r.Skipped, skip)
	}
}

func limit(d time.Duration) weir.Span {
	if d <= 0 {
		return weir.Span{}
	}
	return weir.SpanOf(d)
}

// trail adds the attempt to the record.
func (a *attempt) trail(c *cause) {
	e := &a.ended
	at := journal.Attempt{
		Target: a.target.Name, Model: a.target.Model, Dialect: a.target.Dialect, Why: a.why,
		Started: weir.Dur(a.began.Sub(a.arrived)), Header: a.after(e.header), FirstEvent: a.after(e.firstEvent), FirstOutput: a.after(e.first), End: a.after(e.total),
		Outcome: weir.OK, RetryAfter: e.retryAfter, Committed: a.flow.committed || c == nil, Broken: a.flow.broken,
		RequestID: a.plant.redact(e.requestID), Usage: e.usage, Cost: costOf(a.target, e.usage),
	}
	if e.status > 0 {
		at.Status = weir.Some(e.status)
	}
	if e.stale {
		at.Why = journal.Reconnect
	}
	if c != nil {
		at.Outcome, at.ErrorType, at.ErrorMessage, at.Clock = c.outcome, c.errorType, c.message, a.clock(c)
	}
	if c == nil && a.flow.seam == nil {
		a.record.TPOT = e.tpot
	}
	a.record.Attempts = append(a.record.Attempts, at)
	a.took(at.Usage)
}

// took adds what the attempt used to what the request did. Output that the
// target did not count is estimated; where there was none, nothing is known.
func (a *attempt) took(u weir.Usage) {
	if !u.Completion.Known() && a.ended.chars > 0 {
		a.record.UsageEstimated = true
		u.Completion = weir.Some(max(1, a.ended.chars/charsPerToken))
		if !u.Prompt.Known() {
			u.Prompt = weir.Some(a.exchange.ask.InputTokens)
		}
	}
	a.record.Usage = sum(a.record.Usage, u)
	if u.Reported() {
		a.record.Cost = add(a.record.Cost, costOf(a.target, u))
	}
}

// charsPerToken is for output that nobody counted.
const charsPerToken = 4

// after turns an offset in the attempt into one in the request.
func (a *attempt) after(s weir.Span) weir.Span {
	d, ok := s.Get()
	if !ok {
		return s
	}
	return weir.Some(d + weir.Dur(a.began.Sub(a.arrived)))
}

// clock is the timer that ended an attempt.
func (a *attempt) clock(c *cause) journal.Clock {
	switch c.outcome {
	case weir.TimeoutConnect:
		return journal.ConnectClock
	case weir.TimeoutFirstOutput:
		return journal.FirstOutputClock
	case weir.TimeoutStall:
		return journal.StallClock
	case weir.TimeoutTotal:
		return journal.DeadlineClock
	}
	if a.asked.Stream && errors.Is(a.down.fault(), errStuck) {
		return journal.WriteClock
	}
	return ""
}

// settle sums up what the request took, and takes it from its key's limits.
func (x *exchange) settle() {
	r := x.record
	if len(r.Attempts) == 0 {
		return // it is refunded
	}
	tokens := -1 // as expected
	switch n, ok := r.Usage.Completion.Get(); {
	case ok:
		tokens = r.Usage.Prompt.Or(x.ask.InputTokens) + n
	case r.Usage.Prompt.Known():
		tokens = r.Usage.Prompt.Or(0)
	case r.Outcome != weir.OK:
		tokens = 0
	}
	x.hold.Settle(time.Now(), tokens, r.Cost)
}

// close ends the record and gives it away.
func (x *exchange) close() {
	r := x.record
	r.End = x.since(time.Now())
	if x.asked.Stream && x.down.control != nil {
		x.down.close()
		x.down.mu.Lock()
		if x.down.begun {
			r.Status, r.Held, r.Early = weir.Some(200), x.since(x.down.head), x.down.early
		}
		r.Backpressure = weir.SpanOf(x.down.away)
		x.down.mu.Unlock()
	}
	r.Gateway = x.ownShare()
	if x.server.record != nil {
		x.server.record(r)
	}
	if x.server.journal != nil {
		x.server.journal.Add(r)
	}
}

// ownShare is what the gateway itself took of the time to the first output, or
// to the end where none came: less the time under way at targets.
func (x *exchange) ownShare() weir.Span {
	until, ok := x.record.TTFT.Get()
	if !ok {
		until, _ = x.record.End.Get()
	}
	own := until
	for i := range x.record.Attempts {
		at := &x.record.Attempts[i]
		end := min(at.FirstOutput.Or(at.End.Or(until)), until)
		if i < len(x.record.Attempts)-1 {
			end = min(at.End.Or(until), until)
		}
		own -= max(end-at.Started, 0)
	}
	return weir.Some(max(own, 0))
}

// costOf is what a call of a target costs; not known where its price is not.
func costOf(t *target, u weir.Usage) weir.Opt[float64] {
	if t.Price == nil {
		return weir.None[float64]()
	}
	usd, _ := t.Price.Cost(u)
	return usd
}

// add is a sum that is not known where a part is not.
func add(a, b weir.Opt[float64]) weir.Opt[float64] {
	if !a.Known() || !b.Known() {
		return weir.None[float64]()
	}
	return weir.Some(a.Or(0) + b.Or(0))
}

// sum adds the counts that are known.
func sum(a, b weir.Usage) weir.Usage {
	plus := func(a, b weir.Opt[int]) weir.Opt[int] {
		if !a.Known() {
			return b
		}
		return weir.Some(a.Or(0) + b.Or(0))
	}
	return weir.Usage{
		Prompt: plus(a.Prompt, b.Prompt), Cached: plus(a.Cached, b.Cached), CacheWrite: plus(a.CacheWrite, b.CacheWrite),
		Completion: plus(a.Completion, b.Completion), Reasoning: plus(a.Reasoning, b.Reasoning),
	}
}
