package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weir.dev/weir"
)

// The remission times of 21 leukaemia patients under 6-MP (Freireich et al.,
// 1963), the textbook example of Kaplan-Meier: S(6) = 0.857, S(10) = 0.753,
// S(23) = 0.448, median 23.
func TestKaplanMeierOnTheTextbookExample(t *testing.T) {
	s := NewSurvival(Latencies{
		Reached: []float64{6, 6, 6, 7, 10, 13, 16, 22, 23},
		Cut:     []float64{6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35},
	})
	for at, left := range map[float64]float64{5: 1, 6: 0.857, 7: 0.807, 10: 0.753, 15: 0.690, 16: 0.627, 22: 0.538, 40: 0.448} {
		if got := 1 - s.By(at).Or(math.NaN()); math.Abs(got-left) > 0.0006 {
			t.Errorf("left at %v: %.4f, want %v", at, got, left)
		}
	}
	if got := s.At(0.5); got != weir.Some(23.0) || s.N() != 21 {
		t.Errorf("median %v of %d, want 23 of 21", got, s.N())
	}
	if got, want := s.Ever().Or(0), 0.552; math.Abs(got-want) > 0.0006 || s.At(0.6).Known() {
		t.Errorf("ever reached %v, p60 %v; want %v and none", got, s.At(0.6), want)
	}
	// By hand: after the cut at 11 the beta product has mean 0.706 and variance
	// 0.0100, and its 2.5 % point falls below one half.
	if i := s.Interval(0.5); i.Lo != weir.Some(11.0) || i.Hi.Known() {
		t.Errorf("median between %v and %v, want 11 and open", i.Lo, i.Hi)
	}
}

func TestFailuresNeverReach(t *testing.T) {
	s := NewSurvival(Latencies{Reached: []float64{1, 2, 3, 4, 5, 6, 7, 8, math.Inf(1)}, Never: 1})
	if s.At(0.8) != weir.Some(8.0) || s.At(0.81).Known() || s.Ever() != weir.Some(0.8) {
		t.Errorf("p80 %v, p81 %v, ever %v", s.At(0.8), s.At(0.81), s.Ever())
	}
	none := NewSurvival(Latencies{Never: 7})
	if none.Ever() != weir.Some(0.0) || none.At(0.5).Known() || none.Interval(0.5) != (Interval{}) {
		t.Error("something of nothing")
	}
	empty := NewSurvival(Latencies{})
	if empty.Ever().Known() || empty.By(1).Known() || empty.Interval(0.5) != (Interval{}) {
		t.Error("a curve without requests")
	}
}

// Without cuts the curve is the ranks, and its intervals are theirs.
func TestSurvivalWithoutCutsIsQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, never := rapid.IntRange(1, 120).Draw(t, "n"), rapid.IntRange(0, 20).Draw(t, "never")
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		s, q := NewSurvival(Latencies{Reached: values, Never: never}), NewQuantiles(values, never)
		for _, p := range []float64{0.1, 0.5, 0.9, 0.95, 0.99} {
			want, ok := q.At(p)
			if got := s.At(p); got.Known() != ok || got.Or(want) != want {
				t.Fatalf("p%v: %v, by ranks %v %v", 100*p, got, want, ok)
			}
			if got, want := s.Interval(p), q.Interval(p); got != want {
				t.Fatalf("p%v of %d and %d: interval %v, by ranks %v", 100*p, n, never, got, want)
			}
		}
	})
}

// The limits move one way along the curve, so a search finds what a walk does.
func TestSurvivalIntervalIsWhereTheLimitsCross(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOf(rapid.Map(rapid.IntRange(1, 30), func(i int) float64 { return float64(i) }))
		s := NewSurvival(Latencies{times.Draw(t, "reached"), times.Draw(t, "cut"), rapid.IntRange(0, 5).Draw(t, "never")})
		p := rapid.Float64Range(0.05, 0.95).Draw(t, "p")
		i, lower, upper := s.Interval(p), false, false
		for _, x := range s.steps {
			if lower && !x.lowerAtMost(1-p) || upper && !x.upperBelow(1-p) {
				t.Fatalf("a limit went back at %v", x.t)
			}
			lower, upper = x.lowerAtMost(1-p), x.upperBelow(1-p)
		}
		if v, ok := s.At(p).Get(); ok && !i.Holds(v) {
			t.Fatalf("p%v is %v, outside of %v", 100*p, v, i)
		}
	})
}

