package telemetry

import "sync"

// lazy makes a series when it is first needed, since most combinations of labels
// never occur, and finds it again without allocating.
type lazy[K comparable, V any] struct {
	make func(K) V
	mu   sync.RWMutex
	made map[K]V
}

func lazily[K comparable, V any](f func(K) V) *lazy[K, V] {
	return &lazy[K, V]{make: f, made: map[K]V{}}
}

func (l *lazy[K, V]) get(k K) V {
	l.mu.RLock()
	v, ok := l.made[k]
	l.mu.RUnlock()
	if ok {
		return v
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if v, ok := l.made[k]; ok {
		return v
	}
	v = l.make(k)
	l.made[k] = v
	return v
}
