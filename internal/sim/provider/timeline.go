package provider

import (
	"math"
	"slices"
	"time"

	"weir.dev/weir/internal/sim/cast"
)

// timeline joins the provider's time and that of its engines: lines of slopes
// 1/slower, one after the other. The zero value is the identity.
type timeline []segment

// segment begins at the same moment in both times.
type segment struct {
	provider, engine time.Duration
	slower           float64 // than the engine's own speed; times of overlapping faults multiply
}

func newTimeline(faults []cast.Fault) timeline {
	edges := []time.Duration{0}
	for _, f := range faults {
		if f.Slower > 0 {
			edges = append(edges, f.From, f.To)
		}
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	if len(edges) == 1 {
		return nil
	}
	t := make(timeline, len(edges))
	for i, at := range edges {
		t[i] = segment{provider: at, engine: t[:i].engine(at), slower: 1}
		for _, f := range faults {
			if f.Slower > 0 && f.From <= at && at < f.To {
				t[i].slower *= f.Slower
			}
		}
	}
	return t
}

// engine is what the engines' clock shows at the provider's time d.
func (t timeline) engine(d time.Duration) time.Duration {
	i := t.last(func(s segment) bool { return s.provider <= d })
	if i < 0 || t[i].slower == 1 {
		return d - t.shift(i)
	}
	return t[i].engine + time.Duration(math.Round(float64(d-t[i].provider)/t[i].slower))
}

// provider is the provider's time when the engines' clock shows e.
func (t timeline) provider(e time.Duration) time.Duration {
	i := t.last(func(s segment) bool { return s.engine <= e })
	if i < 0 || t[i].slower == 1 {
		return e + t.shift(i)
	}
	return t[i].provider + time.Duration(math.Round(float64(e-t[i].engine)*t[i].slower))
}

// shift is how far the provider's time is ahead in a segment of full speed.
func (t timeline) shift(i int) time.Duration {
	if i < 0 {
		return 0
	}
	return t[i].provider - t[i].engine
}

// last is the last segment that has begun, or -1.
func (t timeline) last(begun func(segment) bool) int {
	for i, s := range slices.Backward(t) {
		if begun(s) {
			return i
		}
	}
	return -1
}
