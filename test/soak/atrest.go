//go:build linux

package soak

import (
	"math"
	"testing"
	"time"
)

// What may have grown between two measurements at rest. A connection that has
// just ended, a timer, the telling of metrics itself are within it; a leak of one
// in a thousand requests is not.
const (
	moreGoroutines  = 5
	moreDescriptors = 5
	moreHeap        = 8   // MiB: the ring of requests, and what is learned of targets
	moreRSS         = 1.5 // times what it was
	settle          = 30 * time.Second
)

// atRest measures the process once nothing is under way. Big requests before it,
// the same each time, make it collect its garbage. The least counts, since the
// question itself takes a connection.
func (r *rig) atRest(t *testing.T) sizes {
	t.Helper()
	heap := 0.0
	for i := range 12 {
		o := r.order(r.rand, shape{wire: chat, route: "match", prompt: 1 << 20, words: 3})
		if v := r.ask(t.Context(), o, manner{}); v.is != whole {
			t.Fatalf("a request at rest: %+v", v)
		}
		if s, err := r.gateway.sizes(); err != nil {
			t.Fatal(err)
		} else if i == 0 || s.heap < heap {
			heap = s.heap
		}
	}
	r.rest()
	least, since := sizes{goroutines: math.MaxInt, descriptors: math.MaxInt}, time.Now()
	for end := since.Add(settle); time.Since(since) < 2*time.Second && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		s, err := r.gateway.sizes()
		if err != nil {
			t.Fatal(err)
		}
		if s.goroutines < least.goroutines || s.descriptors < least.descriptors {
			since = time.Now() // it still falls
		}
		least = sizes{min(s.goroutines, least.goroutines), min(s.descriptors, least.descriptors), heap, s.rss}
	}
	return least
}

// grown fails the test if the process uses more than it did.
func grown(t *testing.T, before, after sizes) {
	t.Helper()
	t.Logf("at rest before: %v", before)
	t.Logf("at rest after:  %v", after)
	if after.goroutines > before.goroutines+moreGoroutines {
		t.Errorf("%d goroutines stay, over %d and %d more", after.goroutines, before.goroutines, moreGoroutines)
	}
	if after.descriptors > before.descriptors+moreDescriptors {
		t.Errorf("%d descriptors stay, over %d and %d more", after.descriptors, before.descriptors, moreDescriptors)
	}
	if after.heap > before.heap+moreHeap {
		t.Errorf("a heap of %.1f MiB stays, over %.1f and %d more", after.heap, before.heap, moreHeap)
	}
}
