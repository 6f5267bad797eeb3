package provider

import (
	"context"
	"sync"
	"time"

	"weir.dev/weir"
)

// Burst is what is to be written at one moment.
type Burst struct {
	Due      time.Time // on the wall
	Admitted bool      // the request has left the queue: from here on Usage knows the cached tokens
	Tokens   int       // that came
	Done     bool      // nothing comes after
	Cut      bool      // the connection is to be aborted after this
}

// Answer is one answer under way. Its methods are for one goroutine, which
// calls Close when it is done with it.
type Answer struct {
	Length int  // tokens that will come
	Whole  bool // Length is what the model had to say, not the limit

	driver  *driver
	job     *job
	cut     int           // tokens after which the connection is aborted, or -1
	told    int           // tokens that Next has returned
	ready   chan struct{} // holds 1: something is pending, or the client has left
	unwatch func() bool

	mu      sync.Mutex
	pending []Burst
	truth   Truth
	left    error // not nil: the client has left
}

// Truth is what happened to a request, in the provider's time.
type Truth struct {
	Provider     string  `json:"provider"`
	Region       string  `json:"region,omitempty"`
	Replica      int     `json:"replica"`
	QueueMS      float64 `json:"queue_ms"`      // from when it could be scheduled to a seat
	PrefillMS    float64 `json:"prefill_ms"`    // from there to the first token
	CachedTokens int     `json:"cached_tokens"` // that the engine did not compute
	Steps        int     `json:"steps"`         // of the engine, from the seat to the last token
	Preemptions  int     `json:"preemptions"`
}

// maxPending is how many bursts wait for a slow reader; what comes then joins
// the last of them.
const maxPending = 64

// add leaves a burst for Next; t, if not nil, is what is known by then. It
// never blocks.
func (a *Answer) add(b Burst, t *Truth) {
	a.mu.Lock()
	if t != nil {
		a.truth = *t
	}
	if n := len(a.pending); n >= maxPending {
		last := &a.pending[n-1]
		last.Tokens += b.Tokens
		last.Done, last.Due = b.Done, b.Due
	} else {
		a.pending = append(a.pending, b)
	}
	a.mu.Unlock()
	a.signal()
}

// Next waits for the next burst. Its error is that of the context of Ask.
func (a *Answer) Next() (Burst, error) {
	for {
		b, ok, err := a.take()
		if ok || err != nil {
			return b, err
		}
		<-a.ready
	}
}

// Within is Next for at most so long on the wall; ok is false when nothing came.
func (a *Answer) Within(d time.Duration) (b Burst, ok bool, err error) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		b, ok, err := a.take()
		if ok || err != nil {
			return b, ok, err
		}
		select {
		case <-a.ready:
		case <-timer.C:
			return Burst{}, false, nil
		}
	}
}

func (a *Answer) take() (b Burst, ok bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.left != nil || len(a.pending) == 0 {
		return Burst{}, false, a.left
	}
	b = a.pending[0]
	a.pending = a.pending[:copy(a.pending, a.pending[1:])]
	if a.cut >= 0 && !b.Admitted && a.told+b.Tokens >= a.cut {
		b.Tokens, b.Cut, b.Done = a.cut-a.told, true, false
	}
	a.told += b.Tokens
	return b, true, nil
}

// watch ends the waiting when the client leaves. One channel for both spares
// each token a select over two.
func (a *Answer) watch(ctx context.Context) {
	a.unwatch = context.AfterFunc(ctx, func() {
		a.mu.Lock()
		a.left = ctx.Err()
		a.mu.Unlock()
		a.signal()
	})
}

func (a *Answer) signal() {
	select {
	case a.ready <- struct{}{}:
	default: // it has not looked since the last one
	}
}

// Truth is what is known so far.
func (a *Answer) Truth() Truth {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.truth
}

// Usage is what the provider reports after so many tokens. What its cache gave
// is known once the request is admitted, and never where it has no cache.
func (a *Answer) Usage(tokens int) weir.Usage {
	u := weir.Usage{Prompt: weir.Some(a.job.prompt), Completion: weir.Some(tokens)}
	if n := a.driver.personality.Answer.Reasoning; n > 0 {
		u.Reasoning = weir.Some(min(n, tokens))
	}
	if policy := a.driver.personality.Cache.Policy; policy != "off" {
		u.Cached = weir.Some(a.job.granted(a.Truth().CachedTokens))
		if policy == "anthropic" {
			u.CacheWrite = weir.Some(a.job.hit.Write)
		}
	}
	return u
}

// HourWrite is how many of the tokens written to the prompt cache are kept for an hour.
func (a *Answer) HourWrite() int { return a.job.hit.Hour }

// Close gives back what the request holds, at once where it is not done.
func (a *Answer) Close() {
	a.unwatch()
	a.driver.cancel(a.job)
}
