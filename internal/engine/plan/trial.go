package plan

import (
	"context"
	"math/rand/v2"
	"time"

	"weir.dev/weir/internal/engine"
)

// trial is one run: clients send requests to an engine and note what comes
// back. A first part, while the engine fills, does not count; then so many
// requests do, and more are sent until the last of those has ended.
type trial struct {
	setup  Setup
	load   Load
	effort Effort
	engine *engine.Engine

	lengths, gaps *rand.Rand
	due           time.Duration // of the next arrival, in an open loop
	shared        []engine.Hash // names of the shared part's blocks

	calls            []call // by request
	flying, finished int
	flooded          bool // the queue is so long that nothing can help; no more arrive
	drained          int  // requests that ended since
	window           window
	itl              []float64 // ms, of requests that count
}

// call is a request on its way.
type call struct {
	sent, first, last time.Duration
	ahead             int // tokens that came with the first one
	prompt, tokens    int
	stall             time.Duration
	counts, over      bool
}

// window is the steady part of a run.
type window struct {
	open, whole bool // it has begun; all its requests were sent
	from, until time.Duration
	want        int // requests that count
	sent, ended int // of these
	before      int // under way when it began
	after       int // and when its last request was sent
	requests    int // that ended in it
	in, out     int // tokens that were taken in and came out in it
}

// fills is how many times as many requests must have ended as are under way
// before the engine is taken to be full.
const fills = 2

// hold runs one seed.
func hold(ctx context.Context, s Setup, l Load, e Effort, seed uint64) (*trial, error) {
	d := s.Deployment
	d.Profile.Frontend, d.Profile.FrontendToken = frontend, frontendToken
	made, err := engine.New(d, seed)
	if err != nil {
		return nil, err
	}
	t := &trial{
		setup: s, load: l, effort: e, engine: made,
		lengths: rand.New(rand.NewPCG(seed, 1)), gaps: rand.New(rand.NewPCG(seed, 2)),
	}
	if err := t.begin(); err != nil {
		return nil, err
	}
	next, more := time.Duration(0), l.Users > 0
	for steps := 0; !t.over(); steps++ {
		if steps%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if next, err = t.arrive(next, more); err != nil {
			return nil, err
		}
		var events []engine.Event
		events, next, more = t.engine.Step(next)
		again, err := t.note(events)
		if err != nil {
			return nil, err
		}
		if again {
			next, more = t.engine.Now(), true
		}
	}
	return t, nil
}

// begin hands in the users' first requests, spread over the time that one takes,
// so that they do not march in step.
func (t *trial) begin() error {
	if t.load.Users == 0 {
		t.due = t.gap()
		return nil
	}
	physics, err := engine.NewPhysics(t.setup.Deployment)
	if err != nil {
		return err
	}
	prompt, output := t.setup.Lengths.Mean()
	cycle := time.Duration(output)*physics.Cost(decoding(physics, t.load.Users, int(prompt))).Time() +
		time.Duration(t.load.Users)*physics.Cost(prefill(physics, int(prompt))[0]).Time()
	for range t.load.Users {
		if err := t.send(time.Duration(t.gaps.Float64() * float64(cycle))); err != nil {
			return err
		}
	}
	return nil
}

func (t *trial) gap() time.Duration {
	return time.Duration(t.gaps.ExpFloat64() / t.load.Rate * float64(time.Second))
}

// arrive hands in all that comes before the engine does its next thing, and the
// next one where nothing else is to do.
func (t *trial) arrive(next time.Duration, more bool) (time.Duration, error) {
	for t.load.Users == 0 && !t.flooded && (t.due <= next || !more) {
		t.flooded = !t.window.open && t.flying >= max(flood*t.seats(), t.effort.Requests)
		if err := t.send(t.due); err != nil {
			return next, err
		}
		next, more = max(next, t.due), true
		t.due += t.gap()
	}
	return next, nil
}

func (t *trial) send(at time.Duration) error {
	prompt, output := t.setup.Lengths.Draw(t.lengths)
	c := call{sent: at, prompt: prompt}
	if w := &t.window; w.open && !w.whole {
		c.counts = true
		if w.sent++; w.sent == w.want {
			w.whole, w.until, w.after = true, at, t.flying
		}
	}
	t.calls = append(t.calls, c)
	t.flying++
	_, err := t.engine.Submit(engine.Request{
		Arrival: at, Prompt: prompt, Output: output, MaxTokens: max(output, t.setup.MaxTokens), Blocks: t.blocks(prompt),
	})
	return err
}

// blocks names the shared part of a prompt.
func (t *trial) blocks(prompt int) []engine.Hash {
	size := t.setup.Deployment.Profile.BlockTokens
	n := int(t.setup.Shared*float64(prompt)) / size
	if n > len(t.shared) {
		t.shared = engine.HashBlocks("shared", make([]uint32, 2*n*size), size)
	}
	return t.shared[:n]
}

// note takes what happened, and tells whether a user sent something because of
// it.
func (t *trial) note(events []engine.Event) (again bool, err error) {
	for i := range events { // by index: there are hundreds of millions
		ev := &events[i]
		c := &t.calls[ev.Request]
		switch ev.Kind {
		case engine.Token:
			t.token(c, ev)
		case engine.Finished:
			t.end(c)
			if t.load.Users > 0 {
				again = true
				if err := t.send(ev.At); err != nil {
					return false, err
				}
			}
		}
	}
	return again, nil
}

func (t *trial) token(c *call, ev *engine.Event) {
	w := &t.window
	if w.open && !w.whole {
		w.out += ev.Tokens
	}
	if ev.First() {
		c.first, c.ahead = ev.At, ev.Tokens
		if w.open && !w.whole {
			w.in += c.prompt
		}
	} else if gap := ev.At - c.last; c.counts {
		c.stall = max(c.stall, gap)
		t.itl = append(t.itl, ms(gap)/float64(ev.Tokens))
	}
	c.last, c.tokens = ev.At, ev.Done
}

func (t *trial) end(c *call) {
	c.over = true
	t.flying--
	t.finished++
	w := &t.window
	switch {
	case t.flooded:
		t.drain()
	case !w.open && t.finished >= max(t.effort.Requests/2, fills*t.flying):
		*w = window{open: true, from: t.engine.Now(), want: max(t.effort.Requests, 2*fills*t.flying), before: t.flying}
	case w.open && !w.whole:
		w.requests++
	}
	if c.counts {
		w.ended++
	}
}

// flood is how many times as many requests as can run are under way when an
// open loop is given up (and never fewer than are to count). The rates of an engine that always has some waiting are
// still measured: after as many have ended as can run, while twice as many do.
const flood = 4

func (t *trial) seats() int { return t.setup.Deployment.Profile.MaxSeqs }

func (t *trial) drain() {
	w := &t.window
	if w.open {
		w.requests++
	}
	switch t.drained++; t.drained {
	case t.seats():
		*w = window{open: true, from: t.engine.Now()}
	case 3 * t.seats():
		w.whole, w.until = true, t.engine.Now()
	}
}

// over tells whether all that counts has come.
func (t *trial) over() bool { return t.window.whole && t.window.ended == t.window.want }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
