package bench

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/work"
)

// target is one target of a session, and of the run under way.
type target struct {
	*run
	weir.Target
	index   int
	words   *work.Calibration
	learned *request.Learned
	gate    *gate

	mu       sync.Mutex
	lessons  int // how often the endpoint taught us something
	answered bool
	hopeless int
	gaveUp   bool
	giveUp   context.CancelCauseFunc // ends the phase's starts
	tally    tally
}

// tally counts what was measured in this run.
type tally struct {
	sent, retried, cut, slotWaits int
	began                         int       // requests that an arrival began, not an answer
	first, last                   time.Time // starts of those
	forgone                       int       // turns of sessions that came to no end
}

// prepared is a request that is ready to go, or why it cannot be written.
type prepared struct {
	k       int       // its number
	more    int       // turns that follow it
	due     time.Time // open loop
	lap     weir.Opt[int]
	lessons int          // what was known of the endpoint then
	asks    work.Request // without its texts
	enc     *request.Encoded
	err     error
}

// drive does the warm-up, then what is measured.
func (t *target) drive(ctx context.Context, r *run) TargetResult {
	t.run, t.tally = r, tally{}
	t.gate.reset()
	if r.Warmup > 0 {
		t.warmUp(ctx, r.Warmup)
	}
	fit := t.calibrate(r.starts)
	m := t.measure(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	res := m.result()
	res.GaveUp, res.Learned, res.Lengths = t.gaveUp, t.learned.Dropped(), fit
	return res
}

// write encodes request k, which so many turns follow.
func (t *target) write(k, more int) prepared {
	lessons := t.known()
	r := t.source.Prompt(t.index, k, t.words)
	enc, err := request.Encode(t.URL, t.Dialect, t.Work.spec(t.Model, r), t.learned)
	r.System, r.Messages = "", nil // they are in enc
	return prepared{k: k, more: more, lessons: lessons, asks: r, enc: enc, err: err}
}

// rewrite encodes a request again, once more is known of the endpoint.
func (t *target) rewrite(q prepared) prepared {
	again := t.write(q.k, q.more)
	again.due, again.lap = q.due, q.lap
	return again
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

// notEncoded is the trace of a request that could not even be written.
func (t *target) notEncoded(number int, err error, due time.Time, warmup bool) *weir.Trace {
	if err == nil {
		return nil
	}
	t.took.add(step{target: t.index, number: number})
	return &weir.Trace{
		ID: ulid.Make().String(), Kind: weir.Bench, Target: t.Name, Model: t.Model, WorkloadID: t.id, Warmup: warmup,
		Due: due, Sent: time.Now(), Outcome: weir.BadRequest, ErrorType: "not_encoded", ErrorText: err.Error(),
	}
}

// judge gives a target up that has answered nothing and fails in a way that
// the next request cannot mend: at once where it is plain (no server, a bad
// key, a bad request, no money), at the second time where it may be chance.
func (t *target) judge(tr *weir.Trace) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch tr.Outcome {
	case weir.Canceled, weir.Abandoned:
		return
	case weir.RateLimited:
		if tr.ErrorType != "quota_exhausted" {
			return
		}
		t.hopeless += 2
	case weir.ConnectError, weir.Auth, weir.BadRequest:
		t.hopeless += 2
	case weir.TimeoutConnect, weir.TimeoutFirstOutput, weir.Malformed, weir.NotStreamed, weir.EmptyResponse:
		t.hopeless++
	default:
		t.answered = true
	}
	if !t.answered && t.hopeless >= 2 {
		t.surrender()
	}
}

// surrender gives the target up.
func (t *target) surrender() {
	t.gaveUp = true
	t.giveUp(errGaveUp)
}

// note counts the end of a measured request.
func (t *target) note(q prepared, tr *weir.Trace) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &t.tally
	if tr.Outcome == weir.Abandoned {
		c.cut++
	}
	if slices.Contains(tr.Warnings, WarnSlotWait) {
		c.slotWaits++
	}
	if q.asks.Turn > 0 {
		return
	}
	c.began++
	if c.first.IsZero() || tr.Sent.Before(c.first) {
		c.first = tr.Sent
	}
	c.last = later(c.last, tr.Sent)
}
