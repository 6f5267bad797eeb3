package weir

import "time"

// readerBuffer is how long the reader of smooth_speed lets text gather before
// reading on.
const readerBuffer = 300 * time.Millisecond

// What makes a gap a stall: longer than both.
const (
	stallGaps = 10 // median gaps
	stallTime = 250 * time.Millisecond
)

// SmoothSpeed is the highest steady speed, in tokens per second, at which a
// reader never waits who begins 300 ms after the first output. It is the least,
// over the events that come later than that, of the tokens before the event over
// the time since the reader began. It is empty where TPOT is, and where all
// output came within the 300 ms, since then no speed is too high.
func (t *Trace) SmoothSpeed() Opt[float64] {
	if _, ok := t.tpot(); !ok {
		return None[float64]()
	}
	n := t.NSeen().Or(0)
	p := t.phase(n)
	first, _ := n1(p)
	share := t.eventTokens(n)
	before, least := first.Or(0), None[float64]()
	for tick := range t.ticks(t.inPhase()) {
		if tick == p.first {
			continue
		}
		if since := (tick.At - p.first.At - readerBuffer).Seconds(); since > 0 {
			v := before / since
			least = Some(min(v, least.Or(v)))
		}
		before += share(tick)
	}
	return least
}

// StallsPer1K is the number of gaps over 10 times the median gap and over 250
// ms, per 1,000 tokens seen. It is empty where GapP50 is or the tokens are
// unknown.
func (t *Trace) StallsPer1K() Opt[float64] {
	n := t.NSeen().Or(0)
	typical, ok := t.GapP50().Get()
	if n < 1 || !ok {
		return None[float64]()
	}
	limit, stalls := max(stallTime, stallGaps*typical.Duration()), 0
	for gap := range t.Gaps() {
		if gap > limit {
			stalls++
		}
	}
	return Some(float64(stalls) / float64(n) * 1000)
}
