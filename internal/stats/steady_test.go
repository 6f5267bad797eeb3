package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"weir.dev/weir"
)

// serve is a closed loop of so many slots: each call takes what it is told to,
// the first quarter of it before the output.
func serve(slots int, took []float64, tokens int) []Call {
	free := make([]float64, slots)
	var calls []Call
	for _, d := range took {
		next := 0
		for i := range free {
			if free[i] < free[next] {
				next = i
			}
		}
		at := free[next]
		calls = append(calls, Call{Start: at, End: at + d, OK: true, First: at + d/4, Last: at + d, Tokens: weir.Some(tokens)})
		free[next] = at + d
	}
	return calls
}

func alike(n int, d float64) []float64 {
	took := make([]float64, n)
	for i := range took {
		took[i] = d
	}
	return took
}

func near(t *testing.T, what string, got weir.Opt[float64], want, within float64) {
	t.Helper()
	if v, ok := got.Get(); !ok || math.Abs(v-want) > within*want+1e-9 {
		t.Errorf("%s: %v (known %v), want %v", what, v, ok, want)
	}
}

// queue is a closed loop of so many slots at a server that serves so many calls
// at once, a second each.
func queue(slots, n, seats int) []Call {
	free, seat := make([]float64, slots), make([]float64, seats)
	var calls []Call
	for i := range n {
		start, begun := free[i%slots], max(free[i%slots], seat[i%seats])
		free[i%slots], seat[i%seats] = begun+1, begun+1
		calls = append(calls, Call{Start: start, End: begun + 1, OK: true, Tokens: weir.Some(100)})
	}
	return calls
}

// However few rounds there are, and whether they are in step or not, slots that
// are always busy carry slots/took; those that queue carry what the server does.
func TestSteadySlots(t *testing.T) {
	for _, c := range []struct {
		slots, n int
		jitter   float64
		within   float64
	}{{1, 20, 0, 1e-9}, {16, 33, 0, 1e-9}, {16, 64, 0, 1e-9}, {16, 160, 0, 1e-9}, {8, 400, 0.5, 0.03}} {
		rnd := rand.New(rand.NewPCG(1, 2))
		took := alike(c.n, 2)
		for i := range took {
			took[i] *= 1 + c.jitter*(rnd.Float64()-0.5)
		}
		s := SteadySlots(serve(c.slots, took, 100), c.slots)
		want := float64(c.slots) / 2
		near(t, "requests", s.Requests.PerSecond, want, c.within)
		near(t, "tokens", s.Tokens.PerSecond, 100*want, c.within)
		if c.jitter == 0 && s.Requests.Error.Or(0) > 1e-9 {
			t.Errorf("%+v: calls that are all alike, and an error of %v", c, s.Requests.Error)
		}
	}
}

func TestSteadySlotsQueue(t *testing.T) {
	for _, slots := range []int{4, 8, 16, 64} {
		s := SteadySlots(queue(slots, 4*slots, 4), slots)
		near(t, "requests", s.Requests.PerSecond, 4, 0.005)
		near(t, "tokens", s.Tokens.PerSecond, 400, 0.005)
	}
	// Sessions of two calls each: ten in four slots leave two of them idle early.
	var sessions []Call
	for slot, n := range []int{6, 6, 4, 4} {
		for i := range n {
			sessions = append(sessions, Call{Start: float64(i) + float64(slot)/10, End: float64(i+1) + float64(slot)/10, OK: true})
		}
	}
	if s := SteadySlots(sessions, 4); math.Abs(s.To-s.From-(4.2-1.3)) > 1e-9 {
		t.Errorf("a window of %v, want from 1.3 to 4.2", (s.To - s.From))
	} else {
		near(t, "requests", s.Requests.PerSecond, 4, 1e-9)
	}
	for _, n := range []int{0, 3, 4, 7} { // not even a second round
		if s := SteadySlots(queue(4, n, 4), 4); s.To != s.From || s.Requests.PerSecond.Known() {
			t.Errorf("%d requests in 4 slots: %+v", n, s)
		}
	}
}

// TestSteadySlotsError holds the error against what it is meant to bound: about
// one run in twenty is off by more.
func TestSteadySlotsError(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	off := 0
	for range 400 {
		took := alike(40, 1)
		for i := range took {
			took[i] = 0.5 + rnd.ExpFloat64()/2
		}
		s := SteadySlots(serve(4, took, 100), 4)
		if r := s.Requests.PerSecond.Or(0); math.Abs(r-4) > r*s.Requests.Error.Or(0) {
			off++
		}
	}
	if off < 4 || off > 60 {
		t.Errorf("%d of 400 were off by more than two standard errors, want about 20", off)
	}
}

