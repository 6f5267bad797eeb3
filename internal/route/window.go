package route

import "time"

const slots = 10

// window counts two kinds of events over the last span of time, to a tenth of
// it. The zero value is empty.
type window struct {
	origin time.Time
	head   int64 // number of the newest slot, from the origin
	counts [slots]tally
}

type tally struct{ good, bad int }

// add counts one event.
func (w *window) add(good bool, span time.Duration, now time.Time) {
	w.advance(span, now)
	if c := &w.counts[w.head%slots]; good {
		c.good++
	} else {
		c.bad++
	}
}

// sum is what the span up to now holds.
func (w *window) sum(span time.Duration, now time.Time) tally {
	w.advance(span, now)
	var all tally
	for _, c := range w.counts {
		all.good += c.good
		all.bad += c.bad
	}
	return all
}

func (w *window) advance(span time.Duration, now time.Time) {
	if w.origin.IsZero() {
		w.origin = now
	}
	to := int64(now.Sub(w.origin) / max(span/slots, 1))
	if to-w.head >= slots {
		w.counts, w.head = [slots]tally{}, to
	}
	for w.head < to {
		w.head++
		w.counts[w.head%slots] = tally{}
	}
}
