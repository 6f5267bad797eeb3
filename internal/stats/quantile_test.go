package stats

import (
	"math"
	"testing"
)

func TestQuantileIsAnObservedRank(t *testing.T) {
	q := NewQuantiles([]float64{30, 10, 20, 40}, 0)
	for p, want := range map[float64]float64{0.01: 10, 0.25: 10, 0.26: 20, 0.5: 20, 0.75: 30, 0.76: 40, 1: 40} {
		if got, ok := q.At(p); !ok || got != want {
			t.Errorf("quantile %v is %v (%v), want %v", p, got, ok, want)
		}
	}
}

func TestFailuresStayInTheRanks(t *testing.T) {
	q := NewQuantiles([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1) // ten asked, nine came
	if got, ok := q.At(0.5); !ok || got != 5 {
		t.Errorf("median %v %v, want 5", got, ok)
	}
	if got, ok := q.At(0.9); !ok || got != 9 {
		t.Errorf("p90 %v %v, want 9", got, ok)
	}
	if got, ok := q.At(0.95); ok {
		t.Errorf("p95 %v, want never reached", got)
	}
	if _, ok := NewQuantiles(nil, 0).At(0.5); ok {
		t.Error("a median of nothing")
	}
}

func TestSettled(t *testing.T) {
	for p, n := range map[float64]int{0.5: 6, 0.9: 36, 0.95: 72, 0.99: 368} {
		if Settled(p, n-1) || !Settled(p, n) {
			t.Errorf("p%v: settled at %d %v, at %d %v", 100*p, n-1, Settled(p, n-1), n, Settled(p, n))
		}
	}
}

// Ranks of the tables in David and Nagaraja, and Conover, "Practical
// Nonparametric Statistics", table A3; a side that n does not bound is empty.
func TestIntervalIsTwoRanks(t *testing.T) {
	for _, c := range []struct {
		p          float64
		n, never   int
		lo, hi     float64 // ranks; 0 is none
		wantClosed bool
	}{
		{0.5, 5, 0, 0, 0, false},
		{0.5, 6, 0, 1, 6, true},
		{0.5, 10, 0, 2, 9, true},
		{0.5, 20, 0, 6, 15, true},
		{0.5, 100, 0, 40, 61, true},
		{0.9, 35, 0, 28, 0, false},
		{0.9, 36, 0, 29, 36, true},
		{0.95, 72, 0, 64, 72, true},
		{0.99, 367, 0, 359, 0, false},
		{0.99, 368, 0, 360, 368, true},
		{0.5, 10, 10, 6, 0, false}, // half were never reached
	} {
		var values []float64
		for i := range c.n {
			values = append(values, float64(i+1))
		}
		got := NewQuantiles(values, c.never).Interval(c.p)
		if got.Lo.Or(0) != c.lo || got.Hi.Or(0) != c.hi || got.Closed() != c.wantClosed {
			t.Errorf("p%v of %d: ranks %v to %v, want %v to %v", 100*c.p, c.n, got.Lo.Or(0), got.Hi.Or(0), c.lo, c.hi)
		}
	}
}

func TestInfinityWasNeverReached(t *testing.T) {
	q := NewQuantiles([]float64{math.Inf(1), 2, 1}, 1)
	if _, ok := q.At(0.75); ok || q.N() != 4 || q.Reached() != 2 {
		t.Errorf("n %d, reached %d, p75 %v", q.N(), q.Reached(), ok)
	}
}
