package page

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"weir.dev/weir"
)

// Stream is what the gap timeline shows of one trace: when its output arrived.
// Times count from when it was due.
type Stream struct {
	ID      string
	Outcome weir.Outcome
	TTFT    weir.Span
	Stall   weir.Span // the longest wait between its output, that before a failure included
	StallAt weir.Dur  // when that wait began
	End     weir.Dur
	Outputs []weir.Dur
	nth     int // of its target's traces
}

// Streams are one target's exemplars.
type Streams struct {
	Target  string
	Seen    int      // traces that they were taken from
	Typical []Stream // those nearest to the medians of ttft and time per output event
	Slow    []Stream // those whose first output came last
	Stalled []Stream // those that stalled longest
}

// How much is kept of each target while traces pass by.
const (
	keptDrawn   = 48     // at random, of which the most typical are shown
	keptWorst   = 2      // of each kind
	keptTypical = 2      // that are shown
	keptEvents  = 20_000 // of a stream
)

// Exemplars keeps a few whole streams of each target, typical and worst ones,
// while all traces pass by. What it keeps is bounded and follows from the order
// of the traces alone. It is safe for concurrent use.
type Exemplars struct {
	mu     sync.Mutex
	names  []string
	target map[string]*exemplars
}

// exemplars are those of one target.
type exemplars struct {
	rng     *rand.Rand
	seen    int
	drawn   []Stream // a random sample of all
	slow    []Stream
	stalled []Stream
}

// NewExemplars makes the keeper for a run's targets.
func NewExemplars(targets []weir.Target) *Exemplars {
	e := &Exemplars{target: map[string]*exemplars{}}
	for i, t := range targets {
		e.names = append(e.names, t.Name)
		e.target[t.Name] = &exemplars{rng: rand.New(rand.NewPCG(uint64(i), 1))}
	}
	return e
}

// Add looks at a trace and copies what it keeps; the trace stays the caller's.
// Warm-up, warm halves of pairs and what brought no output are not looked at.
func (e *Exemplars) Add(t *weir.Trace) {
	if t.Warmup || t.CacheRole == "warm" {
		return
	}
	ttft, ok := t.TTFT().Get()
	if !ok {
		return
	}
	stall, at := longestWait(t)
	e.mu.Lock()
	defer e.mu.Unlock()
	x := e.target[t.Target]
	if x == nil {
		return
	}
	s := Stream{ID: t.ID, Outcome: t.Outcome, TTFT: weir.Some(ttft), Stall: stall, StallAt: at, End: weir.Dur(t.Lateness()) + t.End.Or(0)}
	x.seen++
	s.nth = x.seen
	draw := len(x.drawn)
	if draw == keptDrawn {
		draw = x.rng.IntN(x.seen)
	}
	typical := draw < keptDrawn && t.Outcome == weir.OK
	if typical || worse(x.slow, &s, firstWait) || worse(x.stalled, &s, stallOf) {
		s.Outputs = outputs(t)
	}
	if typical {
		x.drawn = slices.Grow(x.drawn, 1)[:max(len(x.drawn), draw+1)]
		x.drawn[draw] = s
	}
	x.slow = keepWorst(x.slow, &s, firstWait)
	x.stalled = keepWorst(x.stalled, &s, stallOf)
}

// Streams are what was kept, in the order of the targets. No stream is there
// twice.
func (e *Exemplars) Streams() []Streams {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []Streams
	for _, name := range e.names {
		x := e.target[name]
		one := Streams{Target: name, Seen: x.seen}
		shown := map[int]bool{}
		take := func(from []Stream, n int) (taken []Stream) {
			for i := range from {
				if len(taken) < n && !shown[from[i].nth] {
					shown[from[i].nth] = true
					taken = append(taken, from[i])
				}
			}
			return taken
		}
		one.Typical = take(mostTypical(x.drawn), keptTypical)
		one.Slow = take(x.slow, 1)
		one.Stalled = take(x.stalled, 1)
		out = append(out, one)
	}
	return out
}

func firstWait(s *Stream) time.Duration { return s.TTFT.Or(0).Duration() }

func stallOf(s *Stream) time.Duration { return s.Stall.Or(0).Duration() }

func worse(kept []Stream, s *Stream, by func(*Stream) time.Duration) bool {
	return by(s) > 0 && (len(kept) < keptWorst || by(s) > by(&kept[len(kept)-1]))
}

// keepWorst inserts s where it belongs, the worst first.
func keepWorst(kept []Stream, s *Stream, by func(*Stream) time.Duration) []Stream {
	if !worse(kept, s, by) {
		return kept
	}
	at, _ := slices.BinarySearchFunc(kept, by(s), func(k Stream, d time.Duration) int { return -cmp.Compare(by(&k), d) })
	kept = slices.Insert(kept, at, *s)
	return kept[:min(len(kept), keptWorst)]
}

// mostTypical sorts by how far a stream is from the medians of ttft and of the
// time per output event.
func mostTypical(drawn []Stream) []Stream {
	pace := func(s *Stream) float64 {
		n := len(s.Outputs)
		if n < 2 {
			return 0
		}
		return (s.Outputs[n-1] - s.Outputs[0]).MS() / float64(n-1)
	}
	first := func(s *Stream) float64 { return s.TTFT.Or(0).MS() }
	middle := func(of func(*Stream) float64) float64 {
		var all []float64
		for i := range drawn {
			all = append(all, of(&drawn[i]))
		}
		slices.Sort(all)
		if len(all) == 0 || all[len(all)/2] == 0 {
			return 1
		}
		return all[len(all)/2]
	}
	midFirst, midPace := middle(first), middle(pace)
	away := func(s *Stream) float64 {
		a, b := first(s)/midFirst-1, pace(s)/midPace-1
		return a*a + b*b
	}
	return slices.SortedStableFunc(slices.Values(drawn), func(a, b Stream) int { return cmp.Compare(away(&a), away(&b)) })
}

// outputs are when a trace's output arrived.
func outputs(t *weir.Trace) []weir.Dur {
	late := t.Lateness()
	out := make([]weir.Dur, 0, t.OutputEvents())
	for i := range t.Ticks {
		if t.Ticks[i].Kind.Output() && len(out) < keptEvents {
			out = append(out, weir.Dur(late+t.Ticks[i].At))
		}
	}
	return out
}

// longestWait is the longest time without output after the first, and when it
// began. Where the call failed, the time from the last output counts too.
func longestWait(t *weir.Trace) (longest weir.Span, at weir.Dur) {
	last := time.Duration(-1)
	look := func(now time.Duration) {
		if d := now - last; last >= 0 && d > longest.Or(0).Duration() {
			longest, at = weir.SpanOf(d), weir.Dur(t.Lateness()+last)
		}
		last = now
	}
	for i := range t.Ticks {
		if t.Ticks[i].Kind.Output() {
			look(t.Ticks[i].At)
		}
	}
	if end, ok := t.End.Get(); ok && t.Outcome != weir.OK && last >= 0 {
		look(end.Duration())
	}
	return longest, at
}
