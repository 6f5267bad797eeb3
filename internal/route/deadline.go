package route

import "time"

// clocks are a route's settings of the first-output deadline, filled in.
type clocks struct {
	min, max, cold, perK, perToken, grace time.Duration
	factor                                float64
}

const (
	someSamples = 5  // that were not cut: from then on the line counts for something
	manySamples = 20 // and the quantile around it
)

// wait is the first-output deadline for a request. A target that is not known
// gets the cold start; of one with few samples, half of that or four times the
// line, whichever is longer; else it is the upper quantile for this length times
// the route's factor. Beyond the longest prompt seen it grows as the cold start
// does. What was cut counts, also where little else is known.
//
// The limit of an answer in one piece cannot be told from others, whose lengths
// differ: it is a cold start that counts the tokens asked for, or what was
// measured where that is longer. Where it asks for no limit, it is the most.
func (c *clocks) wait(s *state, a *Ask, now time.Time) time.Duration {
	k := a.kilo()
	cold := c.cold + times(c.perK, k)
	t := &s.streams
	if !a.Stream {
		t = &s.wholes
		tokens, ok := a.OutputTokens.Get()
		if !ok {
			return c.max
		}
		cold += times(c.perToken, float64(max(tokens, 0)))
	}
	if len(t.ring) == 0 {
		return max(min(cold, c.max), c.min)
	}
	d := seconds(t.fit.at(k)*t.slowest*c.factor) + times(c.perK, max(k-t.longest, 0))
	switch {
	case !a.Stream, t.reached < someSamples, t.expired(s.set.HalfLife, now):
		d = max(d, cold)
	case t.reached < manySamples:
		d = max(d, cold/2, seconds(4*t.fit.at(k)))
	}
	return max(min(d, c.max), c.min)
}

// limits fills in what depends on the request.
func (c *clocks) limits(p *place, a *Ask, now time.Time) (l Limits, grace time.Duration) {
	l = p.limits
	if l.FirstOutput < 0 {
		l.FirstOutput = 0
		return l, 0
	}
	if l.FirstOutput == 0 {
		p.at.mu.Lock()
		l.FirstOutput = c.wait(p.at, a, now)
		p.at.mu.Unlock()
	}
	return l, max(l.FirstOutput, c.grace)
}

func times(d time.Duration, n float64) time.Duration { return seconds(d.Seconds() * n) }

// seconds is bounded, so that no arithmetic on it overflows.
func seconds(s float64) time.Duration {
	const most = 24 * 3600
	return time.Duration(min(s, most) * float64(time.Second))
}
