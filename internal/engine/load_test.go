package engine

import (
	"testing"

	"weir.dev/weir"
)

func TestLoad(t *testing.T) {
	e := engineOf(t, seventy(t))
	if l := e.Load(); l != (Load{}) {
		t.Errorf("idle: %+v", l)
	}
	for range 300 { // vllm-v1 has 256 seats
		submit(t, e, Request{Prompt: 8, Output: 50})
	}
	seen := Load{}
	drive(t, e, func([]Event) {
		l := e.Load()
		seen = Load{max(seen.Running, l.Running), max(seen.Waiting, l.Waiting), max(seen.KVUsage, l.KVUsage)}
	})
	// A prompt and its answer take 4 blocks at the end, 256 of them at a time.
	blocks := float64(e.Capacity() / e.BlockTokens())
	if seen.Running != 256 || seen.Waiting != 44 || seen.KVUsage <= 0 || seen.KVUsage > 256*4/blocks {
		t.Errorf("%+v of %g blocks", seen, blocks)
	}
	if l := e.Load(); l != (Load{}) {
		t.Errorf("after all: %+v", l)
	}
}

// A policy above the engine may grant less than the cache holds.
func TestMostCached(t *testing.T) {
	prompt := make([]uint32, 1000)
	for i := range prompt {
		prompt[i] = uint32(i)
	}
	for _, c := range []struct {
		most weir.Opt[int]
		want int
	}{{weir.None[int](), 992}, {weir.Some(5000), 992}, {weir.Some(500), 496}, {weir.Some(0), 0}} {
		e := engineOf(t, seventy(t))
		r := Request{Prompt: 1000, Output: 1, Blocks: HashBlocks("", prompt, e.BlockTokens())}
		submit(t, e, r)
		drive(t, e, nil)
		r.Arrival, r.MostCached = e.Now(), c.most
		submit(t, e, r)
		for _, ev := range drive(t, e, nil) {
			if ev.Kind == Admitted && ev.Cached != c.want {
				t.Errorf("most %v: %d cached, want %d", c.most, ev.Cached, c.want)
			}
		}
	}
}
