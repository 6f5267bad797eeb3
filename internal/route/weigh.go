package route

import (
	"net/http"

	"weir.dev/weir"
)

// Effect is what the end of an attempt says about its target.
type Effect int

// The effects.
const (
	Neutral  Effect = iota // nothing: the caller's doing, or ours
	Success                // ended as it should
	Failure                // counts towards the breaker
	CoolDown               // rate limited: out until the time it asked for, no breaker
	Quota                  // its key's quota or balance is used up
	Key                    // it refuses its key
)

// String is the effect as logs and pages show it.
func (e Effect) String() string {
	return [...]string{"neutral", "success", "failure", "cool_down", "quota", "key"}[e]
}

// Weigh says what an end counts as (GATEWAY.md, "What counts against a
// target"). errorType is package dialect's word; status is the response's, or
// that of an error inside a 200, 0 where none came.
func Weigh(outcome weir.Outcome, errorType string, status int) Effect {
	switch outcome {
	case weir.OK:
		return Success
	case weir.Truncated, weir.Malformed, weir.NotStreamed, weir.EmptyResponse, weir.ConnectError,
		weir.TimeoutConnect, weir.TimeoutFirstOutput, weir.TimeoutStall, weir.TimeoutTotal:
		return Failure
	case weir.RateLimited, weir.Auth, weir.BadRequest, weir.UpstreamError:
		return weighAnswer(outcome, errorType, status)
	}
	return Neutral
}

// weighAnswer is Weigh for what a target said: what the error is about goes
// before its status, since providers say "no credit" with a 400 and a 429 too.
func weighAnswer(outcome weir.Outcome, errorType string, status int) Effect {
	switch errorType {
	case "quota_exhausted":
		return Quota
	case "invalid_key":
		return Key
	case "context_length", "content_filter":
		return Neutral
	}
	switch {
	case outcome == weir.RateLimited, status == http.StatusTooManyRequests:
		return CoolDown
	case status == http.StatusPaymentRequired:
		return Quota
	case outcome == weir.Auth, status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Key
	case outcome == weir.BadRequest:
		return Neutral
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout: // of an error inside a 200
		return Neutral
	}
	return Failure
}
