//go:build linux

package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"
	"time"
)

// some is one of several.
func some[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// dice makes a random order and how its caller behaves.
func (r *rig) dice(rand *rand.Rand) (*order, manner) {
	s := shape{
		wire: some(rand, []wire{chat, chat, messages}), route: some(rand, routes),
		stream: rand.IntN(4) > 0, usage: rand.IntN(2) == 0,
		prompt: 1 << (10 + rand.IntN(6)), words: 1 + rand.IntN(60), faults: map[string]fault{},
	}
	switch rand.IntN(40) {
	case 0:
		s.prompt = 1 << 20
	case 1, 2:
		s.prompt = 200 << 10
	}
	for _, p := range r.places[:len(r.places)-1] {
		if rand.IntN(3) == 0 {
			s.faults[p.name] = some(rand, faults())
		}
	}
	m := manner{}
	switch n := rand.IntN(100); {
	case n < 12:
		m.leaves = some(rand, phases())
		m.after = time.Duration(rand.IntN(200)) * time.Millisecond
		m.pieces = rand.IntN(10)
	case n < 14:
		m.slow, s.words = true, longAnswer
	}
	return r.order(rand, s), m
}

// spared tells whether the caller gets the whole answer whatever breaks.
func (o *order) spared() bool {
	return !o.mayBreak(rescues[o.route] == o.wire)
}

// tally is what became of all requests.
type tally struct {
	mu      sync.Mutex
	results map[result]int
	failed  int // that were to succeed
	told    int // broke off with an error event where nobody could go on
	unfair  int // failed while the machine stood still
	slow    int
	leaving map[phase]int
	ordered map[fault]int
	why     []string // of the first that failed or were wrong
}

func newTally() *tally {
	return &tally{results: map[result]int{}, leaving: map[phase]int{}, ordered: map[fault]int{}}
}

// add counts a request. One that fails while the machine stands still is not
// held against the gateway, one that is wrong always is.
func (t *tally) add(o *order, m manner, v verdict, stood bool, trail func() string) {
	failed := v.is == refused || v.is == broken && o.spared()
	bad := v.is == wrong || failed && !stood
	note := ""
	if bad {
		note = fmt.Sprintf("%s %s (%s, %s, stream %v, faults %v, %+v): %s\n    %s", v.is, o.id, o.route, o.wire, o.stream, o.faults, m, v.why, trail())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.results[v.is]++
	t.leaving[m.leaves]++
	for _, f := range o.faults {
		t.ordered[f]++
	}
	if m.slow {
		t.slow++
	}
	if v.is == broken && !o.spared() {
		t.told++
	}
	if failed && stood {
		t.unfair++
	} else if failed {
		t.failed++
	}
	if bad && len(t.why) < 20 {
		t.why = append(t.why, note)
	}
}

// share is that of the requests that succeeded, of those whose callers stayed
// and whose provider did not leave them a broken stream that nobody mends.
func (t *tally) share() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.results[whole] + t.failed + t.results[wrong]
	if all == 0 {
		return 0
	}
	return float64(t.results[whole]) / float64(all)
}

func (t *tally) String() string {
	share := t.share()
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, more := range t.results {
		n += more
	}
	return fmt.Sprintf("%d requests: %d whole, %d left by their caller, %d broken off and told so (no rescue: the provider's failure), %d not judged (the machine stood still), %d failed, %d wrong; success %.4f %%",
		n, t.results[whole], t.results[left], t.told, t.unfair, t.failed, t.results[wrong], 100*share)
}

// variety says what the requests were like.
func (t *tally) variety() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []string
	for f, n := range t.ordered {
		all = append(all, fmt.Sprintf("%s %d", f, n))
	}
	for p, n := range t.leaving {
		if p != stays {
			all = append(all, fmt.Sprintf("left %s %d", p, n))
		}
	}
	sort.Strings(all)
	return fmt.Sprintf("%s; %d slow readers", strings.Join(all, ", "), t.slow)
}

// trail is what the gateway did for a request.
func (r *rig) trail(id string) string {
	if id == "" {
		return "it has no id"
	}
	time.Sleep(50 * time.Millisecond) // the record comes once the answer has gone
	page, err := r.gateway.get("/api/v1/requests/" + id)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(page)
}

// crowd has callers ask one thing after another until the context ends, and
// waits for them.
func (r *rig) crowd(ctx context.Context, seed uint64, n int, t *tally) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			rand := rand.New(rand.NewPCG(seed, uint64(i+1)))
			for ctx.Err() == nil {
				o, m := r.dice(rand)
				began := time.Now()
				v := r.ask(context.WithoutCancel(ctx), o, m)
				t.add(o, m, v, r.beats.stood(began), func() string { return r.trail(v.id) })
				time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
			}
		})
	}
	all.Wait()
}

// weather has the places that may fail fail altogether, now and then.
func (r *rig) weather(ctx context.Context, seed uint64) {
	rand := rand.New(rand.NewPCG(seed, 1<<32))
	for ctx.Err() == nil {
		for _, p := range r.places[:len(r.places)-1] {
			p.down.Store(rand.IntN(4) == 0)
		}
		select {
		case <-time.After(time.Duration(500+rand.IntN(3000)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
	for _, p := range r.places {
		p.down.Store(false)
	}
}
