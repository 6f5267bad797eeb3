package gateway

import "io"

// window is what was read of a stream and has not gone down yet: whole events,
// and behind them the beginning of the next one. Events that go down as they
// came are not touched: the bytes read are the bytes written. The first that is
// changed or left out has the others copied, up to the next flush.
//
// Offsets are those of the body.
type window struct {
	buf   []byte // read, from base on
	base  int64
	whole int64 // end of the last event that was passed or left out
	out   []byte
	apart bool // out holds what goes down up to whole, not buf
	burst bool // the last read found all its room taken
}

// The room that a read finds. A stream's events are a few hundred bytes; a burst
// of them makes the room larger, so that few writes pass it on.
const (
	windowSize = 4 << 10
	maxWindow  = 32 << 10 // of bursts; an event may need more
	minRead    = 1 << 10
	maxKept    = 32 << 10 // of a window that is used again
)

func (w *window) reset() {
	if cap(w.buf) > maxKept {
		w.buf = nil
	}
	if cap(w.out) > maxKept {
		w.out = nil
	}
	*w = window{buf: w.buf[:0], out: w.out[:0]}
}

// read reads once. The events in what it brings are told, while it does, to
// pass, put and drop.
func (w *window) read(from io.Reader) (int, error) {
	if room := cap(w.buf) - len(w.buf); room < minRead || w.burst && cap(w.buf) < maxWindow {
		grown := make([]byte, len(w.buf), max(windowSize, 2*cap(w.buf)))
		copy(grown, w.buf)
		w.buf = grown
	}
	room := cap(w.buf) - len(w.buf)
	n, err := from.Read(w.buf[len(w.buf):cap(w.buf)])
	w.buf = w.buf[:len(w.buf)+n]
	w.burst = n == room
	return n, err
}

// bytes are those from one offset to another, also where the read that brings
// them has not returned yet.
func (w *window) bytes(from, to int64) []byte { return w.buf[from-w.base : to-w.base] }

// pass has the event that ends at end go down as it came.
func (w *window) pass(end int64) {
	if w.apart {
		w.out = append(w.out, w.bytes(w.whole, end)...)
	}
	w.whole = end
}

// put has other bytes go down in the place of the event that ends at end.
func (w *window) put(end int64, bytes []byte) {
	if !w.apart {
		w.out = append(w.out[:0], w.bytes(w.base, w.whole)...)
		w.apart = true
	}
	w.out = append(w.out, bytes...)
	w.whole = end
}

// drop leaves the event that ends at end out.
func (w *window) drop(end int64) { w.put(end, nil) }

// ready is what can go down now.
func (w *window) ready() []byte {
	if w.apart {
		return w.out
	}
	return w.bytes(w.base, w.whole)
}

// done forgets what ready gave.
func (w *window) done() {
	rest := copy(w.buf[:cap(w.buf)], w.buf[w.whole-w.base:])
	w.buf, w.base = w.buf[:rest], w.whole
	w.out, w.apart = w.out[:0], false
}

// held is how many bytes are in it.
func (w *window) held() int { return max(len(w.buf), len(w.out)) }

// rest is the beginning of the next event.
func (w *window) rest() []byte { return w.buf[w.whole-w.base:] }

// comments has what follows the last event go down too, if it is whole comments
// and nothing else: those of a target keep the connection alive as ours do.
func (w *window) comments() {
	rest := w.rest()
	if len(rest) == 0 || rest[len(rest)-1] != '\n' {
		return
	}
	start := true
	for _, c := range rest {
		if start && c != ':' && c != '\n' && c != '\r' {
			return
		}
		start = c == '\n' || c == '\r'
	}
	w.pass(w.base + int64(len(w.buf)))
}

// closeWith has bytes follow the last event.
func (w *window) closeWith(bytes []byte) {
	if len(bytes) > 0 {
		w.put(w.whole, bytes)
	}
}
