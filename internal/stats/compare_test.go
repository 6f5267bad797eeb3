package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weir.dev/weir"
)

func seeded() *rand.Rand { return rand.New(rand.NewPCG(7, 7)) }

// paired are blocks in which B is ratio times A, give or take, without memory.
func paired(n int, ratio, noise float64) (blocks []Pair) {
	r := seeded()
	for range n {
		a := 100 * math.Exp(0.5*r.NormFloat64()) // what they share, and it cancels
		blocks = append(blocks, Pair{a, a * ratio * math.Exp(noise*r.NormFloat64())})
	}
	return blocks
}

func TestCompareFindsWhatIsThere(t *testing.T) {
	got := Compare(paired(20, 1.2, 0.05), time.Hour, seeded())
	if r := got.Ratio.Or(0); math.Abs(r-1.2) > 0.03 || !got.Interval.Holds(1.2) || !got.Differs(got.P.Or(1)) || got.Short {
		t.Errorf("%+v", got)
	}
	if p := got.P.Or(1); p > 1e-4 {
		t.Errorf("p %v: all 20 blocks agree", p)
	}
	if n := got.EffectiveN.Or(0); n < 12 || n > 20 {
		t.Errorf("effective n %v of 20 blocks without memory", n)
	}
	if d := got.Detectable.Or(0); d < 0.01 || d > 0.06 {
		t.Errorf("would have seen %v", d)
	}
	if got := Compare(paired(19, 2, 0.01), time.Hour, seeded()); got.Differs(got.P.Or(1)) {
		t.Error("a verdict on 19 blocks")
	}
	if got := Compare(paired(20, 1.2, 0.05), 5*time.Minute, seeded()); !got.Short {
		t.Error("five minutes are no short run")
	}
}

// Swapping A and B is the same question.
func TestCompareIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SliceOfN(rapid.Float64Range(0.1, 10), 2, 60)
		a := value.Draw(t, "a")
		b := rapid.SliceOfN(rapid.Float64Range(0.1, 10), len(a), len(a)).Draw(t, "b")
		var there, back []Pair
		for i := range a {
			there, back = append(there, Pair{a[i], b[i]}), append(back, Pair{b[i], a[i]})
		}
		x, y := Compare(there, 0, seeded()), Compare(back, 0, seeded())
		if math.Abs(x.P.Or(9)-y.P.Or(9)) > 1e-9 || math.Abs(x.Ratio.Or(0)*y.Ratio.Or(0)-1) > 1e-9 {
			t.Fatalf("there %+v, back %+v", x, y)
		}
	})
}

// A lasting difference is found also where the load has a memory of many
// blocks: the correction must not swallow it.
func TestCompareUnderSlowLoadStillFindsALargeDifference(t *testing.T) {
	w := anHour()
	w.tau, w.noise = 600, 0.05
	pairs, _, _ := w.pairs(seeded(), 3)
	got := Compare(pairs, time.Hour, seeded())
	if !got.Differs(got.P.Or(1)) || got.EffectiveN.Or(20) > 10 {
		t.Errorf("%+v", got)
	}
}

func TestBlocksWithoutAMedian(t *testing.T) {
	blocks := paired(20, 1.2, 0.05)
	inf := math.Inf(1)
	for i := range 3 {
		blocks[5*i].B = inf // B was down
	}
	blocks = append(blocks, Pair{inf, inf}, Pair{0, 1}, Pair{1, math.NaN()})
	got := Compare(blocks, time.Hour, seeded())
	if got.Blocks != 20 || got.LeftOut != 3 || !got.Differs(got.P.Or(1)) || math.Abs(got.Ratio.Or(0)-1.2) > 0.06 {
		t.Errorf("%+v", got)
	}
	for i := range blocks[:20] {
		blocks[i].B = inf
	}
	got = Compare(blocks, time.Hour, seeded())
	if got.Ratio.Known() || got.Interval.Closed() || got.P.Or(1) > 1e-4 {
		t.Errorf("B never reached: %+v", got)
	}
	if got := Compare(nil, 0, seeded()); got.P.Known() || got.Ratio.Known() || got.EffectiveN.Known() || got.Differs(0) {
		t.Errorf("no blocks: %+v", got)
	}
	same := slices.Repeat([]Pair{{1, 1}}, 20)
	if got := Compare(same, 0, seeded()); got.P != weir.Some(1.0) || got.Ratio != weir.Some(1.0) || got.Differs(1) {
		t.Errorf("all the same: %+v", got)
	}
}

