package meter

import (
	"bytes"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/stamp"
)

// kernel turns a stamping connection's times into offsets of a trace.
//
// An event's arrival is the kernel's time of the read that brought its last
// byte. That is exact for an event that ended where such a read ended and left
// nothing behind: no later segment can have been merged in. Events before it in
// the same read came earlier or with it; how much earlier is bounded by when the
// queue was last empty, and is next to nothing where this process was there at
// once (docs/adr/0009).
type kernel struct {
	conn  stamp.Conn
	wall  int64  // the trace's Sent, by CLOCK_REALTIME
	count uint64 // reads of the connection that were looked at
	last  time.Duration
	used  bool // a stamp was used
}

// stamp is the arrival of what a Read returned at now; exact tells whether that
// holds for its last event. ok is false where the kernel's time is missing or
// cannot be (the clock was set): the caller's own time then serves.
func (k *kernel) stamp(p []byte, now time.Duration) (s weir.Stamp, exact, ok bool) {
	r := k.conn.LastRead()
	if r.Arrived == 0 {
		return s, false, false
	}
	at := time.Duration(r.Arrived - k.wall)
	if at > now || at < k.last || now-at > maxLag {
		return s, false, false
	}
	fresh := r.Count != k.count
	k.count, k.last, k.used = r.Count, at, true
	s = weir.Exactly(at)
	if now-at > boundedAfter && r.Empty != 0 {
		s.Lo = min(at, max(0, time.Duration(r.Empty-k.wall)))
	}
	return s, fresh && r.Drained && endsAnEvent(p), true
}

// maxLag is how long bytes may plausibly lie before they are read; a larger
// difference is a clock that was set.
const maxLag = time.Hour

// endsAnEvent tells whether the bytes end where an event does: at a blank line,
// or, for newline-delimited JSON, at a line that closes an object.
func endsAnEvent(p []byte) bool {
	return bytes.HasSuffix(p, []byte("\n\n")) || bytes.HasSuffix(p, []byte("\r\n\r\n")) ||
		bytes.HasSuffix(p, []byte("\r\r")) || bytes.HasSuffix(p, []byte("}\n"))
}
