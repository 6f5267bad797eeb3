package config

import (
	"time"

	"weir.dev/weir"
)

// Where the gateway listens if the file does not say it.
const (
	DefaultListen = "127.0.0.1:8080"
	DefaultAdmin  = "127.0.0.1:8081"
)

// Policy says how a route orders its targets.
type Policy string

// The policies.
const (
	Fixed     Policy = "fixed"      // in the order of the file
	Weighted  Policy = "weighted"   // at random, by weight
	LeastBusy Policy = "least_busy" // of two at random, the one with less to do for its weight
	SLO       Policy = "slo"        // in the order of the file, those that break the SLO last
)

// Rescue says what becomes of an answer that breaks off after some text was sent.
type Rescue string

// The rescues.
const (
	NoRescue      Rescue = "off"     // it ends with an error event
	RescueMatch   Rescue = "match"   // the next target begins anew; what equals the text that was sent is swallowed
	RescuePrefill Rescue = "prefill" // the next target gets the text as the answer's beginning
)

// Route is a name that callers ask for as their model, and who answers. What
// it does not say itself is filled in from the gateway's settings.
type Route struct {
	Name         string
	Policy       Policy
	SLO          weir.SLO // empty: none
	Attainment   float64  // the share of requests that has to meet an objective without a percentile of its own
	Explore      float64  // the share that tries a slow target again; 0: none
	Rescue       Rescue
	RewriteModel bool     // answers name the route as their model, not what the target calls it
	KeepTrying   bool     // where every target is out of use, ask them all the same
	Targets      []Target // in order; what a target says itself goes before what the route says
	FirstOutput  FirstOutput
	Handling     Handling
}

// Handling is how much is done for one request.
type Handling struct {
	Attempts   int           // at all targets together, the first included
	Budget     time.Duration // of all attempts, from the arrival to the first output; a rescue has it anew; 0: none
	Deadline   time.Duration // of the request, from its arrival; 0: none
	Whole      time.Duration // of an attempt at an answer that is not streamed; 0: none
	Hold       time.Duration // without output until 200 and comments go out; 0: never
	HoldEvents int           // kept back before the first output, at most
	HoldBytes  int           // likewise
	KeepAlive  time.Duration // between comments, once the hold is over; 0: none
	QuickRetry time.Duration // a 500 or reset within this time is tried once more at the same target; 0: never
	Duplicates int           // failovers from attempts that may have been carried out all the same
	Write      time.Duration // for one write to a caller who does not read
	Trailer    time.Duration // for usage and the terminal event, once the answer has its finish reason; 0: no limit
}

// Limits are the clocks of one attempt. 0: no limit.
type Limits struct {
	Connect     time.Duration
	FirstOutput weir.Opt[time.Duration] // whatever the prompt; empty: as FirstOutput says
	Bytes       time.Duration           // without any byte
	Stall       time.Duration           // without an output event
}

// FirstOutput says how long an attempt may take to its first output, by the
// length of the prompt and what the target was seen to take.
type FirstOutput struct {
	Min      time.Duration
	Max      time.Duration
	Cold     time.Duration           // for a target that is not known yet
	PerK     time.Duration           // and so much for each thousand tokens of the prompt
	PerToken time.Duration           // for each token that an answer in one piece may have
	Factor   float64                 // on what was measured
	Grace    weir.Opt[time.Duration] // for the last target there is; empty: Max; 0: no more than the others
}

// Breaker says when a target is left alone, and for how long.
type Breaker struct {
	Failures int           // in a row
	Rate     float64       // or this share of the outcomes in Window
	Minimum  int           // of outcomes for Rate to count
	Window   time.Duration // that Rate looks at
	Open     time.Duration // the first time; it doubles
	OpenMax  time.Duration // up to this
	Recheck  time.Duration // after a refused key or a used-up quota
}

// Cooldown bounds how long a target rests after a 429, whatever it asks for.
type Cooldown struct{ Min, Max time.Duration }

// Gateway are the settings of the gateway as a whole. What routes and targets
// have of their own is in Route and Target, filled in from here. The zero value
// is not the defaults: Defaults is.
type Gateway struct {
	Handling    Handling
	Limits      Limits
	FirstOutput FirstOutput
	Breaker     Breaker
	Cooldown    Cooldown
	HalfLife    time.Duration // of what was measured of a target
	RetryBudget float64       // attempts after a request's first, as a share of all requests; 0: no bound
	RetryFloor  int           // of them in ten seconds, however few the requests

	BodyLimit   int           // bytes of a caller's body
	HeaderLimit int           // bytes of a caller's head
	ReadHeader  time.Duration // for a caller to send the head
	ReadBody    time.Duration // and the body
	Idle        time.Duration // for the next request on a kept connection
	EventLimit  int           // bytes of one event of a target
	ErrorLimit  int           // bytes read of a target's error
	AnswerLimit int           // bytes of an answer that is not streamed
	Output      int           // tokens that limits and budgets take an answer to have whose request names no most
	UsageDrains int           // answers read on for their usage at a time, after the caller has left
	UsageDrain  time.Duration // and for how long each
	Pins        int           // responses whose target is remembered, for previous_response_id
	Requests    int           // records kept for the admin API
	Drain       time.Duration // for streams to finish after SIGTERM
}

// Key lets a caller in. Only the hash of the secret is known.
type Key struct {
	Name   string
	SHA256 [32]byte
	Routes []string         // that it may use; empty: all
	RPM    weir.Opt[int]    // requests a minute
	TPM    weir.Opt[int]    // tokens a minute, prompts and answers together
	Budget weir.Opt[Budget] // what it may cost
}

// Period is what a budget is for; it begins at midnight UTC, weeks on Monday.
type Period string

// The periods.
const (
	Day   Period = "day"
	Week  Period = "week"
	Month Period = "month"
)

// Budget is an amount a period.
type Budget struct {
	USD    float64
	Period Period
}
