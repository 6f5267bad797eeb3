package bench

import (
	"encoding/json"
	"fmt"
	"net/http"

	"golang.org/x/net/http/httpguts"

	"weir.dev/weir"
	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/meter"
)

// Config is one run: closed loop, Concurrency slots for each target, all
// targets side by side.
type Config struct {
	Targets     []weir.Target
	Concurrency int // slots of each target
	Requests    int // measured requests of each target
	Warmup      int // requests of each target before those; in no figure
	Seed        uint64
	Work        Work
	Limits      meter.Limits

	// Base makes the calls, below the meter. It adds the keys.
	Base http.RoundTripper
	// Clock, if not nil, tells how late this process wakes up; without it that
	// stays unknown.
	Clock clock.Clock
	// Spend, if not nil, is told of everything that was paid for, warm-up and
	// retries included, from one goroutine. Once it returns true no more
	// requests start.
	Spend func(weir.Sample) (stop bool)
	// Scrub takes secrets out of what a provider said; nil changes nothing.
	Scrub func(*weir.Trace)
	// OnTrace, if not nil, receives every raw trace and owns it.
	OnTrace weir.Sink
	// OnEvent, if not nil, is told of every start and end, within 20 ms, from
	// one goroutine.
	OnEvent func(Event)
}

// Work is what is asked.
type Work struct {
	Prompt          string // asked as it is, after the nonce; empty: synthetic words
	InputTokens     int    // about how long a synthetic prompt is, in tokens
	OutputTokens    int
	System          string
	Temperature     weir.Opt[float64]
	ReasoningEffort string
	IgnoreEOS       bool
	NoStream        bool
	NoNonce         bool // let prompt caches hit
	Extra           map[string]json.RawMessage
	Headers         http.Header
}

// DefaultLimits are the clocks of a bench: no total, since long answers are no
// fault.
func DefaultLimits() meter.Limits {
	return meter.Limits{Connect: 10e9, FirstOutput: 60e9, Stall: 30e9}
}

// Event is one step of a run's progress.
type Event struct {
	Target  int          // index into Config.Targets
	Started bool         // a request began; otherwise one ended
	Sample  *weir.Sample // of the one that ended; valid during the call
}

// Check finds what cannot be run, before anything is sent.
func (c *Config) Check() error {
	switch {
	case len(c.Targets) == 0:
		return bad("no target", "name at least one URL")
	case c.Concurrency < 1:
		return bad(fmt.Sprintf("concurrency %d", c.Concurrency), "it must be at least 1")
	case c.Concurrency > maxSlots:
		return bad(fmt.Sprintf("concurrency %d", c.Concurrency), fmt.Sprintf("at most %d slots a target", maxSlots))
	case c.Requests < 1:
		return bad(fmt.Sprintf("%d requests", c.Requests), "it must be at least 1")
	case c.Warmup < 0:
		return bad(fmt.Sprintf("warm-up %d", c.Warmup), "it cannot be negative; 0 is none")
	case c.Work.InputTokens < 1 && c.Work.Prompt == "":
		return bad(fmt.Sprintf("%d input tokens", c.Work.InputTokens), "it must be at least 1, or give a prompt")
	case c.Work.InputTokens > maxInputTokens:
		return bad(fmt.Sprintf("%d input tokens", c.Work.InputTokens), fmt.Sprintf("at most %d", maxInputTokens))
	case c.Work.OutputTokens < 1:
		return bad(fmt.Sprintf("%d output tokens", c.Work.OutputTokens), "it must be at least 1")
	}
	return nil
}

// CheckRequests writes one request for each target, to find what cannot be
// written before anything is sent.
func (c *Config) CheckRequests() error {
	for name, values := range c.Work.Headers {
		if !httpguts.ValidHeaderFieldName(name) {
			return bad(fmt.Sprintf("header name %q", name), "letters, digits and hyphens")
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return bad("the value of header "+name, "no control characters")
			}
		}
	}
	for i := range c.Targets {
		if _, err := c.FirstRequest(i); err != nil {
			return err
		}
	}
	return nil
}

// FirstRequest is the first request to a target as it would be sent, keys
// apart.
func (c *Config) FirstRequest(i int) (*request.Encoded, error) {
	t := c.Targets[i]
	return request.Encode(t.URL, t.Dialect, c.Work.spec(t.Model, c.Work.prompt(c.Seed, i, 0)), nil)
}

const (
	maxSlots       = 10_000
	maxInputTokens = 10_000_000
)

func bad(what, hint string) error {
	return &weir.Error{Code: "bad_bench", Message: what, Hint: hint}
}
