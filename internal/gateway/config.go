package gateway

import (
	"log/slog"
	"net/http"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/gateway/tenant"
	"weir.dev/weir/internal/route"
)

// Config is what a gateway works by. A reload gives it a new one, whole.
type Config struct {
	Routes   []Route
	Tenants  *tenant.Gate // nil: open to all
	Handling Handling     // of routes that bring none; the zero value: DefaultHandling
	Bounds   Bounds       // of zero fields: DefaultBounds
	Retries  Retries      // of all requests together

	// Upstream makes the attempts: it adds each target's key, by the name that
	// catalog.WithTarget put in the context. nil: none is added. Below it a
	// transport with 4 KiB to read into (http.Transport.ReadBufferSize) does as
	// well as one with more, and each stream has its own.
	Upstream http.RoundTripper
	// Redact takes secrets out of what targets say; nil: nothing is taken out.
	Redact func(string) string
}

// Route is a name that callers ask for as their model, and who answers.
type Route struct {
	Plan         *route.Route // name, policy, and per target what choosing needs; Targets by the same names
	Targets      []Target
	Handling     Handling // the zero value: the Config's
	Rescue       Rescue   // empty: NoRescue
	RewriteModel bool     // the route's name stands as the model in answers, not the target's
}

// Target is one place of a route.
type Target struct {
	weir.Target

	Prefill         bool // it goes on where a last assistant message ends
	NoStreamOptions bool // it refuses stream_options
	MaxTokensName   bool // it takes max_completion_tokens, not max_tokens; where a request is translated
	DrainUsage      bool // its answers are read on for their usage after the caller has left
}

// Rescue says what becomes of a stream that breaks off after some text was sent.
type Rescue string

// The rescues.
const (
	NoRescue      Rescue = "off"     // it ends with an error event
	RescueMatch   Rescue = "match"   // the next target begins anew; what equals the text that was sent is swallowed
	RescuePrefill Rescue = "prefill" // the next target that can gets the text as the answer's beginning
)

// Handling is how much is done for one request.
type Handling struct {
	Attempts   int           // at all targets together, the first included
	Deadline   time.Duration // of a request, from its arrival to its last byte; 0: none
	Budget     time.Duration // of its attempts, from its arrival to the first output; a rescue has it anew; 0: none
	Whole      time.Duration // of an attempt at an answer that is not streamed; 0: none
	Hold       time.Duration // without output until 200 and comments go out; 0: never
	HoldEvents int           // kept back before the first output, at most
	HoldBytes  int           // likewise
	KeepAlive  time.Duration // between comments where nothing else goes down; 0: none
	QuickRetry time.Duration // a 500 or a reset within it is tried once more at the same target; 0: never
	Duplicates int           // failovers from attempts that may have been carried out all the same
	Write      time.Duration // for one write to a caller who does not read; 0: no limit
	Trailer    time.Duration // for usage and terminal event, once the answer has its finish reason; 0: no limit
}

// DefaultHandling is what routes get that say nothing.
func DefaultHandling() Handling {
	return Handling{
		Attempts: 3, Hold: 10 * time.Second, HoldEvents: 64, HoldBytes: 256 << 10, KeepAlive: 15 * time.Second,
		QuickRetry: time.Second, Duplicates: 1, Write: 30 * time.Second, Trailer: 2 * time.Second,
	}
}

// Retries bound the further attempts of all requests together, against storms
// (route.RetryBudget).
type Retries struct {
	Share float64 // of the requests; 0: 0.1, below 0: none
	Floor int     // in ten seconds, however few the requests; 0: 100, below 0: none
}

// Bounds are on what the gateway as a whole takes in and waits for.
type Bounds struct {
	Body       int           // bytes of a caller's body; 32 MiB
	Header     int           // bytes of a caller's head; 64 KiB
	ReadHeader time.Duration // for a caller to send the head; 10 s
	ReadBody   time.Duration // and the body; 60 s
	Idle       time.Duration // for the next request on a kept connection; 120 s
	Event      int           // bytes of one event of a target; 16 MiB
	Error      int           // bytes of a target's error that are kept; 64 KiB
	Answer     int           // bytes of an answer that is not streamed; 32 MiB
	Output     int           // tokens that limits and budgets take an answer to have whose request names no most; 1024
	UsageDrain time.Duration // an answer is read on for its usage; 10 s
	Drains     int           // so many at a time; 64
	Drain      time.Duration // for streams to finish once the gateway is to end; 10 min
	Pins       int           // responses whose target is remembered, for previous_response_id; 65536
}

// DefaultBounds are the bounds of a gateway that is told none.
func DefaultBounds() Bounds {
	return Bounds{
		Body: 32 << 20, Header: 64 << 10, ReadHeader: 10 * time.Second, ReadBody: time.Minute, Idle: 2 * time.Minute,
		Event: 16 << 20, Error: 64 << 10, Answer: 32 << 20, Output: 1024, UsageDrain: 10 * time.Second, Drains: 64, Drain: 10 * time.Minute, Pins: 1 << 16,
	}
}

// orDefault fills what is zero.
func (b Bounds) orDefault() Bounds {
	d := DefaultBounds()
	fill(&b.Body, d.Body)
	fill(&b.Header, d.Header)
	fill(&b.ReadHeader, d.ReadHeader)
	fill(&b.ReadBody, d.ReadBody)
	fill(&b.Idle, d.Idle)
	fill(&b.Event, d.Event)
	fill(&b.Error, d.Error)
	fill(&b.Answer, d.Answer)
	fill(&b.Output, d.Output)
	fill(&b.UsageDrain, d.UsageDrain)
	fill(&b.Drains, d.Drains)
	fill(&b.Drain, d.Drain)
	fill(&b.Pins, d.Pins)
	return b
}

func fill[T int | time.Duration](at *T, with T) {
	if *at == 0 {
		*at = with
	}
}

// Parts are what a gateway works with, whatever its Config. The zero value
// works.
type Parts struct {
	Fleet   *route.Fleet          // nil: a fresh one
	Journal *journal.Log          // nil: requests are not kept
	Record  func(*journal.Record) // is told of each request at its end, before the journal is: metrics; must not block or keep it. nil: nobody
	Sink    weir.Sink             // receives each attempt's trace, in which secrets are still to be looked for (catalog.Auth.Scrub); nil: they are dropped
	Log     *slog.Logger          // nil: none
}
