package gateway

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/route"
)

// fail tells the caller that there is no answer, or no more of it.
func (x *exchange) fail() {
	p, c := x.failed()
	x.record.Outcome, x.record.ErrorType, x.record.ErrorMessage = c.outcome, c.errorType, cmp.Or(c.message, p.message)
	if x.r.Context().Err() != nil || c.outcome == weir.Canceled && !x.ending() {
		x.record.Outcome, x.record.ErrorType = weir.Canceled, ""
		return // nobody is left to tell
	}
	if x.asked.Stream && x.down.close() {
		_ = x.down.write(x.errorEvent(p, c)) // a caller that has left is told nothing
		return
	}
	x.record.Status, x.record.Held = weir.Some(p.status), x.since(time.Now())
	x.w.Header().Set("X-Weir-Attempts", strconv.Itoa(len(x.record.Attempts)))
	if x.tried.final != nil {
		x.w.Header().Set("X-Weir-Target", x.tried.final.target)
	}
	writeProblem(x.w, x.dialect, p)
}

// errorEvent is a problem in mid-stream: the last event of the answer, which
// then has no finish reason and no terminal event.
func (x *exchange) errorEvent(p *problem, c *cause) []byte {
	said := p.said(x.dialect)
	if x.dialect != weir.Anthropic {
		said.Type, said.Code = string(c.outcome), cmp.Or(c.errorType, string(c.outcome))
	}
	s := request.Stream{Dialect: x.dialect, ID: x.record.ID, Model: x.model, Created: x.arrived.Unix()}
	return s.AppendError(nil, said, request.With{})
}

// failed is what the caller is told, and the cause that it follows from.
func (x *exchange) failed() (*problem, *cause) {
	t := &x.tried
	switch {
	case x.ending():
		return &problem{status: http.StatusServiceUnavailable, code: "shutting_down", message: "the gateway is shutting down", again: weir.Some(true)},
			&cause{outcome: weir.Canceled, errorType: "shutting_down"}
	case t.rescue != nil: // the first failure, not what came of trying to mend it
		return x.brokeOff(t.rescue.first), t.rescue.first
	case t.final != nil:
		return x.passedOn(t.final), t.final
	case len(t.causes) == 0:
		return x.nobody()
	}
	c := mostUseful(t.causes)
	if c.errorType == "context_length" || c.ours {
		return x.passedOn(c), c
	}
	return x.allFailed(), c
}

// brokeOff is for an answer that the caller has the beginning of.
func (x *exchange) brokeOff(c *cause) *problem {
	p := &problem{status: http.StatusBadGateway, code: string(c.outcome), message: "the answer broke off: " + c.said()}
	if c.outcome == weir.TimeoutStall || c.outcome == weir.TimeoutTotal {
		p.status = http.StatusGatewayTimeout
	}
	return p
}

// passedOn is what a target said, with its status.
func (x *exchange) passedOn(c *cause) *problem {
	p := &problem{status: c.status, code: c.errorType, message: c.message}
	if p.status < 400 || p.status > 599 { // it came inside a 200
		p.status = http.StatusBadRequest
	}
	switch {
	case c.outcome == weir.TimeoutTotal:
		p.status, p.code, p.message = http.StatusServiceUnavailable, string(c.outcome), "no answer within the request's deadline"
	case c.outcome == weir.Canceled || c.outcome == weir.Abandoned:
		p.status = http.StatusServiceUnavailable
	case len(c.body) > 0:
		p.body, p.bodyType = x.retold(c)
	}
	if p.message == "" {
		p.message = c.said()
	}
	p.again = weir.Some(false)
	return p
}

// retold is the target's own error in the caller's dialect: its bytes, where it
// speaks that and they are whole.
func (x *exchange) retold(c *cause) (body []byte, kind string) {
	t := x.site.target(c.target)
	if len(c.body) >= x.plant.bounds.Error || t == nil {
		return nil, ""
	}
	clean := []byte(x.plant.redact(string(c.body)))
	if x.passes(t) && strings.HasPrefix(c.bodyType, "application/json") {
		return clean, c.bodyType
	}
	return x.translated(c.status, http.Header{}, clean), "application/json"
}

// mostUseful is the cause that tells most about what to do: first what the
// caller can change, then a failure, then what only time or a new key mends.
func mostUseful(causes []*cause) *cause {
	rank := func(c *cause) int {
		switch {
		case c.errorType == "context_length":
			return 0
		case c.ours:
			return 4
		case c.barred():
			return 3
		case c.limited():
			return 2
		}
		return 1
	}
	return slices.MinFunc(causes, func(a, b *cause) int { return rank(a) - rank(b) })
}

// allFailed is for a request that every target it was sent to has failed.
func (x *exchange) allFailed() *problem {
	p := x.allOut()
	p.code = "all_targets_failed"
	p.again = weir.Some(p.status == http.StatusTooManyRequests)
	said := make([]string, len(x.tried.causes))
	for i, c := range x.tried.causes {
		said[i] = c.said()
	}
	p.message = "no target answered: " + strings.Join(slices.Compact(said), "; ")
	if x.record.RetryBudgetSpent {
		p.message += " (no further target was asked: the gateway's budget for retries is spent)"
	}
	return p
}

// allOut is the status that follows from how all targets stand, and when the
// first is back; no time where one is in use.
func (x *exchange) allOut() *problem {
	now := time.Now()
	x.server.fleet.Plan(x.site.Plan, &x.ask, now, &x.plan)
	tried := make([]route.Effect, len(x.tried.causes))
	for i, c := range x.tried.causes {
		tried[i] = route.Weigh(c.outcome, c.errorType, c.status)
	}
	p := &problem{}
	p.status, p.retryAfter = route.AllOut(&x.plan, tried, now)
	if slices.ContainsFunc(x.plan.Candidates, func(c route.Candidate) bool { return !c.Forced }) {
		p.retryAfter = weir.None[time.Duration]()
	}
	return p
}

// nobody is for a request that no target could be asked.
func (x *exchange) nobody() (*problem, *cause) {
	p := x.allOut()
	c := &cause{outcome: weir.UpstreamError, errorType: "no_target"}
	p.code, p.again = "no_target", weir.Some(p.retryAfter.Known())
	switch p.status {
	case http.StatusTooManyRequests:
		p.code, c.outcome = "rate_limit_exceeded", weir.RateLimited
	case http.StatusBadGateway:
		c.outcome = weir.Auth
	case http.StatusBadRequest:
		p.code, c.outcome, p.again = "cannot_serve", weir.BadRequest, weir.Some(false)
	}
	p.message = fmt.Sprintf("route %q has no target", x.site.name)
	if len(x.plan.Skipped) > 0 {
		why := make([]string, len(x.plan.Skipped))
		for i, s := range x.plan.Skipped {
			why[i] = s.Target + ": " + string(s.Why)
		}
		p.message = fmt.Sprintf("no target of route %q can be asked: %s", x.site.name, strings.Join(why, "; "))
	}
	c.message = p.message
	return p, c
}

// said is the cause in a few words.
func (c *cause) said() string {
	s := c.target + ": " + string(c.outcome)
	if c.status >= 400 {
		s += fmt.Sprintf(" (%d)", c.status)
	} else if c.errorType != "" {
		s += " (" + c.errorType + ")"
	}
	if c.message != "" && !c.private {
		s += ": " + c.message
	}
	return s
}
