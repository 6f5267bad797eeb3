package engine

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"

	"weir.dev/weir"
)

// maxRequestTokens bounds a request; longer than any model's context.
const maxRequestTokens = 1 << 24

// Engine is one engine in virtual time. It is not safe for use by several
// goroutines. Make it with New.
type Engine struct {
	physics *Physics
	pool    *pool
	seed    uint64

	now     time.Duration // of the last thing that happened
	next    ID
	live    map[ID]*sequence
	later   arrivals
	waiting line
	running []*sequence // in order of admission

	canceled bool // some request was, since the last step began

	busy  bool          // a step is under way
	ends  time.Duration // when it ends
	steps int           // how many began
	out   []Event
	found []int32 // scratch of the prefix lookup
}

// New makes an idle engine at time 0. Everything random follows from seed: the
// same requests give the same events, on one architecture to the nanosecond.
func New(d Deployment, seed uint64) (*Engine, error) {
	physics, err := NewPhysics(d)
	if err != nil {
		return nil, err
	}
	size := d.Profile.BlockTokens
	host := newHostTier(int(d.Offload.Bytes / (d.Model.KVBytesPerToken(d.KV, d.TP) * float64(size))))
	cache := d.Profile.PrefixCache && d.Profile.Layout == Paged
	return &Engine{
		physics: physics, seed: seed, live: make(map[ID]*sequence),
		pool: newPool(physics.Capacity()/size, size, cache, host),
	}, nil
}

// Submit hands in a request that arrives now or later, never before what Step
// has told already.
func (e *Engine) Submit(r Request) (ID, error) {
	if r.MaxTokens == 0 {
		r.MaxTokens = r.Output
	}
	if err := e.checkRequest(r); err != nil {
		return 0, err
	}
	q := &sequence{Request: r, id: e.next}
	e.next++
	p := e.physics.Profile
	q.due = r.Arrival + p.Frontend + time.Duration(r.Prompt)*p.FrontendToken
	if e.physics.Speculation.Drafts > 0 {
		q.random = rand.New(rand.NewPCG(e.seed, uint64(q.id)))
	}
	e.live[q.id] = q
	heap.Push(&e.later, q)
	return q.id, nil
}

func (e *Engine) checkRequest(r Request) error {
	refuse := func(hint, format string, args ...any) error {
		return &weir.Error{Code: "engine_request", Message: fmt.Sprintf(format, args...), Hint: hint}
	}
	room := len(e.pool.blocks) * e.pool.size
	switch {
	case r.Arrival < e.now:
		return refuse("an arrival is never in the engine's past", "a request arrives at %v, the engine is at %v", r.Arrival, e.now)
	case r.Prompt < 1 || r.Output < 1 || r.MaxTokens < r.Output || r.Prompt > maxRequestTokens || r.MaxTokens > maxRequestTokens:
		return refuse("at least one token each, and max_tokens no less than the answer",
			"a request of %d tokens for an answer of %d, at most %d", r.Prompt, r.Output, r.MaxTokens)
	case r.Prompt+r.MaxTokens+e.physics.Speculation.Drafts > room:
		return refuse("a shorter one, more devices, or a smaller KV precision",
			"a request of %d + %d tokens does not fit in a KV cache of %d", r.Prompt, r.MaxTokens, room)
	}
	if a, ok := r.Acceptance.Get(); ok && !(a >= 0 && a <= 1) {
		return refuse("a share from 0 to 1", "a request with an acceptance of %g", a)
	}
	return nil
}

// Cancel ends a request whose client went away: nothing more is told of it. A
// step under way is not cut short. It does nothing for a request that is over.
func (e *Engine) Cancel(id ID) {
	q, ok := e.live[id]
	if !ok {
		return
	}
	delete(e.live, id)
	q.canceled, e.canceled = true, true
}

// Now is the time of the last thing that happened.
func (e *Engine) Now() time.Duration { return e.now }

// Step does the next thing that is due at or before now, if there is one: it
// ends a step, or begins one. It returns the events of that moment, valid until
// the next call, and when the thing after it is due; ok is false where nothing
// is, until a Submit.
//
// A caller in virtual time passes next back in. One in real time sleeps until
// next, and may be late: events carry the time at which they happened, not now.
// Both call again while next is not after now. Requests that are submitted in
// between and arrive by next are seen by the step that begins there.
func (e *Engine) Step(now time.Duration) (events []Event, next time.Duration, ok bool) {
	e.out = e.out[:0]
	if due, any := e.due(); any && due <= now {
		e.now = due
		if e.busy {
			e.settle()
		} else {
			e.begin()
		}
	}
	next, ok = e.due()
	return e.out, next, ok
}

// due is when the next thing happens.
func (e *Engine) due() (at time.Duration, any bool) {
	switch {
	case e.busy:
		return e.ends, true
	case len(e.running) > 0 || e.waiting.len() > 0:
		return e.now, true
	case len(e.later) > 0:
		return e.later[0].due, true
	}
	return 0, false
}

// begin starts a step with what is there.
func (e *Engine) begin() {
	for len(e.later) > 0 && e.later[0].due <= e.now {
		q := heap.Pop(&e.later).(*sequence)
		e.waiting.add(q)
	}
	e.sweep()
	if len(e.running) == 0 && e.waiting.len() == 0 {
		return
	}
	e.steps++
	b := e.plan()
	e.busy = true
	e.ends = e.now + e.physics.Cost(b).Time()
}

// sweep takes out what was canceled, as far as the next step would meet it.
func (e *Engine) sweep() {
	for q := e.waiting.first(); q != nil && q.canceled; q = e.waiting.first() {
		e.waiting.pop()
	}
	if e.canceled {
		e.keep(func(q *sequence) bool { return !q.canceled })
		e.canceled = false
	}
}

// keep drops from the running ones those that are over.
func (e *Engine) keep(stays func(*sequence) bool) {
	kept := e.running[:0]
	for _, q := range e.running {
		if stays(q) {
			kept = append(kept, q)
		} else {
			e.pool.drop(q)
		}
	}
	clear(e.running[len(kept):])
	e.running = kept
}

func (e *Engine) tell(kind Kind, q *sequence, tokens, cached int) {
	if q.canceled {
		return
	}
	e.out = append(e.out, Event{At: e.now, Request: q.id, Kind: kind, Tokens: tokens, Done: q.produced, Cached: cached, Step: e.steps - 1})
}
