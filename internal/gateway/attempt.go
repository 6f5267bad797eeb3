package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/route"
	"weir.dev/weir/internal/translate"
	"weir.dev/weir/meter"
)

// attempt is one call of one target.
type attempt struct {
	*exchange
	target    *target
	candidate route.Candidate
	ticket    *route.Ticket
	why       journal.Why
	writing   writing

	ctx     context.Context
	cancel  context.CancelCauseFunc
	began   time.Time
	resp    *http.Response
	ended   ended
	flow    flow
	leaving leaving
}

// ended is what the meter says of a call once it is over.
type ended struct {
	known                            bool
	outcome                          weir.Outcome
	errorType, errorText             string
	status                           int
	wrote                            bool
	header, firstEvent, first, total weir.Span
	tpot, retryAfter                 weir.Span
	usage                            weir.Usage
	finish, requestID                string
	chars                            int // of output
	stale                            bool
}

// run makes the attempt, from its request to the last byte of its answer. Without
// a cause the caller has a whole answer.
func (a *attempt) run() *cause {
	a.began = time.Now()
	a.ctx, a.cancel = context.WithCancelCause(context.Background()) // nothing of the server's in it: no 1xx can reach the caller
	stop := context.AfterFunc(a.exchange.ctx, a.leave)
	defer a.left()
	defer stop()
	defer a.cancel(nil)
	defer a.recycle()
	defer a.ticket.End(route.Report{Outcome: weir.Abandoned, Neutral: true}, a.began) // where nothing else has ended it
	c := a.request()
	if c == nil {
		if a.asked.Stream {
			c = a.relay()
		} else {
			c = a.whole()
		}
	}
	a.report(c)
	return c
}

// request sends the request; without a cause there is a response that may be an
// answer.
func (a *attempt) request() *cause {
	ctx := a.callContext()
	r, err := a.outgoing(ctx, a.target, a.writing)
	if err != nil {
		return a.unwritten(err)
	}
	if a.resp, err = a.plant.meter.RoundTrip(r); err != nil { //nolint:bodyclose // finish closes it
		return a.failure(false)
	}
	if a.resp.StatusCode >= 200 && a.resp.StatusCode < 300 {
		return nil
	}
	body := a.errorBody()
	c := a.failure(true)
	c.body, c.bodyType = body, a.resp.Header.Get("Content-Type")
	c.usage = c.outcome == weir.BadRequest && a.asked.Stream && !a.target.refusesUsage.Load() && refusesUsage(a.target.Dialect, body)
	return c
}

func (a *attempt) callContext() context.Context {
	limits := meter.Limits{
		Connect: a.candidate.Limits.Connect, FirstOutput: a.candidate.Limits.FirstOutput,
		Bytes: a.candidate.Limits.Bytes, Stall: a.candidate.Limits.Stall, Total: a.allowed(),
	}
	call := meter.Call{
		Kind: weir.Live, Target: a.target.Name, Model: a.target.Model, Dialect: a.reads,
		Stream: weir.Some(a.asked.Stream), Limits: &limits, Sink: a.take,
	}
	if !a.passes(a.target) {
		call.Dialect = a.target.Dialect
	}
	if a.asked.Stream {
		a.prepare()
		call.OnEvent, call.Answer = a.event, a.flow.answer
	}
	return meter.WithCall(catalog.WithTarget(a.ctx, a.target.Name), call)
}

// allowed is how long the attempt may take as a whole; 0: as long as it likes.
func (a *attempt) allowed() time.Duration {
	limit := time.Duration(0)
	if !a.asked.Stream {
		limit = a.site.Whole
	}
	if !a.deadline.IsZero() {
		if left := max(a.deadline.Sub(a.began), 1); limit == 0 || left < limit {
			limit = left
		}
	}
	return limit
}

// take is the meter's sink.
func (a *attempt) take(t *weir.Trace) {
	a.ended = ended{
		known: true, outcome: t.Outcome, errorType: a.plant.redact(t.ErrorType), errorText: a.plant.redact(t.ErrorText), status: t.Status,
		wrote: t.Wrote.Known(), header: t.Header, firstEvent: t.FirstEvent(), first: t.TTFT(), total: t.End,
		tpot: t.TPOT(), retryAfter: t.RetryAfter, usage: t.Usage, finish: t.Finish, requestID: t.RequestID, chars: t.OutputChars,
	}
	for _, w := range t.Warnings {
		a.ended.stale = a.ended.stale || w == weir.WarnStaleConn
	}
	a.server.sink(t)
}

