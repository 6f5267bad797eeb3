package journal

import (
	"log/slog"
	"sync"
	"sync/atomic"
)

// Options of a log.
type Options struct {
	Keep   int          // records that Get and Recent know; 0: 4096
	Path   string       // of a file to which each record is appended as a line of JSON; empty: none
	Buffer int          // records that may wait for the file; 0: 1024
	Logger *slog.Logger // hears of records that were lost; nil: nobody
}

const (
	defaultKeep   = 4096
	defaultBuffer = 1024
)

// Log keeps the latest records by id, and writes all of them to a file if it
// has one. It is safe for concurrent use.
type Log struct {
	mu      sync.Mutex
	ring    []*Record // grows to keep, then the oldest gives way
	next    int       // where the next one goes
	keep    int
	byID    map[string]*Record
	closed  bool
	writer  *writer // nil: no file
	dropped atomic.Uint64
}

// Open makes a log, and its file if it is to have one: only its owner may read
// it, and what it holds is kept.
func Open(o Options) (*Log, error) {
	if o.Keep == 0 {
		o.Keep = defaultKeep
	}
	if o.Buffer == 0 {
		o.Buffer = defaultBuffer
	}
	l := &Log{keep: o.Keep, byID: make(map[string]*Record)}
	if o.Path == "" {
		return l, nil
	}
	w, err := newWriter(o, &l.dropped)
	if err != nil {
		return nil, err
	}
	l.writer = w
	return l, nil
}

// Add takes a record that is finished; it is the log's from then on, and is not
// to be changed. It never waits for the file: a record that finds the buffer
// full is counted and missing there.
func (l *Log) Add(r *Record) {
	r.Schema = Schema
	r.bound()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remember(r)
	if l.writer == nil {
		return
	}
	if l.closed {
		l.dropped.Add(1)
		return
	}
	select {
	case l.writer.records <- r:
	default:
		l.dropped.Add(1)
	}
}

func (l *Log) remember(r *Record) {
	if len(l.ring) < l.keep {
		l.ring = append(l.ring, r)
	} else {
		if old := l.ring[l.next]; l.byID[old.ID] == old {
			delete(l.byID, old.ID)
		}
		l.ring[l.next] = r
	}
	l.next = (l.next + 1) % l.keep
	l.byID[r.ID] = r
}

// Get is the record of an id, if it is among those kept. It is shared: read it
// only.
func (l *Log) Get(id string) (*Record, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.byID[id]
	return r, ok
}

// Recent are up to n records, the latest first. They are shared: read them only.
func (l *Log) Recent(n int) []*Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	n = min(max(n, 0), len(l.ring))
	list := make([]*Record, 0, n)
	for i := range n {
		list = append(list, l.ring[(l.next-1-i+2*len(l.ring))%len(l.ring)])
	}
	return list
}

// Dropped counts the records that are missing in the file.
func (l *Log) Dropped() uint64 { return l.dropped.Load() }

// Reopen opens the file's path anew, after the file was moved away to rotate it.
// If that fails, the log goes on with the file that it has.
func (l *Log) Reopen() error {
	l.mu.Lock()
	w, closed := l.writer, l.closed
	l.mu.Unlock()
	if w == nil || closed {
		return nil
	}
	return w.reopen()
}

// Close writes what waits and closes the file. Records that are added later are
// remembered, and counted as dropped.
func (l *Log) Close() error {
	l.mu.Lock()
	closed := l.closed
	l.closed = true
	l.mu.Unlock()
	if l.writer == nil || closed {
		return nil
	}
	return l.writer.close()
}
