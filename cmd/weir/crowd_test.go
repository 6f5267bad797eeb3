package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"weir.dev/weir"
	"weir.dev/weir/internal/sim"
)

// crowd is a server that answers nobody until so many ask it at once.
type crowd struct {
	next  http.Handler
	slots int
	full  chan struct{} // closed once so many were there
	done  *sync.WaitGroup

	mu              sync.Mutex
	now, most, came int
}

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c.enter() {
		close(c.full)
	}
	defer c.leave()
	select {
	case <-c.full:
		c.next.ServeHTTP(w, r)
	case <-r.Context().Done():
	}
}

// enter tells whether this one is the first to fill the slots.
func (c *crowd) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
	c.came++
	first := c.now == c.slots && c.most < c.slots
	c.most = max(c.most, c.now)
	return first
}

func (c *crowd) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now--
	c.done.Done()
}

// TestNobodyStarvesOverSockets: 29 providers that answer once all four slots of
// theirs have asked, and one that does not answer before the others are through
// with everything. Were any slot, connection or turn shared between targets,
// nothing would end.
func TestNobodyStarvesOverSockets(t *testing.T) { // not beside tests of times
	const providers, slots, requests = 30, 4, 12
	var others sync.WaitGroup
	others.Add((providers - 1) * (slots + requests))
	through := make(chan struct{})
	go func() { others.Wait(); close(through) }()
	silence := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does net/http see the client leave
		select {
		case <-through:
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler)
	})
	all := make([]*crowd, providers)
	args := []string{"bench", "--no-laps"}
	for i := range all {
		fast, err := sim.New(sim.Config{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		all[i] = &crowd{next: fast, slots: slots, full: make(chan struct{}), done: &others}
		if i == providers/2 {
			all[i].next, all[i].done = silence, new(sync.WaitGroup)
			all[i].done.Add(slots)
		}
		args = append(args, serve(t, all[i])+"/v1")
	}
	o := runWeir(t, append(args, "--model", "ttft=5ms,gap=1ms", "-n", fmt.Sprint(requests), "--concurrency", fmt.Sprint(slots), "--output-tokens", "10", "--first-output-timeout", "30s", "-o", "json")...)
	for i, target := range o.summary(t).Targets {
		c := all[i]
		if i == providers/2 {
			if target.Requests != 0 || !target.GaveUp || target.Warmup != slots || c.most != slots || target.Failures[0].Outcome != weir.EmptyResponse {
				t.Errorf("the silent one: %d at once, %+v", c.most, target)
			}
			continue
		}
		if target.Outcomes[weir.OK] != requests || target.Requests != requests || target.Unsent != 0 || c.most != slots || c.came != requests+slots {
			t.Errorf("%s: %d ok of %d, %d at once, %d at the server", target.Name, target.Outcomes[weir.OK], target.Requests, c.most, c.came)
		}
	}
}
