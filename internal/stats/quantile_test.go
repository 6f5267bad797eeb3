package stats

import "testing"

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
