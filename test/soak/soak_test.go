//go:build linux

package soak

import (
	"context"
	"regexp"
	"sync"
	"testing"
	"time"
)

// leastShare is the share of requests that have to succeed while one target is
// healthy.
const leastShare = 0.9999

// afterwards is what metrics say of the failures.
var afterwards = regexp.MustCompile(`(?m)^weir_(retries|rescues|broken_events|journal_dropped|duplicate_risk)_total.* [1-9].*$`)

func TestSoak(t *testing.T) {
	t.Logf("-soak %v -callers %d -seed %d; load average %s", *length, *crowd, *seed, loadAverage())
	r := newRig(t, bin, *seed)
	tally := newTally()
	r.warmUp(t, tally)
	before := r.atRest(t)
	t.Logf("at rest: %v", before)

	ctx, stop := context.WithTimeout(t.Context(), *length)
	defer stop()
	began := time.Now()
	var all sync.WaitGroup
	var good, bad int
	all.Go(func() { r.crowd(ctx, *seed, *crowd, tally) })
	all.Go(func() { r.weather(ctx, *seed) })
	all.Go(func() { r.beats.run(ctx) })
	all.Go(func() { good, bad = r.reloads(ctx, t, *seed) })
	early := r.watch(ctx, t, tally, began)
	all.Wait()

	t.Logf("after %v: %v", time.Since(began).Round(time.Second), tally)
	t.Logf("of them: %s", tally.variety())
	t.Logf("%d configs taken over, %d refused; load average %s", good, bad, loadAverage())
	if page, err := r.gateway.get("/metrics"); err == nil {
		for _, m := range afterwards.FindAllString(page, -1) {
			t.Log(m)
		}
	}
	for _, why := range tally.why {
		t.Error(why)
	}
	for _, p := range r.places {
		for _, what := range p.altered {
			t.Error(what)
		}
	}
	if n := tally.results[wrong]; n > 0 {
		t.Errorf("%d answers are not what was to come", n)
	}
	if share := tally.share(); share < leastShare {
		t.Errorf("success %.4f %%, under %.2f %%", 100*share, 100*leastShare)
	}
	if n := r.orders.size(); n != 0 {
		t.Errorf("%d orders are still open", n)
	}
	after := r.atRest(t)
	grown(t, before, after)
	if early.rss > 0 && after.rss > moreRSS*early.rss {
		t.Errorf("%.0f MiB of memory, over %.1f times the %.0f after the first quarter", after.rss, moreRSS, early.rss)
	}
}

// warmUp fills what has bounds: the ring of requests, what is kept for reuse.
func (r *rig) warmUp(t *testing.T, tally *tally) {
	ctx, stop := context.WithTimeout(t.Context(), min(30*time.Second, *length/4))
	defer stop()
	go r.beats.run(ctx)
	r.crowd(ctx, ^*seed, *crowd, tally)
}

// watch says each minute how it stands, and returns the sizes after a quarter of
// the time, when all has been warmed up.
func (r *rig) watch(ctx context.Context, t *testing.T, tally *tally, began time.Time) (early sizes) {
	tick := time.NewTicker(min(time.Minute, *length/4))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return early
		}
		s, err := r.gateway.sizes()
		if err != nil {
			t.Errorf("the admin listener: %v", err)
			continue
		}
		if time.Since(began) <= *length/4+time.Minute {
			early = s
		}
		t.Logf("%5v %v; %v; load average %s", time.Since(began).Round(time.Second), tally, s, loadAverage())
	}
}