func TestSketchIsWithinOnePercent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	l := mixedLimits(r, 20_000, 1.5, 0.01)
	parts := []*Sketch{NewSketch(), NewSketch(), NewSketch()}
	for i, v := range l.Reached {
		_ = parts[i%3].Reach(v)
	}
	for i, v := range l.Cut {
		_ = parts[i%3].Cut(v)
	}
	for i := range l.Never {
		parts[i%3].Never()
	}
	all := NewSketch()
	for _, part := range parts {
		back, err := DecodeSketch(part.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := all.Merge(back); err != nil {
			t.Fatal(err)
		}
	}
	raw, binned := NewSurvival(l), all.Survival()
	if all.N() != raw.N() || math.Abs(raw.Ever().Or(0)-binned.Ever().Or(0)) > 1e-3 {
		t.Errorf("n %d, ever %v; raw %d, %v", all.N(), binned.Ever(), raw.N(), raw.Ever())
	}
	for p := 0.01; p < raw.Ever().Or(0)-0.01; p += 0.01 {
		// The order within a bin is lost, which may move the curve by as little as this.
		const shift = 0.002
		got := binned.At(p).Or(0)
		if got < 0.99*raw.At(p-shift).Or(0) || got > 1.01*raw.At(p+shift).Or(0) {
			t.Errorf("p%.0f: %v, raw %v", 100*p, got, raw.At(p))
		}
		a, b := binned.Interval(p), raw.Interval(p)
		if math.Abs(a.Lo.Or(0)/b.Lo.Or(1)-1) > 0.02 || math.Abs(a.Hi.Or(0)/b.Hi.Or(1)-1) > 0.02 {
			t.Errorf("p%.0f: interval %v, raw %v", 100*p, a, b)
		}
	}
	for _, bad := range []float64{-1, math.NaN(), math.MaxFloat64} {
		if all.Reach(bad) == nil || all.Cut(bad) == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func FuzzDecodeSketch(f *testing.F) {
	s := NewSketch()
	f.Add(s.Append(nil))
	for i := range 50 {
		_ = s.Reach(float64(i * i))
		_ = s.Cut(float64(i))
		s.Never()
	}
	f.Add(s.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := DecodeSketch(b)
		if err != nil {
			return
		}
		again, err := DecodeSketch(s.Append(nil))
		if err != nil {
			t.Fatalf("what was read cannot be written and read: %v", err)
		}
		if again.N() != s.N() {
			t.Fatalf("%d became %d", s.N(), again.N())
		}
		if err := again.Merge(s); err != nil {
			t.Fatal(err)
		}
		again.Survival().Interval(0.5)
	})
}

// Steps go through all rises of the curve, as By tells them.
func TestSurvivalSteps(t *testing.T) {
	s := NewSurvival(Latencies{Reached: []float64{3, 1, 1, 7}, Cut: []float64{2, 9}, Never: 1})
	var times []float64
	last := 0.0
	for at, by := range s.Steps() {
		if want := s.By(at).Or(-1); by != want || by <= last {
			t.Errorf("at %v: %v after %v, By says %v", at, by, last, want)
		}
		times, last = append(times, at), by
	}
	if len(times) != 3 || times[0] != 1 || times[1] != 3 || times[2] != 7 {
		t.Errorf("steps at %v", times)
	}
	if ever := s.Ever().Or(-1); last != ever {
		t.Errorf("the last step is to %v, %v ever come", last, ever)
	}
	for range (Survival{}).Steps() {
		t.Error("a curve of nothing has a step")
	}
}
