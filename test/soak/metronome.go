//go:build linux

package soak

import (
	"context"
	"sync"
	"time"
)

// A beat that comes so much too late means that the machine had no time for the
// providers, either, and that a clock of the gateway may have fired for that.
const (
	beat    = 20 * time.Millisecond
	tooLate = 300 * time.Millisecond
)

// metronome knows when this process stood still.
type metronome struct {
	mu    sync.Mutex
	still []span
}

type span struct{ from, to time.Time }

func (m *metronome) run(ctx context.Context) {
	for ctx.Err() == nil {
		from := time.Now()
		time.Sleep(beat)
		if to := time.Now(); to.Sub(from) > beat+tooLate {
			m.mu.Lock()
			m.still = append(m.still, span{from, to})
			m.mu.Unlock()
		}
	}
}

// stood tells whether the process stood still at some time since.
func (m *metronome) stood(since time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.still) > 0 && m.still[len(m.still)-1].to.After(since)
}
