package bench

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/work"
	"weir.dev/weir/meter"
)

// Result is what a run measured, whole or interrupted.
type Result struct {
	Label         string // of a sweep's point; else empty
	Started       time.Time
	Duration      time.Duration
	Interrupted   bool
	BudgetReached bool            // Spend said stop; what was under way ended
	Enough        bool            // Until holds of every target; what was under way ended
	Samples       []weir.Sample   // of all targets, warm-up included, in order of their ends
	Targets       []TargetResult  // in the order of Config.Targets
	WakeUps       []time.Duration // how late this process woke up, sampled during the run; empty without a clock
}

// TargetResult is what a run has to say of one target beside its samples.
type TargetResult struct {
	Unsent  int      // measured requests that were not sent, since the target cannot answer, the run was stopped, or they were missed
	GaveUp  bool     // the target cannot answer: the first calls failed for good
	Learned []string // what the endpoint does not take, as was known or turned out
	Lengths work.Fit // how long synthetic prompts come out

	Begun     time.Time // when the measured requests began; zero: never
	Planned   int       // measured requests that there should have been; of a closed loop that ends by time, those sent
	Missed    int       // of the unsent, those that were due and found no slot, or no quota, before the end
	Cut       int       // calls that were cut when the grace was over
	SlotWaits int       // open loop: starts that had to wait for a slot, since all were taken

	// Requests per second of an open loop, from the first to the last: what was
	// asked for, what the seed's schedule has, and what went out.
	Asked, Drawn, Achieved weir.Opt[float64]

	Quota Quota
}

// Warnings that a bench's traces may carry, beside the meter's.
const (
	WarnSlotWait  = "waited_for_slot"  // open loop: it was due while all slots were taken; its lateness is the load's
	WarnQuotaWait = "waited_for_quota" // open loop: it was due while the target's quota was used up
	WarnRetried   = "retried"          // it was refused for a quota and sent again; the next trace is the same request
)

// Run carries out c until all requests are answered or ctx is done; then the
// calls under way are cancelled and what was measured is returned.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	s := newSession(c)
	defer s.close()
	return s.run(ctx, c)
}

// session is what outlives a run in a sweep: connections, and what was learned
// of the targets.
type session struct {
	client  *http.Client
	targets []*target
	lengths *lengths
	runs    int
	began   time.Time // the first of them
	warmers int       // most slots of a sweep: the warm-up is for all of it
}

