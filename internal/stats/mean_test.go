package stats

import (
	"math"
	"testing"
)

func TestMean(t *testing.T) {
	if m, i := Mean(nil); m.Known() || i.Closed() {
		t.Errorf("of nothing: %v, %v", m, i)
	}
	if m, i := Mean([]float64{3}); m.Or(0) != 3 || i.Lo.Known() || i.Hi.Known() {
		t.Errorf("of one: %v, %v", m, i)
	}
	// t for 4 degrees of freedom is 2.776445; the deviation is sqrt(2.5).
	m, i := Mean([]float64{1, 2, 3, 4, 5})
	half := 2.776445 * math.Sqrt(2.5/5)
	if m.Or(0) != 3 || math.Abs(i.Lo.Or(0)-(3-half)) > 1e-5 || math.Abs(i.Hi.Or(0)-(3+half)) > 1e-5 {
		t.Errorf("of 1 to 5: %v in %v, want 3 +- %g", m, i, half)
	}
}
