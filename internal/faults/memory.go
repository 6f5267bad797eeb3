package faults

import (
	"sync"
	"time"
)

// memory counts what faults of the kind "once, then good" have seen. It is
// bounded: the oldest key goes first.
type memory struct {
	mu    sync.Mutex
	seen  map[string]visits
	order []string
}

type visits struct {
	n           int
	first, last time.Time
}

const maxKeys = 4096

// visit counts a visit and returns those before it. A key that nobody came for
// within idle begins anew; 0 is for ever.
func (m *memory) visit(key string, now time.Time, idle time.Duration) visits {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, known := m.seen[key]
	if known && idle > 0 && now.Sub(before.last) > idle {
		before = visits{}
	}
	if !known {
		if len(m.order) >= maxKeys {
			delete(m.seen, m.order[0])
			m.order = m.order[1:]
		}
		m.order = append(m.order, key)
	}
	if before.n == 0 {
		before.first = now
	}
	m.seen[key] = visits{n: before.n + 1, first: before.first, last: now}
	return before
}