// unwritten is for a request that this target cannot be sent.
func (a *attempt) unwritten(err error) *cause {
	c := &cause{target: a.target.Name, outcome: weir.BadRequest, errorType: "bad_request", message: err.Error(), status: http.StatusBadRequest, ours: true}
	if e, ok := errors.AsType[*weir.Error](err); ok {
		c.errorType, c.message = e.Code, e.Error()
	}
	return c
}

// failure is the cause that follows from what the meter saw.
func (a *attempt) failure(answered bool) *cause {
	e := &a.ended
	c := &cause{
		target: a.target.Name, outcome: e.outcome, errorType: e.errorType, message: e.errorText, status: e.status, committed: a.flow.committed,
		private: !answered,
	}
	if wait, ok := e.retryAfter.Get(); ok {
		c.retryAfter = weir.Some(wait.Duration())
	}
	if a.flow.failed != nil {
		c.inBand(a.flow.failed, a.resp.Header)
		c.errorType, c.message = a.plant.redact(c.errorType), a.plant.redact(c.message)
	}
	if a.flow.untold {
		c.outcome, c.errorType, c.message = weir.Malformed, translate.BadAnswer, "its answer cannot be told in the caller's dialect"
	}
	if a.exchange.ctx.Err() != nil { // whatever else came first
		c.outcome, c.errorType = weir.Canceled, ""
	}
	quick := a.site.QuickRetry > 0 && time.Since(a.began) <= a.site.QuickRetry
	lost := !answered && e.outcome == weir.EmptyResponse
	c.early = quick && (lost || answered && e.status == http.StatusInternalServerError)
	switch e.outcome {
	case weir.TimeoutFirstOutput, weir.TimeoutStall, weir.TimeoutTotal:
		c.maybe = e.wrote
	default:
		c.maybe = lost && e.wrote && !quick
	}
	return c
}

// The bounds of what is read of an error so that its connection can be used
// again.
const (
	errorDrainBytes = 2 << 20
	errorDrainTime  = 50 * time.Millisecond
)

// errorBody reads what a target says, as far as it is kept, and a little
// further.
func (a *attempt) errorBody() []byte {
	limit := int64(a.plant.bounds.Error)
	body, err := io.ReadAll(io.LimitReader(a.resp.Body, limit))
	if err == nil && int64(len(body)) == limit {
		timer := time.AfterFunc(errorDrainTime, func() { a.cancel(errEnough) })
		_, _ = io.CopyN(io.Discard, a.resp.Body, errorDrainBytes) // a connection that cannot be kept is closed
		timer.Stop()
	}
	a.finish()
	return body
}

// errEnough is why an error's body is not read further.
var errEnough = errors.New("read enough of the error")

// finish ends the response; from then on the meter has said what it was. What
// it still reads to keep the connection goes nowhere.
func (a *attempt) finish() {
	a.flow.closed = true
	if a.resp != nil {
		_ = a.resp.Body.Close() // the trace has what went wrong
	}
}

// report tells the fleet and the trail how the attempt ended.
func (a *attempt) report(c *cause) {
	a.finish()
	e := &a.ended
	r := route.Report{
		Outcome: e.outcome, ErrorType: e.errorType, Status: e.status, InputTokens: a.promptTokens(), Stream: a.asked.Stream,
		TTFT: e.first, TPOT: e.tpot,
	}
	if wait, ok := e.retryAfter.Get(); ok {
		r.RetryAfter = weir.Some(wait.Duration())
	}
	switch {
	case c == nil:
		r.Outcome, r.ErrorType = weir.OK, ""
		if !a.asked.Stream {
			r.TTFT = e.total
		}
	case !e.known:
		r.Outcome, r.Neutral = weir.Abandoned, true
	default:
		r.Outcome, r.ErrorType, r.Status = c.outcome, c.errorType, c.status
		r.Neutral = c.outcome == weir.TimeoutTotal && a.own
	}
	if !r.TTFT.Known() && r.Outcome.Censors() {
		r.Censored = e.total
	}
	a.ticket.End(r, time.Now())
	if effect := route.Weigh(r.Outcome, r.ErrorType, r.Status); effect == route.Key || effect == route.Quota {
		a.server.log.LogAttrs(a.ctx, slog.LevelWarn, "a target's key is of no use", slog.String("target", a.target.Name), slog.String("why", effect.String()), slog.String("said", c.message))
	}
	a.trail(c)
}

// promptTokens is the prompt's length as the target counted it, less what it
// read from its cache, else the estimate.
func (a *attempt) promptTokens() int {
	n, ok := a.ended.usage.Prompt.Get()
	if !ok {
		return a.exchange.ask.InputTokens
	}
	a.site.bytes.learn(len(a.asked.Prompt), n)
	return n - a.ended.usage.Cached.Or(0)
}
