package weir

import "time"

// HealthState is whether a target is in use.
type HealthState string

// The states.
const (
	HealthUnknown  HealthState = "unknown"   // nothing of it was seen yet: neither good nor bad
	HealthClosed   HealthState = "closed"    // in use
	HealthOpen     HealthState = "open"      // out of use
	HealthHalfOpen HealthState = "half_open" // the next request finds out, or is finding out
)

// Health is what is known of a target at one instant.
type Health struct {
	Target string         `json:"target"`
	State  HealthState    `json:"state"`
	Reason string         `json:"reason,omitempty"` // why it is out of use: open, out_of_quota, bad_key; or cooling_down, while closed
	Since  Opt[time.Time] `json:"since"`            // when the state changed last
	Until  Opt[time.Time] `json:"until"`            // when it is tried again

	InFlight  int          `json:"in_flight"`
	Row       int          `json:"failures_in_a_row"`
	Outcomes  int          `json:"outcomes"` // good and bad, in the window
	Failures  int          `json:"failures"`
	ErrorRate Opt[float64] `json:"error_rate"` // of the window; null where it has no outcome

	Streams FirstOutput  `json:"streams"`
	Wholes  FirstOutput  `json:"wholes"`      // answers in one piece
	TPOT    Span         `json:"tpot_p50_ms"` // of recent answers
	Totals  HealthTotals `json:"totals"`
}

// FirstOutput is what is known of the time to a target's first output: a line
// over the prompt's length, and how recent answers lie around it.
type FirstOutput struct {
	Samples int  `json:"samples"`   // recent ones that the quantiles are of
	Base    Span `json:"base_ms"`   // at no tokens
	PerK    Span `json:"per_1k_ms"` // for each thousand tokens of the prompt
	P50At1K Span `json:"p50_at_1k_ms"`
	P95At1K Span `json:"p95_at_1k_ms"` // a lower bound where the slowest were cut
}

// HealthTotals count how a target's attempts ended, since the start.
type HealthTotals struct {
	Success  int `json:"success"`
	Failure  int `json:"failure"`
	CoolDown int `json:"cool_down"`
	Out      int `json:"out"` // quota, key
	Neutral  int `json:"neutral"`
}
