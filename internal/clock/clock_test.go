package clock

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPlainIsExactInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		due := time.Now().Add(time.Second + 1)
		if err := (Plain{}).Until(t.Context(), due); err != nil || !time.Now().Equal(due) {
			t.Errorf("error %v at %v, want nil at %v", err, time.Now(), due)
		}
		if err := (Plain{}).Until(t.Context(), due.Add(-time.Hour)); err != nil || !time.Now().Equal(due) {
			t.Errorf("the past: error %v at %v, want nil at once", err, time.Now())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := (Plain{}).Until(ctx, due.Add(time.Hour)); !errors.Is(err, context.DeadlineExceeded) || !time.Now().Equal(due.Add(time.Second)) {
			t.Errorf("ended context: error %v at %v", err, time.Now())
		}
	})
}

// eachPrecise runs f with every kind of alarm this system has.
func eachPrecise(t *testing.T, f func(t *testing.T, p *Precise)) {
	system := func() (alarm, error) { return newAlarm() }
	spin := func() (alarm, error) { return newSpinner(), nil }
	for name, alarm := range map[string]func() (alarm, error){"system": system, "spinner": spin} {
		t.Run(name, func(t *testing.T) {
			a, err := alarm()
			if err != nil {
				t.Fatal(err)
			}
			p := startPrecise(a)
			f(t, p)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPreciseIsNeverEarlyAndLosesNobody(t *testing.T) {
	eachPrecise(t, func(t *testing.T, p *Precise) {
		rng := rand.New(rand.NewPCG(1, 2))
		var all sync.WaitGroup
		for range 300 {
			wait := time.Duration(rng.IntN(20_000)) * time.Microsecond
			all.Go(func() {
				for range 3 {
					due := p.Now().Add(wait)
					if err := p.Until(t.Context(), due); err != nil {
						t.Error(err)
					}
					if early := due.Sub(p.Now()); early > 0 {
						t.Errorf("%v early", early)
					}
				}
			})
		}
		all.Wait()
	})
}

func TestPreciseTakesInstantsWithoutMonotonicReading(t *testing.T) {
	eachPrecise(t, func(t *testing.T, p *Precise) {
		start := time.Now()
		if err := p.Until(t.Context(), start.Round(0).Add(5*time.Millisecond)); err != nil {
			t.Error(err)
		}
		if got := time.Since(start); got < 4*time.Millisecond {
			t.Errorf("returned after %v, want 5ms", got)
		}
	})
}

func TestPreciseCancelLeavesNobodyBehind(t *testing.T) {
	eachPrecise(t, func(t *testing.T, p *Precise) {
		far := p.Now().Add(time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				if err := p.Until(ctx, far.Add(time.Duration(i))); !errors.Is(err, context.Canceled) {
					t.Errorf("error %v, want canceled", err)
				}
			})
		}
		cancel()
		all.Wait()
		if err := p.Until(ctx, p.Now().Add(-1)); !errors.Is(err, context.Canceled) {
			t.Errorf("the past with an ended context: error %v, want canceled", err)
		}
		if len(p.queue) != 0 {
			t.Errorf("%d waiters left", len(p.queue))
		}
	})
}

// Cancels race with the alarm: a waiter may be woken and cancelled at once, and
// must be as good as new when it is used again.
func TestPreciseCancelAtTheDueTime(t *testing.T) {
	eachPrecise(t, func(t *testing.T, p *Precise) {
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				for range 5 {
					due := p.Now().Add(time.Millisecond)
					ctx, cancel := context.WithDeadline(t.Context(), due)
					if err := p.Until(ctx, due); err == nil && p.Now().Before(due) {
						t.Error("early")
					}
					cancel()
				}
			})
		}
		all.Wait()
		if len(p.queue) != 0 {
			t.Errorf("%d waiters left", len(p.queue))
		}
	})
}

func TestPreciseCloseEndsWaits(t *testing.T) {
	eachPrecise(t, func(t *testing.T, p *Precise) {
		result := make(chan error, 1)
		go func() { result <- p.Until(context.Background(), p.Now().Add(time.Hour)) }()
		for waiting := 0; waiting == 0; {
			p.mu.Lock()
			waiting = len(p.queue)
			p.mu.Unlock()
		}
		p.Close()
		if err := <-result; !errors.Is(err, ErrClosed) {
			t.Errorf("error %v, want ErrClosed", err)
		}
		if err := p.Until(t.Context(), p.Now().Add(time.Hour)); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: error %v, want ErrClosed", err)
		}
	})
}

func TestPreciseAllocatesNothingPerWait(t *testing.T) {
	p, err := NewPrecise()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	allocs := testing.AllocsPerRun(100, func() {
		if err := p.Until(t.Context(), p.Now().Add(50*time.Microsecond)); err != nil {
			t.Fatal(err)
		}
	})
	if allocs >= 1 {
		t.Errorf("%v allocations per wait, want 0", allocs)
	}
}