func TestSteadySlotsCountsGoodAnswersOnly(t *testing.T) {
	calls := serve(1, alike(10, 1), 50)
	for i := range 5 {
		calls[2*i].OK = false
		calls[2*i].Tokens = weir.None[int]()
	}
	s := SteadySlots(calls, 1)
	near(t, "requests", s.Requests.PerSecond, 5.0/9, 1e-9) // the first is no part of the window
	near(t, "tokens", s.Tokens.PerSecond, 250.0/9, 1e-9)
	calls[1].Tokens = weir.None[int]()
	if s = SteadySlots(calls, 1); s.Tokens.PerSecond.Known() || !s.Requests.PerSecond.Known() {
		t.Errorf("an answer without a count: %+v", s)
	}
	never := []Call{{Start: 0, End: 1, OK: true}, {Start: 2, End: 3, OK: true}}
	if s := SteadySlots(never, 2); s.To != s.From || s.Requests.PerSecond.Known() {
		t.Errorf("slots that were never all busy: %+v", s)
	}
}

// arrivals are due at a rate; a server with so many seats takes one second each.
func arrivals(n int, rate float64, seats int) []Call {
	free := make([]float64, seats)
	calls := make([]Call, n)
	for i := range calls {
		due := float64(i) / rate
		seat := 0
		for k := range free {
			if free[k] < free[seat] {
				seat = k
			}
		}
		begun := max(due, free[seat])
		free[seat] = begun + 1
		calls[i] = Call{Start: due, End: begun + 1, OK: true, First: begun + 0.5, Last: begun + 1, Tokens: weir.Some(10)}
	}
	return calls
}

// Below the server's capacity an open loop carries what arrives, above it the
// capacity, however long the queue has become.
func TestSteadyArrivals(t *testing.T) {
	for rate, want := range map[float64]float64{2: 2, 3.5: 3.5, 8: 4, 40: 4} {
		s := SteadyArrivals(arrivals(int(50*rate), rate, 4))
		near(t, "requests", s.Requests.PerSecond, want, 0.03)
		near(t, "tokens", s.Tokens.PerSecond, 10*want, 0.03)
	}
	if s := SteadyArrivals(arrivals(10, 20, 100)); s.To != s.From || s.Requests.PerSecond.Known() {
		t.Errorf("all arrived before the first end: %+v", s)
	}
	if s := SteadyArrivals(nil); s.To != s.From {
		t.Errorf("nothing: %+v", s)
	}
	// Poisson: two standard errors of a count of n are about 2/sqrt(n).
	rnd := rand.New(rand.NewPCG(5, 6))
	var calls []Call
	for at := 0.0; len(calls) < 401; at += rnd.ExpFloat64() {
		calls = append(calls, Call{Start: at, End: at + 0.01, OK: true})
	}
	near(t, "error", SteadyArrivals(calls).Requests.Error, 0.1, 0.15)
}

// TestSteadyArrivalsNothingEnded: a window in which no good answer ended knows no
// rate, and is no target that serves none; one in which all failed knows that.
func TestSteadyArrivalsNothingEnded(t *testing.T) {
	for name, c := range map[string]struct {
		calls []Call
		known bool
	}{
		"good ones end after the last arrival": {[]Call{{Start: 0, End: 0.5}, {Start: 0.2, End: 9, OK: true}, {Start: 1, End: 9, OK: true}}, false},
		"only the first end is a good one":     {[]Call{{Start: 0, End: 0.5, OK: true}, {Start: 0.2, End: 0.9}, {Start: 1, End: 9}}, false},
		"nothing ends before the last arrival": {[]Call{{Start: 0, End: 0.5}, {Start: 0.2, End: 9}, {Start: 1, End: 9}}, false},
		"all fail":                             {[]Call{{Start: 0, End: 0.5}, {Start: 0.2, End: 0.7}, {Start: 1, End: 9}}, true},
	} {
		s := SteadyArrivals(c.calls)
		if v, known := s.Requests.PerSecond.Get(); known != c.known || v != 0 || s.Tokens.PerSecond.Known() != c.known || !(s.To > s.From) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestWilsonEnds: what rounding leaves of 0 and 1 is neither.
func TestWilsonEnds(t *testing.T) {
	for n := 1; n <= 2000; n++ {
		if lo := (Rate{0, n}).Interval().Lo.Or(-1); lo != 0 {
			t.Fatalf("0 of %d: from %g", n, lo)
		}
		if hi := (Rate{n, n}).Interval().Hi.Or(-1); hi != 1 {
			t.Fatalf("%d of %d: to %g", n, n, hi)
		}
	}
}
