package gateway

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"weir.dev/weir/internal/sse"
)

// errStuck is why a caller that does not read is given up.
var errStuck = errors.New("the caller does not read")

// downstream is what goes down to one caller of a stream. Its timer writes
// comments while the exchange waits for a target: at the end of the hold, so
// that proxies between keep the connection, and whenever nothing else went down
// for a while.
//
// It is only ever given whole events, so that a comment between two writes is a
// comment between two events.
type downstream struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration // for one write; 0: none
	every   time.Duration // between comments; 0: none
	broke   func(error)   // told of the first write that fails

	beat   *time.Timer
	begun  bool // the head went out
	early  bool // it did before there was an answer
	closed bool
	err    error     // of the first write that failed
	head   time.Time // when the head went out
	last   time.Time // when a write ended
	until  time.Time // the write deadline in force
	away   time.Duration
}

// open starts the clock of the hold.
func (d *downstream) open(w http.ResponseWriter, h Handling, broke func(error)) {
	d.w, d.control, d.limit, d.every, d.broke = w, http.NewResponseController(w), h.Write, h.KeepAlive, broke
	if h.Hold > 0 {
		d.mu.Lock()
		d.beat = time.AfterFunc(h.Hold, d.tick)
		d.mu.Unlock()
	}
}

// tick is the timer's: it writes a comment if nothing else was written.
func (d *downstream) tick() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.err != nil {
		return
	}
	if !d.begun {
		d.early = true
		d.begin("text/event-stream")
	} else if quiet := time.Since(d.last); quiet < d.every {
		d.beat.Reset(d.every - quiet)
		return
	}
	d.put(sse.AppendComment(nil, "keep-alive"))
	if d.every > 0 {
		d.beat.Reset(d.every)
	}
}

// start sends the head of an answer, unless it has gone out: what the headers
// were to say then comes too late.
func (d *downstream) start(contentType string, say func(http.Header)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.begun {
		return
	}
	say(d.w.Header())
	d.begin(contentType)
	switch {
	case d.beat == nil && d.every > 0:
		d.beat = time.AfterFunc(d.every, d.tick)
	case d.beat != nil && d.every > 0:
		d.beat.Reset(d.every)
	case d.beat != nil:
		d.beat.Stop()
	}
}

// begin writes the head; the lock is held. It goes out with the first bytes.
func (d *downstream) begin(contentType string) {
	h := d.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	d.begun, d.head = true, time.Now()
	d.w.WriteHeader(http.StatusOK)
}

// write sends whole events, and has them on their way when it returns.
func (d *downstream) write(p []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil && len(p) > 0 {
		d.put(p)
	}
	return d.err
}

// put writes and flushes; the lock is held.
func (d *downstream) put(p []byte) {
	before := time.Now()
	d.allow(before)
	_, err := d.w.Write(p)
	if err == nil {
		err = d.control.Flush()
	}
	d.last = time.Now()
	d.away += d.last.Sub(before)
	if err == nil {
		return
	}
	if d.err = err; d.limit > 0 && d.last.Sub(before) >= d.limit*3/4 {
		d.err = errStuck
	}
	d.broke(d.err)
}

// allow gives the write its time. A deadline costs as much as a small write, so
// one that has most of its time left is not moved: a write may then have a
// quarter less.
func (d *downstream) allow(now time.Time) {
	if d.limit <= 0 || d.until.Sub(now) > d.limit*3/4 {
		return
	}
	d.until = now.Add(d.limit)
	_ = d.control.SetWriteDeadline(d.until) // a writer without deadlines is a test's
}

// close ends the comments, and tells whether the head has gone out, so that no
// status can be sent.
func (d *downstream) close() (begun bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.beat != nil {
		d.beat.Stop()
	}
	return d.begun
}

// fault is why a write failed; nil if none has.
func (d *downstream) fault() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}
