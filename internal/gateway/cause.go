package gateway

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/internal/request"
)

// cause is why an attempt gave the caller no whole answer.
type cause struct {
	target    string
	outcome   weir.Outcome
	errorType string
	message   string // the target's words, or ours or the transport's; redacted
	private   bool   // it is the transport's, and may name addresses that are no caller's business
	status    int    // of the response, or that an error inside a 200 names; 0: none

	retryAfter weir.Opt[time.Duration]
	body       []byte // of an error response
	bodyType   string

	committed bool // the caller has the beginning of the answer
	early     bool // a 500, or no answer at all, at once
	maybe     bool // the target may carry the request out all the same
	usage     bool // it refuses stream_options
	ours      bool // no request was made
}

// step is what follows from a cause.
type step uint8

const (
	nextTarget   step = iota
	sameTarget        // at once, once
	withoutUsage      // at once, and not counted
	largerWindow
	passOn // the caller gets it: nobody would answer better
	stop
)

// step says what to do after an attempt that failed before its first output.
func (c *cause) step() step {
	switch {
	case c.outcome == weir.Canceled, c.outcome == weir.Abandoned, c.outcome == weir.TimeoutTotal:
		return stop
	case c.errorType == "content_filter":
		return passOn
	case c.errorType == "context_length":
		return largerWindow
	case c.usage:
		return withoutUsage
	case c.outcome == weir.BadRequest && !c.ofTarget():
		return passOn
	case c.early:
		return sameTarget
	}
	return nextTarget
}

// ofTarget tells whether a bad request is the target's fault: it has no such
// model, its key is wrong or has no credit.
func (c *cause) ofTarget() bool {
	return c.ours || slices.Contains([]string{"quota_exhausted", "invalid_key", "model_not_found"}, c.errorType)
}

// barred tells whether the target is of no use with the key it has.
func (c *cause) barred() bool {
	return c.outcome == weir.Auth || c.errorType == "quota_exhausted" || c.errorType == "invalid_key"
}

// limited tells whether the target only has had too much.
func (c *cause) limited() bool { return c.outcome == weir.RateLimited && !c.barred() }

// inBand reads an error that came inside a 200. One that names a status of the
// caller's doing is judged as that status is.
func (c *cause) inBand(data []byte, header http.Header) {
	status := statusIn(data)
	if status >= 400 && status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout {
		v := dialect.Classify(status, header, data)
		c.outcome, c.errorType, c.message = v.Outcome, v.ErrorType, v.Message
	}
	c.status = status
}

// statusIn is the HTTP status that an error names, as a code or by its type; 0
// if it names none.
func statusIn(data []byte) int {
	var e struct {
		Error struct {
			Code   any    `json:"code"`
			Status any    `json:"status"`
			Type   string `json:"type"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &e) != nil {
		return 0
	}
	for _, v := range []any{e.Error.Code, e.Error.Status} {
		switch v := v.(type) {
		case float64:
			if v >= 400 && v < 600 {
				return int(v)
			}
		case string:
			if n, err := strconv.Atoi(v); err == nil && n >= 400 && n < 600 {
				return n
			}
		}
	}
	if e.Error.Type == "invalid_request_error" {
		return http.StatusBadRequest
	}
	return 0
}

// refusesUsage tells whether the body of a 400 complains of stream_options.
func refusesUsage(d weir.Dialect, body []byte) bool {
	var l request.Learned
	return l.From400(d, body) && slices.Contains(l.Dropped(), "stream_options")
}
