package bench

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/meter"
)

// Result is what a run measured, whole or interrupted.
type Result struct {
	Started       time.Time
	Duration      time.Duration
	Interrupted   bool
	BudgetReached bool          // Spend said that it is enough
	Samples       []weir.Sample // of all targets, warm-up included, in order of their ends
	Targets       []TargetResult
	WakeUps       []time.Duration // how late this process woke up, sampled during the run; empty without a clock
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
	r := &run{Config: &c, id: c.ID(), took: newBehind()}
	r.client = &http.Client{
		Transport:     &meter.Transport{Base: c.Base, Limits: c.Limits},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer r.client.CloseIdleConnections()
	res := &Result{Started: time.Now(), Targets: make([]TargetResult, len(c.Targets))}
	done := make(chan struct{})
	watching, unwatch := context.WithCancel(context.Background())
	defer unwatch()
	var behind, all sync.WaitGroup
	behind.Go(func() { res.Samples = r.collect(done) })
	behind.Go(func() { res.WakeUps = wakeUps(watching, c.Clock) })
	for i := range c.Targets {
		all.Go(func() {
			t := &target{run: r, Target: c.Targets[i], index: i}
			res.Targets[i] = t.drive(ctx)
		})
	}
	all.Wait()
	res.Duration = time.Since(res.Started)
	close(done)
	unwatch()
	behind.Wait()
	res.Interrupted = ctx.Err() != nil
	res.BudgetReached = r.spent.Load()
	return res, nil
}

// run is one run under way.
type run struct {
	*Config
	id     string
	client *http.Client
	took   *behind
	spent  atomic.Bool // Spend said that it is enough
}

// collectEvery is how often the collector looks.
const collectEvery = 20 * time.Millisecond

// collect turns what happened into samples and events until done is closed.
func (r *run) collect(done <-chan struct{}) (samples []weir.Sample) {
	tick := time.NewTicker(collectEvery)
	defer tick.Stop()
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
			samples = r.digest(samples, s)
		}
		clear(steps)
		if last {
			return samples
		}
	}
}

func (r *run) digest(samples []weir.Sample, s step) []weir.Sample {
	if s.trace == nil {
		r.tell(Event{Target: s.target, Started: true})
		return samples
	}
	if r.Scrub != nil {
		r.Scrub(s.trace)
	}
	samples = append(samples, s.trace.Sample())
	if r.Spend != nil && r.Spend(samples[len(samples)-1]) {
		r.spent.Store(true)
	}
	if r.OnTrace != nil {
		r.OnTrace(s.trace)
	} else {
		s.trace.Release()
	}
	r.tell(Event{Target: s.target, Sample: &samples[len(samples)-1]})
	return samples
}

func (r *run) tell(e Event) {
	if r.OnEvent != nil {
		r.OnEvent(e)
	}
}
