package journal

import (
	"time"

	"weir.dev/weir"
)

// Schema is the form of a record, which its first field names. A new field
// leaves it as it is; one that is gone, renamed or of another meaning raises it.
const Schema = "weir.request/1"

// Record is one request, as the caller saw it and as it was served. Times named
// _ms count from the arrival of its head, by one clock; what was not measured is
// null. Who makes it fills it from one goroutine and hands it to [Log.Add].
type Record struct {
	Schema    string       `json:"schema"`      // weir.request/1
	ID        string       `json:"request_id"`  // a ULID; x-weir-request-id
	At        time.Time    `json:"at"`          // when its head arrived
	Route     string       `json:"route"`       // the configured name; empty: it named none of them
	Key       string       `json:"key"`         // the name of the caller's key, never the key; empty: none
	Asked     string       `json:"model_asked"` // the model name that the caller sent
	Operation Operation    `json:"operation"`
	Dialect   weir.Dialect `json:"dialect"` // the caller's; empty: one that is passed through unread
	Stream    bool         `json:"stream"`  // whether the caller asked for one

	InputTokens weir.Opt[int] `json:"input_tokens_estimated"` // what routing went by
	Policy      string        `json:"policy"`
	Candidates  []Candidate   `json:"candidates"` // in the order of the plan
	Skipped     []Skip        `json:"skipped"`
	Attempts    []Attempt     `json:"attempts"` // in the order of their start

	Outcome      weir.Outcome  `json:"outcome"`
	ErrorType    string        `json:"error_type"`    // the detail of the outcome; empty: none
	ErrorMessage string        `json:"error_message"` // redacted by whoever made the record
	Refused      string        `json:"refused"`       // the limit of the key that kept it out: rpm, tpm, budget, no_price; empty: none did
	Status       weir.Opt[int] `json:"status"`        // sent to the caller; null: none was
	Target       string        `json:"target"`        // whose answer the caller got; empty: nobody's

	Held         weir.Span `json:"held_ms"`         // until the status line went out to the caller
	Early        bool      `json:"early"`           // it went out with comments before an answer was certain, since the hold was over
	TTFT         weir.Span `json:"ttft_ms"`         // until the first output was written to the caller
	TPOT         weir.Span `json:"tpot_ms"`         // per output token after the first event, as the caller got them
	End          weir.Span `json:"end_ms"`          // until the last byte was written, or the caller was gone
	Gateway      weir.Span `json:"gateway_ms"`      // the gateway's own share of ttft_ms, or of end_ms where there was no output: neither waiting for targets nor for the caller
	Backpressure weir.Span `json:"backpressure_ms"` // spent in writes that the caller made wait

	Usage          weir.Usage        `json:"usage"`           // of all attempts
	UsageEstimated bool              `json:"usage_estimated"` // some of it was not reported
	Cost           weir.Opt[float64] `json:"cost_usd"`        // of all attempts; null where that of any is not known

	DuplicateRisk    int   `json:"duplicate_risk"`     // failovers after a target may have carried the request out
	RetryBudgetSpent bool  `json:"retry_budget_spent"` // a further attempt was not made, since the gateway had made too many
	Rescue           *Seam `json:"rescue"`             // null: none was tried
}

// Operation is what is asked for, in the words of OpenTelemetry's
// gen_ai.operation.name.
type Operation string

// The operations.
const (
	Chat           Operation = "chat" // chat completions, responses, messages
	TextCompletion Operation = "text_completion"
	Embeddings     Operation = "embeddings"
)

// Candidate is a target of the plan.
type Candidate struct {
	Target      string    `json:"target"`
	FirstOutput weir.Span `json:"first_output_limit_ms"` // null: no limit
	Stall       weir.Span `json:"stall_limit_ms"`        // null: no limit
	Probe       bool      `json:"probe"`                 // its breaker is half open
}

// Skip is a target that was left out of the plan.
type Skip struct {
	Target string              `json:"target"`
	Why    string              `json:"why"`   // open, cooling_down, out_of_quota, bad_key, no_key, too_long, cannot_serve, ...
	Until  weir.Opt[time.Time] `json:"until"` // null: not known
}

// Attempt is one call of one target.
type Attempt struct {
	Target  string       `json:"target"`
	Model   string       `json:"model"`   // the target's name of it
	Dialect weir.Dialect `json:"dialect"` // the target's; where it is not the caller's, the answer was translated
	Why     Why          `json:"why"`

	Started     weir.Dur  `json:"started_ms"`
	Header      weir.Span `json:"header_ms"`      // the response's head
	FirstEvent  weir.Span `json:"first_event_ms"` // of any kind: a role, a ping
	FirstOutput weir.Span `json:"first_output_ms"`
	End         weir.Span `json:"end_ms"` // its last byte, or when it was given up

	Outcome      weir.Outcome      `json:"outcome"`
	Status       weir.Opt[int]     `json:"status"`
	ErrorType    string            `json:"error_type"`
	ErrorMessage string            `json:"error_message"`  // redacted
	Clock        Clock             `json:"clock"`          // that ended it; empty: none did
	RetryAfter   weir.Span         `json:"retry_after_ms"` // what the target asked for
	Committed    bool              `json:"committed"`      // its answer went to the caller
	Broken       int               `json:"broken_events"`  // dropped in mid-stream, since they were no JSON
	RequestID    string            `json:"provider_request_id"`
	Usage        weir.Usage        `json:"usage"`
	Cost         weir.Opt[float64] `json:"cost_usd"`
}

// Why says what an attempt was made for.
type Why string

// The reasons.
const (
	First        Why = "first"
	Failover     Why = "failover"               // the attempt before it failed
	QuickRetry   Why = "quick_retry"            // the same target, right after a 500 or a reset
	Reconnect    Why = "reconnect"              // the same target: the connection that was kept open was dead
	WithoutUsage Why = "without_stream_options" // the same target, which does not know them
	NewToken     Why = "token_refresh"          // the same target, with a new token
	Grace        Why = "grace"                  // nobody else was left
	RescueTry    Why = "rescue"                 // goes on with an answer that broke off
)

// Clock is a timer of an attempt.
type Clock string

// The clocks.
const (
	ConnectClock     Clock = "connect"
	FirstOutputClock Clock = "first_output"
	BytesClock       Clock = "bytes"
	StallClock       Clock = "stall"
	DeadlineClock    Clock = "deadline"
	WriteClock       Clock = "write" // the caller did not read
)

// Seam is where an answer that broke off went on, or was to.
type Seam struct {
	How  string    `json:"how"`  // match, prefill
	From string    `json:"from"` // targets
	To   string    `json:"to"`
	At   weir.Span `json:"at_ms"`      // of the first output after it; null: it failed
	Sent int       `json:"sent_bytes"` // of text that the caller had
	Same int       `json:"same_bytes"` // of which the new answer repeated
	OK   bool      `json:"ok"`
}
