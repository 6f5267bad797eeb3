package bench

import (
	"sync"

	"weir.dev/weir"
)

// Two small queues keep work out of the instant in which a slot is free and its
// next request is due: handing something to a goroutine that sleeps costs a
// wake-up, up to a millisecond on a busy virtual machine, and it would be paid
// there.

// ahead holds requests that are written before they are due. The writer sleeps
// until half of them are gone.
type ahead struct {
	mu    sync.Mutex
	room  sync.Cond // for the writer: half is gone, or all is over
	some  sync.Cond // for slots: there is one, or no more will come
	ready []prepared
	size  int
	over  bool // no slot will take another
	last  bool // no more will come

	drained func() // if not nil, called when all are taken
}

func newAhead(size int) *ahead {
	a := &ahead{size: size}
	a.room.L, a.some.L = &a.mu, &a.mu
	return a
}

// put waits for room; false when all is over.
func (a *ahead) put(p prepared) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.ready) >= a.size {
		for len(a.ready) > a.size/2 && !a.over {
			a.room.Wait()
		}
	}
	if a.over {
		return false
	}
	a.ready = append(a.ready, p)
	a.some.Signal()
	return true
}

// take returns the next one, in order; false when there are no more.
func (a *ahead) take() (p prepared, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.ready) == 0 && !a.last && !a.over {
		a.some.Wait()
	}
	if len(a.ready) == 0 || a.over {
		return prepared{}, false
	}
	p, a.ready = a.ready[0], a.ready[1:]
	if len(a.ready) == a.size/2 {
		a.room.Signal()
	}
	a.tell()
	return p, true
}

// close says that no more will come.
func (a *ahead) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = true
	a.some.Broadcast()
	a.tell()
}

func (a *ahead) tell() {
	if a.last && len(a.ready) == 0 && a.drained != nil {
		a.drained()
	}
}

// stop says that no slot will take another.
func (a *ahead) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	a.room.Broadcast()
	a.some.Broadcast()
}

// step is a request that began (no trace), was refused for a quota, or ended.
type step struct {
	target  int
	number  int // of the request
	trace   *weir.Trace
	refused bool
	wait    weir.Span // as the refusal asked
}

// behind gathers what happened until the collector looks for it. Its traces
// are bounded: where the collector is slower than the run (a slow disk, no
// processor left), slots wait for it when an answer has ended, never before they
// send.
type behind struct {
	mu     sync.Mutex
	room   sync.Cond
	steps  []step
	traces int

	contents []*recording
	bytes    int // of those
}

// maxBehind bounds the traces in memory: one of 256 events has 10 KB. Content
// is bounded by maxContentBehind, in bytes, and one call more of each slot.
const (
	maxBehind        = 512
	maxContentBehind = 64 << 20
)

func newBehind() *behind {
	b := &behind{}
	b.room.L = &b.mu
	return b
}

func (b *behind) add(s step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.trace != nil {
		for b.traces >= maxBehind || b.bytes >= maxContentBehind {
			b.room.Wait()
		}
		b.traces++
	}
	b.steps = append(b.steps, s)
}

// addContent is add for what a call asked and was answered. It does not wait:
// the call's trace, which comes after it, does.
func (b *behind) addContent(rec *recording) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes += rec.size()
	b.contents = append(b.contents, rec)
}

// takeContents returns the contents that were gathered.
func (b *behind) takeContents() []*recording {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.contents
	b.contents, b.bytes = nil, 0
	b.room.Broadcast()
	return taken
}

// swap returns what was gathered; the given slice serves for what comes.
func (b *behind) swap(empty []step) []step {
	b.mu.Lock()
	defer b.mu.Unlock()
	steps := b.steps
	b.steps, b.traces = empty[:0], 0
	b.room.Broadcast()
	return steps
}
