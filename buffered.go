package weir

import "time"

// Buffered tells whether the answer came in one piece, so that its events say
// nothing of the engine's pace. That is so where N_seen >= 16 and more than half
// of it came in one event, or within 20 stamp errors; or where N_seen >= 2 and
// all output shares one arrival instant, spans less than 20 stamp errors, or
// spans less than one stamp error per token: a burst that was written, or read,
// in a few pieces (docs/adr/0008). It is so whenever in their bounds the events
// came: where they may have come in pieces, the answer is Unstamped.
func (t *Trace) Buffered() bool {
	n, ok := t.NSeen().Get()
	return ok && t.shape(n) == inOnePiece
}

// Unstamped tells whether the answer looks as if it had come in one piece, and
// may have come in pieces while this process was too busy to stamp them, or
// stopped.
func (t *Trace) Unstamped() bool {
	n, ok := t.NSeen().Get()
	return ok && t.shape(n) == unstamped
}

// shape is what the arrivals show of an answer's pace.
type shape int

const (
	inPieces   shape = iota // the events show it
	inOnePiece              // there is none
	unstamped               // the stamps are too wide to tell
)

// shape judges an answer of so many tokens.
func (t *Trace) shape(nSeen int) shape {
	p := t.phase(nSeen)
	if p.first == nil || p.tokens < 2 {
		return inPieces
	}
	least := time.Duration(max(20, p.tokens)) * t.StampError.Duration()
	together := func(span time.Duration) bool { return span == 0 || span < least }
	within := 20 * t.StampError.Duration()
	heap := func(bounded bool) bool {
		if p.tokens < 16 {
			return false
		}
		most, all := t.densest(within, p.own, bounded)
		return 2*most > all
	}
	switch {
	case p.events == 1, together(p.last.At - min(p.first.Lo, p.first.At)), heap(false):
		return inOnePiece
	case together(p.last.At - p.first.At), t.bounded() && heap(true):
		return unstamped
	}
	return inPieces
}

// bounded tells whether the arrival of any event is not known.
func (t *Trace) bounded() bool {
	for i := range t.Ticks {
		if !t.Ticks[i].Exact() {
			return true
		}
	}
	return false
}

// densest is the most output that came within so short a time, and all of it:
// in tokens where every event says its own, else in bytes. An event whose bounds
// are wider than that counts as one of several only if bounded; by itself it
// always does.
func (t *Trace) densest(within time.Duration, own, bounded bool) (most, all int64) {
	in, from, window := t.inPhase(), 0, int64(0)
	size := func(tick *Tick) int64 {
		if own {
			return int64(tick.Tokens)
		}
		return int64(tick.Bytes)
	}
	counts := func(tick *Tick) bool { return in(tick.Kind) && (bounded || tick.At-tick.Lo <= within) }
	for i := range t.Ticks {
		tick := &t.Ticks[i]
		if !in(tick.Kind) {
			continue
		}
		n := size(tick)
		all, most = all+n, max(most, n)
		if !counts(tick) {
			continue
		}
		window += n
		for ; tick.At-t.Ticks[from].At > within; from++ {
			if counts(&t.Ticks[from]) {
				window -= size(&t.Ticks[from])
			}
		}
		most = max(most, window)
	}
	return most, all
}
