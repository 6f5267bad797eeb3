package bench

import (
	"fmt"
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"

	"weir.dev/weir"
	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/meter"
)

// Config is one run, of all targets side by side. In a closed loop each target
// has Concurrency slots that send one request after the other; in an open loop
// (Load.Shape) requests are due by a schedule.
type Config struct {
	Targets     []weir.Target
	Concurrency int // slots of each target; in an open loop most requests under way, 0: no cap
	Requests    int // measured requests of each target; 0: as many as Load's time gives
	Warmup      int // requests of each target before those; in no figure
	Seed        uint64
	Work        Work
	Items       []Item // lengths of the requests in turn, from the first again at the end; nil: all as in Work
	// Salt goes into the nonces and is to be new for each run, or a second run of
	// a seed asks what the provider's cache may still know.
	Salt string
	// CalibrateEach fits prompts to each endpoint's own count of tokens. Else all
	// targets are asked the same words.
	CalibrateEach bool
	Load          Load
	Limits        meter.Limits

	// Refused names the fields that each target is known not to take, in the order
	// of Targets, as request.Learned.Assume has them; what is missing is learned.
	Refused [][]string

	// Retry429 sends a request again that was refused for a quota, once the
	// target may be asked again. Else the refusal is its outcome.
	Retry429 bool
	// Spend, if not nil, is told of everything that was paid for, warm-up and
	// retries included, from one goroutine. Once it returns true no more
	// requests start.
	Spend func(weir.Sample) (stop bool)

	// Before is what an earlier part of this run has done already.
	Before Before

	// Until, if not nil, ends the run when it holds of every target.
	Until *Until

	// Base makes the calls, below the meter. It adds the keys.
	Base http.RoundTripper
	// Clock waits for due times and tells how late this process wakes up. Without
	// it due times are met to a millisecond and the wake-ups stay unknown.
	Clock clock.Clock
	// Scrub takes secrets out of what a provider said; nil changes nothing.
	Scrub func(*weir.Trace)
	// OnTrace, if not nil, receives every raw trace and owns it.
	OnTrace weir.Sink
	// OnContent, if not nil, receives what each call asked and was answered, and
	// owns it; it is called from one goroutine. Redact takes secrets out of each
	// text of it; nil changes nothing.
	OnContent func(*Content)
	Redact    func(string) string
	// OnEvent, if not nil, is told of every start, refusal and end, within 20 ms,
	// from one goroutine.
	OnEvent func(Event)
}

// Before is the part of a run that was carried out before it was stopped: the
// same seed and salt go on where it ended.
type Before struct {
	Begun    time.Time // of its first lap; zero: there was none
	Laps     int
	Requests int // measured ones of each target
}

// DefaultLimits are the clocks of a bench: no total, since long answers are no
// fault.
func DefaultLimits() meter.Limits {
	return meter.Limits{Connect: 10e9, FirstOutput: 60e9, Stall: 30e9}
}

// Event is one step of a run's progress.
type Event struct {
	Target  int          // index into Config.Targets
	Started bool         // a request began
	Refused bool         // one was refused for a quota; it ends when that no longer holds it up
	Wait    weir.Span    // for how long the provider wants no more, where it said so
	Sample  *weir.Sample // of one that ended; valid during the call
}

// Check finds what cannot be run, before anything is sent.
func (c *Config) Check() error {
	switch {
	case len(c.Targets) == 0:
		return bad("no target", "name at least one URL")
	case c.Concurrency < 1 && (c.Load.Shape == nil || c.Concurrency < 0):
		return bad(fmt.Sprintf("concurrency %d", c.Concurrency), "it must be at least 1")
	case c.Concurrency > maxSlots:
		return bad(fmt.Sprintf("concurrency %d", c.Concurrency), fmt.Sprintf("at most %d slots a target", maxSlots))
	case c.Warmup < 0:
		return bad(fmt.Sprintf("warm-up %d", c.Warmup), "it cannot be negative; 0 is none")
	}
	if err := c.checkLoad(); err != nil {
		return err
	}
	if err := c.checkLengths(); err != nil {
		return err
	}
	_, _, err := c.source(0)
	return err
}

// checkLengths looks at the lengths that a recording brings.
func (c *Config) checkLengths() error {
	given := c.Work.Plan.Lengths
	for i, it := range c.Items {
		where := fmt.Sprintf(" in request %d", i+1)
		switch {
		case it.InputTokens < 0 || it.InputTokens == 0 && len(given) == 0 && c.Work.Plan.Learns():
			return bad(fmt.Sprintf("%d input tokens%s", it.InputTokens, where), "it must be at least 1, or give a length for all")
		case it.InputTokens > maxInputTokens:
			return bad(fmt.Sprintf("%d input tokens%s", it.InputTokens, where), fmt.Sprintf("at most %d", maxInputTokens))
		case it.OutputTokens < 0 || it.OutputTokens == 0 && len(given) == 0:
			return bad(fmt.Sprintf("%d output tokens%s", it.OutputTokens, where), "it must be at least 1, or give a length for all")
		}
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
	src, from, err := c.source(0)
	if err != nil {
		return nil, err
	}
	t := c.Targets[i]
	return request.Encode(t.URL, t.Dialect, c.Work.spec(t.Model, src.Prompt(i, from, nil)), c.assumed(i))
}

// assumed is what is known of the i-th target before it is asked.
func (c *Config) assumed(i int) *request.Learned {
	l := new(request.Learned)
	if i < len(c.Refused) {
		l.Assume(c.Refused[i]...)
	}
	return l
}

const (
	maxSlots       = 10_000
	maxInputTokens = 10_000_000
)

func bad(what, hint string) error {
	return &weir.Error{Code: "bad_bench", Message: what, Hint: hint}
}
