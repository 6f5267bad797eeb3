//go:build linux

package soak

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Streams that their callers leave take nothing with them, at the gateway or at
// the provider.
func TestAbortedStreams(t *testing.T) {
	r := newRig(t, bin, *seed)
	before := r.atRest(t)
	start := time.Now()
	var next atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			for n := next.Add(1); n <= int64(*aborted); n = next.Add(1) {
				o := r.abortable(n)
				if v := r.ask(context.Background(), o, manner{leaves: inAnswer, pieces: 1}); v.is != left {
					t.Errorf("stream %d is %s: %s\n    %s", n, v.is, v.why, r.trail(v.id))
				}
			}
		})
	}
	all.Wait()
	took := time.Since(start)
	for end := time.Now().Add(5 * time.Second); r.open() > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d calls are still open at the providers", r.open())
		}
	}
	t.Logf("%d streams left in their middle in %v; load average %s", *aborted, took.Round(time.Second), loadAverage())
	grown(t, before, r.atRest(t))
}

// abortable is a stream that is still open when its caller leaves after the
// first events.
func (r *rig) abortable(n int64) *order {
	s := shape{wire: chat, route: "match", stream: true, prompt: 1000, words: 400}
	if n%2 == 0 {
		s.wire, s.route = messages, "claude"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.order(r.rand, s)
}

// open is how many calls the places have.
func (r *rig) open() (n int64) {
	for _, p := range r.places {
		n += p.open.Load()
	}
	return n
}
