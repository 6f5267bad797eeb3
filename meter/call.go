package meter

import (
	"context"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
)

// Call is what the maker of a request knows of it. It travels in the request's
// context; every field may be left empty.
type Call struct {
	Due        time.Time // when the call should have begun; zero: when it does
	Kind       weir.Kind // empty: live
	Target     string    // empty: the URL's host
	Model      string    // empty: the model in the request's body
	Vantage    string
	WorkloadID string
	Warmup     bool
	Dialect    weir.Dialect // empty: by the URL's path
	// AskedTokens is the fixed output length that was asked for; 0 if none was.
	AskedTokens int
	// Stream says whether a stream is asked for, and IgnoreEOS whether exactly
	// AskedTokens are. Where Stream is unknown the request's body is read for
	// both.
	Stream    weir.Opt[bool]
	IgnoreEOS bool
	Limits    *Limits   // nil: the Transport's
	Sink      weir.Sink // nil: the Transport's

	// OnEvent, if not nil, is told each event of the answer, inside the Read that
	// brings its last byte, so that who passes the bytes on need not parse them
	// again. It must not use the response.
	OnEvent func(Event)
	// Answer, if not nil, receives what was generated.
	Answer *dialect.Answer
}

// Event is one event of an answer that is being read.
type Event struct {
	Tick       weir.Tick
	Name, Data []byte // valid during the call only
	End        int64  // bytes of the body up to its end, as Read gives them out
}

type callKey struct{}

// WithCall returns a context for a request that is measured as c.
func WithCall(ctx context.Context, c Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// WithDue returns a context for a request that should have begun at due.
// Latency counts from there, so a client that is late cannot hide it.
func WithDue(ctx context.Context, due time.Time) context.Context {
	c := callFrom(ctx)
	c.Due = due
	return WithCall(ctx, c)
}

func callFrom(ctx context.Context) Call {
	c, _ := ctx.Value(callKey{}).(Call)
	return c
}

// Limits are the clocks of one call. They are independent, measured at the
// socket to the provider, and none is reset by the wrong thing. Zero is no
// limit.
type Limits struct {
	Connect     time.Duration // to have a connection
	FirstOutput time.Duration // from the start to the first output event
	Bytes       time.Duration // without any byte, comments included
	Stall       time.Duration // without an output event, after the first
	Total       time.Duration // for the whole call
}

// LimitError is the cause of a call that one of its clocks ended.
type LimitError struct {
	Outcome weir.Outcome
	Limit   time.Duration
}

// Error says which clock ended the call.
func (e *LimitError) Error() string {
	switch e.Outcome {
	case weir.TimeoutConnect:
		return "no connection within " + e.Limit.String()
	case weir.TimeoutFirstOutput:
		return "no output within " + e.Limit.String()
	case weir.TimeoutStall:
		return "no output for " + e.Limit.String()
	}
	return "it took longer than " + e.Limit.String()
}

// Timeout makes a LimitError a timeout in the sense of net.Error.
func (e *LimitError) Timeout() bool { return true }

// ErrAbandoned as the cause of a cancelled context says that the one who
// called gave up a call on purpose (a hedge that lost, a failover); the outcome
// is then abandoned instead of canceled.
var ErrAbandoned = abandoned{}

type abandoned struct{}

func (abandoned) Error() string { return "the call was abandoned" }