func newSession(c Config) *session {
	s := &session{lengths: newLengths(&c), client: &http.Client{
		Transport:     &meter.Transport{Base: c.Base, Limits: c.Limits},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for i, t := range c.Targets {
		words := s.lengths.shared
		if c.CalibrateEach {
			words = c.Work.Plan.NewCalibration()
		}
		s.targets = append(s.targets, &target{Target: t, index: i, words: words, learned: c.assumed(i), gate: newGate(c.pacer())})
	}
	return s
}

func (s *session) close() { s.client.CloseIdleConnections() }

// run is one run under way.
type run struct {
	*Config
	id      string
	began   time.Time // of the session
	source  work.Source
	from    int // number of the first measured request
	lengths *lengths
	knows   *knowledge // nil without Until
	laps    *laps      // of a closed loop that has them
	warmers int        // least slots of the warm-up
	client  *http.Client
	took    *behind
	caller  context.Context // Run's: its end is seen before that of the contexts below it
	starts  context.Context // ends when no more requests may start
	stop    context.CancelCauseFunc
}

// Why no more requests start.
var (
	errBudget = errors.New("the budget is spent")
	errEnough = errors.New("enough is known")
	errTime   = errors.New("the time is over")
	errGaveUp = errors.New("the target cannot answer")
)

func (s *session) run(ctx context.Context, c Config) (*Result, error) {
	source, from, err := c.source(s.runs)
	if err != nil {
		return nil, err
	}
	s.runs++
	r := &run{
		Config: &c, id: c.ID(), source: source, from: from, lengths: s.lengths, warmers: s.warmers,
		took: newBehind(), client: s.client, knows: newKnowledge(c.Until, len(c.Targets)),
	}
	if c.Load.Laps {
		slots := make([]int, len(c.Targets))
		for i := range slots {
			slots[i] = c.slots()
		}
		r.laps = newLaps(c.Seed, slots, c.Load.Every, c.Before)
		defer r.laps.stop()
	}
	r.caller = ctx
	r.starts, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	now := time.Now()
	if s.began.IsZero() {
		s.began = now
	}
	r.began = s.began
	res := &Result{Started: r.wall(now), Targets: make([]TargetResult, len(c.Targets))}
	done := make(chan struct{})
	watching, unwatch := context.WithCancel(context.Background())
	defer unwatch()
	var behind, all sync.WaitGroup
	behind.Go(func() { res.Samples = r.collect(done) })
	behind.Go(func() { res.WakeUps = wakeUps(watching, c.Clock) })
	for i, t := range s.targets {
		all.Go(func() { res.Targets[i] = t.drive(ctx, r) })
	}
	all.Wait()
	res.Duration = time.Since(now)
	close(done)
	unwatch()
	behind.Wait()
	res.Interrupted = ctx.Err() != nil
	res.Enough = errors.Is(context.Cause(r.starts), errEnough)
	res.BudgetReached = errors.Is(context.Cause(r.starts), errBudget)
	return res, nil
}

// collectEvery is how often the collector looks.
const collectEvery = 20 * time.Millisecond

// block is how many samples lie together while they are gathered. To grow one
// slice of all would copy megabytes of pointers in one go, which nothing can
// interrupt: tens of milliseconds in which requests fall due.
const block = 128

// collect turns what happened into samples and events until done is closed.
func (r *run) collect(done <-chan struct{}) []weir.Sample {
	tick := time.NewTicker(collectEvery)
	defer tick.Stop()
	var blocks [][]weir.Sample
	var steps []step
	for {
		last := false
		select {
		case <-tick.C:
		case <-done:
			last = true
		}
		steps = r.took.swap(steps)
		for _, s := range steps {
			if s.refused {
				r.tell(Event{Target: s.target, Refused: true, Wait: s.wait})
				continue
			}
			if s.trace == nil {
				r.knows.begin(s.target, s.number)
				r.tell(Event{Target: s.target, Started: true})
				continue
			}
			if n := len(blocks); n == 0 || len(blocks[n-1]) == block {
				blocks = append(blocks, make([]weir.Sample, 0, block))
			}
			r.digest(&blocks[len(blocks)-1], s)
		}
		clear(steps)
		for _, rec := range r.took.takeContents() {
			r.deliver(rec)
		}
		if last {
			return slices.Concat(blocks...)
		}
	}
}

// digest adds the sample of a request that ended.
func (r *run) digest(samples *[]weir.Sample, s step) {
	if r.Scrub != nil {
		r.Scrub(s.trace)
	}
	s.trace.Due, s.trace.Sent = r.wall(s.trace.Due), r.wall(s.trace.Sent)
	*samples = append(*samples, s.trace.Sample())
	if r.OnTrace != nil {
		r.OnTrace(s.trace)
	} else {
		s.trace.Release()
	}
	last := &(*samples)[len(*samples)-1]
	r.tell(Event{Target: s.target, Sample: last})
	if r.Spend != nil && r.Spend(*last) {
		r.stop(errBudget)
	}
	if r.knows.end(s.target, s.number, last) {
		r.stop(errEnough)
	}
}

// wall is a time by the wall clock as it was when the session began, and what
// passed since. A file has no other clock, and one that is set during the run
// would move requests from block to block: a stored run would be judged
// otherwise.
func (r *run) wall(at time.Time) time.Time { return r.began.Round(0).Add(at.Sub(r.began)) }

func (r *run) tell(e Event) {
	if r.OnEvent != nil {
		r.OnEvent(e)
	}
}
