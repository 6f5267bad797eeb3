package route

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// track follows one time of a target: a line over the prompt's length, and how
// far recent samples lie from it. All samples tell what to wait for; the last of
// them, since the target was last seen to heal, tell whether it is slow.
type track struct {
	learns bool // the line; else it is given
	fit    line

	ring    []sample
	count   int           // samples ever
	reached int           // samples in the ring that were not cut
	origin  time.Time     // what ages are counted from
	newest  time.Duration // age of the newest sample
	longest float64       // thousands of tokens, the most seen

	pending  int     // samples since slowest was made
	slowest  float64 // the upper quantile, as a multiple of the line
	recent   []point // settled
	proof    float64 // exceeded by the last three of them, or by any five; 0 with fewer
	asked    float64 // a quantile of them, and what it is
	answer   float64
	lowest   float64 // of them that was not cut
	from     int     // samples before this number are not recent
	needed   int     // good samples in a row to be healed
	healedAt time.Duration
}

// sample is one time. Ages are from the track's origin.
type sample struct {
	at    time.Duration
	k     float64 // thousands of tokens
	value float64 // seconds
	cut   bool    // at least so long
}

const (
	maxSamples = 256
	maxRecent  = 64
	batch      = 8 // samples, after which the upper quantile is made anew
	lifetime   = 5 // half-lives, after which a sample says nothing
	upper      = 0.995
	streak     = 3
	scattered  = 5
	minNeeded  = 5
	maxNeeded  = 40
)

func (t *track) add(s sample, halfLife time.Duration, now time.Time) {
	if s.cut && t.reached > 0 && s.value < t.lowest*t.fit.at(s.k) {
		return // it was cut before anything could be known of it
	}
	if t.origin.IsZero() {
		t.origin = now
	}
	s.at = now.Sub(t.origin)
	t.newest = s.at
	if t.learns && (!s.cut || t.fit.n == 0 || s.value > t.fit.at(s.k)) {
		t.fit.add(s.k, s.value)
	}
	t.push(s)
	t.longest = max(t.longest, s.k)
	t.refresh(halfLife)
	if t.pending++; t.pending >= batch || len(t.ring) < maxRecent || s.value > t.slowest*t.fit.at(s.k) {
		t.widen(halfLife)
		t.pending = 0
	}
}

func (t *track) push(s sample) {
	if len(t.ring) < maxSamples {
		t.ring = append(t.ring, s)
	} else {
		old := &t.ring[t.count%maxSamples]
		if !old.cut {
			t.reached--
		}
		*old = s
	}
	t.count++
	if !s.cut {
		t.reached++
	}
}

// back is the i-th newest sample.
func (t *track) back(i int) *sample { return &t.ring[(t.count-1-i)%maxSamples] }

// late is how many of the newest samples may be recent ones.
func (t *track) late() int { return min(len(t.ring), maxRecent, t.count-t.from) }

// refresh makes the recent points.
func (t *track) refresh(halfLife time.Duration) {
	t.recent, t.asked, t.proof, t.lowest = t.recent[:0], 0, 0, 0
	for i := range t.late() {
		s := t.back(i)
		if t.newest-s.at > lifetime*halfLife {
			break
		}
		ratio := s.value / t.fit.at(s.k)
		if !s.cut && (t.lowest == 0 || ratio < t.lowest) {
			t.lowest = ratio
		}
		t.recent = append(t.recent, point{ratio: ratio, weight: 1, cut: s.cut})
	}
	n := len(t.recent)
	if n < streak {
		settle(t.recent)
		return
	}
	t.proof = slices.MinFunc(t.recent[:streak], func(a, b point) int { return cmp.Compare(a.ratio, b.ratio) }).ratio
	if settle(t.recent); n >= scattered {
		t.proof = max(t.proof, t.recent[n-scattered].ratio)
	}
}

// widen makes the upper quantile, of all samples by their age.
func (t *track) widen(halfLife time.Duration) {
	var room [maxSamples]point
	pts := room[:0]
	t.longest = 0
	for i := range t.ring {
		s := &t.ring[i]
		t.longest = max(t.longest, s.k)
		weight := math.Exp2(-float64(t.newest-s.at) / float64(halfLife))
		pts = append(pts, point{ratio: s.value / t.fit.at(s.k), weight: weight, cut: s.cut})
	}
	settle(pts)
	t.slowest = quantile(pts, upper)
}

// expired tells whether there is no sample that still says something.
func (t *track) expired(halfLife time.Duration, now time.Time) bool {
	return len(t.ring) == 0 || now.Sub(t.origin)-t.newest > lifetime*halfLife
}

// quantile is that of the recent points; the last one asked for is kept.
func (t *track) quantile(p float64) float64 {
	if t.asked != p {
		t.asked, t.answer = p, quantile(t.recent, p)
	}
	return t.answer
}

// run is how many of the newest samples in a row would have met a limit, and
// which of the newest the first of them is. Cuts that came before the limit tell
// nothing and are passed over.
func (t *track) run(about float64, meets func(seconds float64) bool) (n, oldest int) {
	for i := range t.late() {
		s := t.back(i)
		good := meets(s.value / t.fit.at(s.k) * about)
		switch {
		case s.cut && good:
		case good:
			n, oldest = n+1, i
		default:
			return n, oldest
		}
	}
	return n, oldest
}

// heal forgets what is older than the i-th newest sample, as far as being slow
// goes. Who falls ill again soon needs more good samples the next time.
func (t *track) heal(i int, halfLife time.Duration) {
	if t.needed > 0 && t.newest-t.healedAt < lifetime*halfLife {
		t.needed = min(2*t.needed, maxNeeded)
	} else {
		t.needed = minNeeded
	}
	t.healedAt = t.newest
	t.from = t.count - 1 - i
	t.refresh(halfLife)
}

func (t *track) need() int { return max(t.needed, minNeeded) }
