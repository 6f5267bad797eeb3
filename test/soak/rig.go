//go:build linux

package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// rig is a gateway, its providers and its callers. The last provider is healthy
// at all times.
type rig struct {
	*callers
	gateway *process
	orders  *orders
	places  []*place
	mu      sync.Mutex // of rand
	rand    *rand.Rand
	ids     atomic.Int64
	pad     string
	beats   metronome
}

func newRig(t *testing.T, bin string, seed uint64) *rig {
	t.Helper()
	r := &rig{callers: newCallers(), orders: &orders{}, rand: rand.New(rand.NewPCG(seed, 0))}
	for _, name := range []string{"a", "b", "c"} {
		p := newPlace(name, r.orders)
		t.Cleanup(p.server.Close)
		r.places = append(r.places, p)
	}
	var pad strings.Builder
	for pad.Len() < 1<<20 {
		pad.WriteString(words[r.rand.IntN(len(words))])
	}
	r.pad = strings.ToValidUTF8(pad.String(), "")
	r.gateway = start(t, bin, yaml(r.places, 0))
	t.Cleanup(r.rest)
	return r
}

// rest closes all connections that nothing runs on.
func (r *rig) rest() {
	r.kept.CloseIdleConnections()
	for _, p := range r.places {
		p.rest()
	}
}

// shape is what an order is like.
type shape struct {
	wire          wire
	route         string
	stream, usage bool
	prompt, words int // bytes and words
	faults        map[string]fault
}

// order makes one of a shape.
func (r *rig) order(rand *rand.Rand, s shape) *order {
	o := &order{
		id: fmt.Sprintf("o%d", r.ids.Add(1)), wire: s.wire, route: s.route, stream: s.stream,
		usage: s.usage && s.stream && s.wire == chat, words: s.words, faults: s.faults,
	}
	at := rand.IntN(max(1, len(r.pad)-s.prompt))
	o.prompt = o.id + " " + strings.ToValidUTF8(r.pad[at:min(len(r.pad), at+s.prompt)], "")
	return o
}

// ask has an order carried out.
func (r *rig) ask(ctx context.Context, o *order, m manner) verdict {
	r.orders.put(o)
	defer r.orders.drop(o)
	return r.callers.ask(ctx, r.gateway.url, o, m)
}
