package weir

import "slices"

// Outcome says how a call ended. The list is closed; details are in a trace's
// Status and ErrorType.
type Outcome string

// The outcomes of METRICS.md, "Failures are data".
const (
	OK                 Outcome = "ok"                   // ended as it should
	RateLimited        Outcome = "rate_limited"         // 429, or the same said inside a 200
	UpstreamError      Outcome = "upstream_error"       // 408, 5xx, 529, or an error event inside a 200
	Auth               Outcome = "auth"                 // 401, 402, 403
	BadRequest         Outcome = "bad_request"          // any other 4xx: the request is at fault
	Truncated          Outcome = "truncated"            // ended with neither a finish reason nor a terminal event
	Malformed          Outcome = "malformed"            // the bytes are not what the dialect allows
	NotStreamed        Outcome = "not_streamed"         // one JSON body came where a stream was asked for
	EmptyResponse      Outcome = "empty_response"       // nothing came
	ConnectError       Outcome = "connect_error"        // no connection: DNS, refused, TLS
	TimeoutConnect     Outcome = "timeout_connect"      // no connection in time
	TimeoutFirstOutput Outcome = "timeout_first_output" // no output in time
	TimeoutStall       Outcome = "timeout_stall"        // output stopped for too long
	TimeoutTotal       Outcome = "timeout_total"        // the whole call took too long
	Canceled           Outcome = "canceled"             // the caller left
	Abandoned          Outcome = "abandoned"            // we left: hedge loser, failover
)

// Outcomes is the closed list, in the order tables show it.
func Outcomes() []Outcome {
	return []Outcome{
		OK, RateLimited, UpstreamError, Auth, BadRequest, Truncated, Malformed, NotStreamed, EmptyResponse,
		ConnectError, TimeoutConnect, TimeoutFirstOutput, TimeoutStall, TimeoutTotal, Canceled, Abandoned,
	}
}

// Valid tells whether o is on the list.
func (o Outcome) Valid() bool { return slices.Contains(Outcomes(), o) }

// Eligible tells whether the call says anything about the target's success
// rate: cancels are neutral, bad requests and bad keys are the caller's, and
// the rate-limited share is reported beside the rate.
func (o Outcome) Eligible() bool {
	switch o {
	case Canceled, Abandoned, BadRequest, Auth, RateLimited:
		return false
	}
	return true
}

// Censors tells whether a latency that was not reached is known to be at least
// as long as the call lasted (METRICS.md: right-censored).
func (o Outcome) Censors() bool {
	switch o {
	case TimeoutConnect, TimeoutFirstOutput, TimeoutStall, TimeoutTotal, Canceled, Abandoned:
		return true
	}
	return false
}
