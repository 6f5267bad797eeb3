package bench

import (
	"context"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// target is one target of a run under way.
type target struct {
	*run
	weir.Target
	index   int
	learned request.Learned

	mu       sync.Mutex
	sent     int // measured requests that were sent
	lessons  int // how often the endpoint taught us something
	answered bool
	hopeless int
	gaveUp   bool
}

// prepared is a request that is ready to go, or why it cannot be written.
type prepared struct {
	k       int
	lessons int // what was known of the endpoint then
	enc     *request.Encoded
	err     error
}

// drive does the warm-up, then keeps the slots busy until all requests are
// answered.
func (t *target) drive(ctx context.Context) TargetResult {
	t.phase(ctx, 0, t.Warmup, true)
	t.phase(ctx, t.Warmup, t.Requests, false)
	t.mu.Lock()
	defer t.mu.Unlock()
	return TargetResult{Unsent: t.Requests - t.sent, GaveUp: t.gaveUp, Learned: t.learned.Dropped()}
}

// phase sends n requests, from number k on. They are written ahead of time, so
// that a slot that falls free finds its next one ready.
func (t *target) phase(ctx context.Context, k, n int, warmup bool) {
	slots := min(t.Concurrency, n)
	next := newAhead(slots)
	var writer, all sync.WaitGroup
	writer.Go(func() {
		defer next.close()
		for i := 0; i < n && next.put(t.prepare(k+i)); i++ {
		}
	})
	for range slots {
		all.Go(func() { t.slot(ctx, next, warmup) })
	}
	all.Wait()
	next.stop()
	writer.Wait()
}

// slot sends one request after the other. It is free, and the next one due,
// when an answer has ended.
func (t *target) slot(ctx context.Context, next *ahead, warmup bool) {
	var due time.Time
	for {
		p, ok := next.take()
		if !ok || !t.goOn(ctx, warmup) {
			return
		}
		if due.IsZero() {
			due = time.Now()
		}
		due = t.send(ctx, p, due, warmup)
	}
}

func (t *target) goOn(ctx context.Context, warmup bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gaveUp || t.spent.Load() || ctx.Err() != nil {
		return false
	}
	if !warmup {
		t.sent++
	}
	return true
}

func (t *target) prepare(k int) prepared {
	lessons := t.known()
	enc, err := request.Encode(t.URL, t.Dialect, t.Work.spec(t.Model, t.Work.prompt(t.Seed, t.index, k)), &t.learned)
	return prepared{k, lessons, enc, err}
}

func (t *target) known() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lessons
}

func (t *target) learn(refusal []byte) bool {
	if refusal == nil || !t.learned.From400(t.Dialect, refusal) {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lessons++
	return true
}

// send makes a request and returns when its answer ended. Where the endpoint
// refuses the form of the request and says how, the refusal counts as warm-up
// and the request is made again.
func (t *target) send(ctx context.Context, p prepared, due time.Time, warmup bool) (ended time.Time) {
	if p.lessons != t.known() { // it was written before we knew better
		p = t.prepare(p.k)
	}
	for tries := 0; ; tries++ {
		trace, refused := t.notEncoded(p.err, due, warmup), []byte(nil)
		if p.err == nil {
			trace, refused = t.call(ctx, p.enc, due, warmup)
		}
		ended = time.Now()
		again := tries < request.MaxRetries && t.learn(refused)
		if again {
			trace.Warmup = true
			p, due = t.prepare(p.k), time.Now()
		} else {
			t.judge(trace.Outcome)
		}
		t.took.add(step{t.index, trace})
		if !again {
			return ended
		}
	}
}

// notEncoded is the trace of a request that could not even be written.
func (t *target) notEncoded(err error, due time.Time, warmup bool) *weir.Trace {
	if err == nil {
		return nil
	}
	t.took.add(step{target: t.index})
	return &weir.Trace{
		ID: ulid.Make().String(), Kind: weir.Bench, Target: t.Name, Model: t.Model, WorkloadID: t.id, Warmup: warmup,
		Due: due, Sent: time.Now(), Outcome: weir.BadRequest, ErrorType: "not_encoded", ErrorText: err.Error(),
	}
}

// judge gives a target up that has answered nothing and fails in a way that
// the next request cannot mend: at once where it is plain (no server, a bad
// key, a bad request), at the second time where it may be chance.
func (t *target) judge(o weir.Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch o {
	case weir.Canceled, weir.Abandoned, weir.RateLimited:
		return
	case weir.ConnectError, weir.Auth, weir.BadRequest:
		t.hopeless += 2
	case weir.TimeoutConnect, weir.TimeoutFirstOutput, weir.Malformed, weir.NotStreamed, weir.EmptyResponse:
		t.hopeless++
	default:
		t.answered = true
	}
	t.gaveUp = t.gaveUp || (!t.answered && t.hopeless >= 2)
}
