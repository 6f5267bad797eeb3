package bench

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/meter"
)

// Result is what a run measured, whole or interrupted.
type Result struct {
	Started     time.Time
	Duration    time.Duration
	Interrupted bool
	Samples     []weir.Sample // of all targets, warm-up included, in order of their ends
	Targets     []TargetResult
}

// TargetResult is what a run has to say of one target beside its samples.
type TargetResult struct {
	Unsent  int      // measured requests that were not sent, since the target cannot answer or the run was stopped
	GaveUp  bool     // the target cannot answer: the first calls failed for good
	Learned []string // what the endpoint turned out not to take
}

// Run carries out c until all requests are answered or ctx is done; then the
// calls under way are cancelled and what was measured is returned.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	r := &run{Config: &c, id: c.ID(), res: Result{Started: time.Now(), Targets: make([]TargetResult, len(c.Targets))}}
	if r.Redact == nil {
		r.Redact = func(s string) string { return s }
	}
	r.client = &http.Client{
		Transport:     &meter.Transport{Base: c.Base, Limits: c.Limits},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer r.client.CloseIdleConnections()
	var all sync.WaitGroup
	for i := range c.Targets {
		all.Go(func() { r.target(ctx, i) })
	}
	all.Wait()
	r.res.Duration = time.Since(r.res.Started)
	r.res.Interrupted = ctx.Err() != nil
	return &r.res, nil
}

// run is one run under way.
type run struct {
	*Config
	id     string
	client *http.Client

	mu  sync.Mutex
	res Result
}

// target drives one target: its warm-up, then its slots.
func (r *run) target(ctx context.Context, i int) {
	t := &target{run: r, Target: r.Targets[i], index: i}
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		left := r.Requests - min(t.next-r.Warmup, r.Requests)
		r.res.Targets[i] = TargetResult{Unsent: min(left, r.Requests), GaveUp: t.gaveUp, Learned: t.learned.Dropped()}
	}()
	t.drive(ctx, r.Warmup, true)
	t.drive(ctx, r.Warmup+r.Requests, false)
}

// target is one target of a run under way.
type target struct {
	*run
	weir.Target
	index   int
	learned request.Learned

	mu       sync.Mutex
	next     int // number of the next request, warm-up included
	answered bool
	hopeless int
	gaveUp   bool
}

// drive keeps the slots busy until all requests below limit have been sent.
func (t *target) drive(ctx context.Context, limit int, warmup bool) {
	var slots sync.WaitGroup
	for range min(t.Concurrency, limit) {
		slots.Go(func() {
			due := time.Now() // the slot is free from now
			for {
				k, ok := t.take(ctx, limit)
				if !ok {
					return
				}
				t.send(ctx, k, due, warmup)
				due = time.Now()
			}
		})
	}
	slots.Wait()
}

func (t *target) take(ctx context.Context, limit int) (k int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next >= limit || t.gaveUp || ctx.Err() != nil {
		return 0, false
	}
	t.next++
	return t.next - 1, true
}

// send makes the k-th request. Where the endpoint refuses the form of the
// request and says how, the refusal counts as warm-up and the request is made
// again.
func (t *target) send(ctx context.Context, k int, due time.Time, warmup bool) {
	for range 4 {
		enc, err := request.Encode(t.URL, t.Dialect, t.Work.spec(t.Model, t.Work.prompt(t.Seed, t.index, k)), &t.learned)
		if err != nil {
			trace := t.notEncoded(due, warmup, err)
			t.judge(trace.Outcome)
			t.took(trace)
			return
		}
		trace, refused := t.call(ctx, enc, due, warmup)
		again := refused != nil && t.learned.From400(t.Dialect, refused)
		if !again {
			t.judge(trace.Outcome)
			t.took(trace)
			return
		}
		trace.Warmup = true
		t.took(trace)
		due = time.Now()
	}
}

// maxAnswer bounds how much of an error is read for what it teaches, and
// maxStream how much of an answer: one that never ends is left there.
const (
	maxAnswer = 64 << 10
	maxStream = 1 << 30
)

// call makes one call and returns its trace, and its refusal where it was
// refused as malformed.
func (t *target) call(ctx context.Context, enc *request.Encoded, due time.Time, warmup bool) (trace *weir.Trace, refused []byte) {
	ctx = meter.WithCall(catalog.WithTarget(ctx, t.Name), meter.Call{
		Due: due, Kind: weir.Bench, Target: t.Name, Model: t.Model, Dialect: t.Dialect,
		WorkloadID: t.id, Warmup: warmup, AskedTokens: t.Work.OutputTokens,
		Sink: func(tr *weir.Trace) { trace = tr },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, enc.URL, bytes.NewReader(enc.Body))
	if err != nil {
		return t.notEncoded(due, warmup, err), nil
	}
	req.Header = enc.Header
	t.event(Event{Target: t.index, Started: true})
	resp, err := t.client.Do(req)
	if err != nil {
		return trace, nil
	}
	if resp.StatusCode == http.StatusBadRequest {
		refused, _ = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	}
	buf := buffers.Get().(*[]byte)
	for total := 0; err == nil && total < maxStream; {
		n := 0
		n, err = resp.Body.Read(*buf)
		total += n
	}
	buffers.Put(buf)
	resp.Body.Close()
	return trace, refused
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}