func TestBlockMedian(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		reached []float64
		never   int
		want    float64
	}{{[]float64{3, 1, 2}, 0, 2}, {[]float64{1, 3}, 0, 2}, {[]float64{1, 2, 3}, 2, 3}, {[]float64{1, 2}, 2, inf}, {nil, 1, inf}} {
		if got := BlockMedian(c.reached, c.never); got != c.want {
			t.Errorf("median of %v and %d more: %v, want %v", c.reached, c.never, got, c.want)
		}
	}
	if got := Compare([]Pair{{BlockMedian(nil, 0), 1}}, 0, seeded()); got.LeftOut != 1 {
		t.Errorf("a block without requests: %+v", got)
	}
}

// The signed-rank test of the textbooks: n = 8, all of one sign but the
// smallest, has two-sided p = 4/256; by brute force over all exchanges else.
func TestPermuteCountsAllExchanges(t *testing.T) {
	free := func(n int) dependence { return dependence{runs: n, cautious: 1} }
	scores := signedRanks([]float64{-1, 2, 3, 4, 5, 6, 7, 8}, 0)
	if p := permute(scores, free(8)); math.Abs(p-4.0/256) > 1e-12 {
		t.Errorf("p %v, want 4/256", p)
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Map(rapid.IntRange(-6, 6), func(i int) float64 { return float64(i) }), 1, 10).Draw(t, "values")
		runs := rapid.IntRange(1, len(values)).Draw(t, "runs")
		scores := signedRanks(values, 0)
		seen, hits := 0.0, 0
		for _, s := range scores {
			seen += s
		}
		for flip := range 1 << runs {
			sum := 0.0
			for i, s := range scores {
				if flip>>(i*runs/len(scores))&1 == 1 {
					s = -s
				}
				sum += s
			}
			if math.Abs(sum) >= math.Abs(seen) {
				hits++
			}
		}
		want := float64(hits) / float64(int(1)<<runs)
		if got := permute(scores, free(runs)); math.Abs(got-want) > 1e-9 {
			t.Fatalf("p %v, counted %v", got, want)
		}
	})
}

func TestSignedRanksShareTies(t *testing.T) {
	got := signedRanks([]float64{3, 1, 2, 0, 5}, 2) // distances 1, 1, 0, 2, 3
	if d := cmp.Diff([]float64{5, -5, 0, -8, 10}, got); d != "" {
		t.Error(d)
	}
}

func TestDependence(t *testing.T) {
	var wave []float64
	for i := range 20 {
		wave = append(wave, math.Sin(float64(i)/2))
	}
	if d := dependenceOf(wave); d.runs != runsWhenDependent || d.all < 4 || d.residual < 2 {
		t.Errorf("a wave: %+v", d)
	}
	if d := dependenceOf([]float64{1, -1, 1, -1, 1, -1, 1, -1}); d.runs != 8 || d.residual != 1 || d.all != 1 || d.cautious < 1 {
		t.Errorf("neighbours that differ are no help: %+v", d)
	}
	if d := dependenceOf([]float64{2, 2, 2}); math.IsNaN(d.all) || math.IsNaN(d.residual) {
		t.Errorf("no spread: %+v", d)
	}
	if got := spreadOfSum(0.5, 3); math.Abs(got-(1+2*(2.0/3*0.5+1.0/3*0.25))) > 1e-12 {
		t.Errorf("variance of a sum of 3: %v", got)
	}
}

func TestSelection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 50).Draw(t, "values")
		k := rapid.IntRange(0, len(values)-1).Draw(t, "k")
		sorted := slices.Sorted(slices.Values(values))
		n := len(sorted)
		if got := nth(slices.Clone(values), k); got != sorted[k] {
			t.Fatalf("%d-th is %v, want %v", k, got, sorted[k])
		}
		if got, want := median(values), (sorted[(n-1)/2]+sorted[n/2])/2; got != want {
			t.Fatalf("median %v, want %v", got, want)
		}
	})
}
