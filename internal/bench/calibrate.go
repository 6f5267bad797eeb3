package bench

import (
	"context"
	"sync"
	"time"

	"weir.dev/weir/internal/work"
)

// lengths is what the warm-ups teach of how many words make a token. All targets
// are asked the same texts, so they learn together, and none is measured before
// that has ended.
type lengths struct {
	shared *work.Calibration

	mu      sync.Mutex
	warming int           // targets whose warm-up has not ended
	timer   *time.Timer   // since the first has
	settled chan struct{} // closed when nothing is learned any more
	fit     work.Fit
}

// maxLag is how long the first target that has warmed up waits for the last.
const maxLag = 10 * time.Second

func newLengths(c *Config) *lengths {
	return &lengths{shared: c.Work.Plan.NewCalibration(), warming: len(c.Targets), settled: make(chan struct{})}
}

// learns tells whether the warm-up teaches anything.
func (c *Config) learns() bool { return c.Warmup > 0 && c.Work.Plan.Learns() }

// warmed says that a target's warm-up has ended, and waits for the others'.
func (l *lengths) warmed(ctx context.Context) work.Fit {
	l.mu.Lock()
	l.warming--
	switch {
	case l.warming <= 0:
		l.settle()
	case l.timer == nil:
		l.timer = time.AfterFunc(maxLag, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.settle()
		})
	}
	l.mu.Unlock()
	select {
	case <-l.settled:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fit
}

// settle ends the learning. The lock is held.
func (l *lengths) settle() {
	select {
	case <-l.settled:
		return
	default:
	}
	if l.timer != nil {
		l.timer.Stop()
	}
	l.fit = l.shared.Freeze()
	close(l.settled)
}

// calibrate ends a target's learning: its own, or that of all.
func (t *target) calibrate(ctx context.Context) work.Fit {
	switch {
	case !t.learns(), t.CalibrateEach:
		return t.words.Freeze()
	}
	return t.lengths.warmed(ctx)
}
