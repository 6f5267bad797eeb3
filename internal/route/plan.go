package route

import (
	"time"

	"weir.dev/weir"
)

// Ask is what a request needs, as far as choosing a target for it goes.
type Ask struct {
	InputTokens  int           // estimated
	OutputTokens weir.Opt[int] // most that it asks for
	Dialect      weir.Dialect  // of the caller; targets of it come first where the policy has no reason against
	Stream       bool
	Tools        bool
	Images       bool
	Pin          string   // the only target that can serve it, by name; empty: any
	Without      []string // targets that this request must not go to (again); other providers than theirs come first
	LargerThan   int      // only targets with a context window above so many tokens; 0: any
}

// Candidate is one target of a plan, and how long to wait for it.
type Candidate struct {
	Target string
	Limits Limits
	Grace  time.Duration // in place of Limits.FirstOutput where no other attempt can follow; of a plan's last candidate it already is. 0: no limit

	Probe   bool      // the breaker is half open: this request finds out
	Slow    bool      // it breaks the route's SLO for prompts of this size
	Explore bool      // it is slow and first all the same: it may have healed
	Forced  bool      // it is out of use, and there is no other
	Expect  weir.Span // p95 of its first output for this prompt, or what the SLO has in place of p95; policy slo only, empty: unknown
}

// Limits are an attempt's clocks. Zero is no limit.
type Limits struct {
	Connect     time.Duration
	FirstOutput time.Duration // absolute, for this length of prompt
	Bytes       time.Duration // without any byte
	Stall       time.Duration // without an output event
}

// Reason says why a target is not in a plan.
type Reason string

// The reasons.
const (
	Open         Reason = "open"          // the breaker is open
	CoolingDown  Reason = "cooling_down"  // it said 429
	OutOfQuota   Reason = "out_of_quota"  // its key's quota or balance is used up
	BadKey       Reason = "bad_key"       // it refuses its key
	NoKey        Reason = "no_key"        // it has none configured
	TooLong      Reason = "too_long"      // the prompt does not fit its window
	CannotServe  Reason = "cannot_serve"  // dialect, tools, images
	Excluded     Reason = "excluded"      // the request was there already
	Elsewhere    Reason = "elsewhere"     // the request is pinned to another
	ProbeRunning Reason = "probe_running" // half open, and its one probe is under way
)

// Skip is a target that was left out, and until when; Until is zero where no
// time is known.
type Skip struct {
	Target string
	Why    Reason
	Until  time.Time
}

// Plan is a decision: whom to ask, in order, and who was left out. It names at
// most 16 candidates; whoever could only come behind them is in neither list. A
// Plan is kept and filled again; its slices keep their room.
type Plan struct {
	Policy     Policy
	Candidates []Candidate
	Skipped    []Skip

	ranks []rank
}
