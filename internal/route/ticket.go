package route

import (
	"sync/atomic"
	"time"

	"weir.dev/weir"
)

// Report is how an attempt ended. It is made when all of the answer has ended:
// a stream that dies after its first output has failed.
type Report struct {
	Outcome     weir.Outcome
	ErrorType   string                  // dialect's word: quota_exhausted, context_length, ...
	Status      int                     // of the response, or of the error inside a 200; 0: none came
	RetryAfter  weir.Opt[time.Duration] // as the target said, unclamped
	InputTokens int                     // of the prompt, those read from a cache left out where that is known
	Stream      bool
	TTFT        weir.Span // from the attempt's start to its first output, which a role is not
	Censored    weir.Span // where no output came: how long it was waited for
	TPOT        weir.Span
	Neutral     bool // it says nothing about the target: the caller's own deadline, a dead reused connection
}

// Ticket is one attempt under way. Every path ends it.
type Ticket struct {
	at    *state
	began time.Time
	gen   uint64 // of the breaker when it began
	probe bool
	done  atomic.Bool
}

// End says how the attempt ended. Only the first call counts.
func (t *Ticket) End(r Report, now time.Time) {
	if t.done.CompareAndSwap(false, true) {
		t.at.end(t, &r, now)
	}
}
