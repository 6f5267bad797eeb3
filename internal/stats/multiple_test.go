package stats

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir.dev/weir"
)

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005, 0.9})
	want := []float64{0.04, 0.09, 0.09, 0.025, 0.9} // as R's p.adjust(p, "holm") has it
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
	if len(Holm(nil)) != 0 {
		t.Error("tests out of nothing")
	}
}

// levels are medians by block of targets so much apart, with little noise.
func levels(n int, level ...float64) (medians [][]float64) {
	r := seeded()
	for _, v := range level {
		var own []float64
		for range n {
			own = append(own, v*math.Exp(0.03*r.NormFloat64()))
		}
		medians = append(medians, own)
	}
	return medians
}

func TestRanksShowTies(t *testing.T) {
	duels := Duels(levels(20, 100, 150, 101, 300), time.Hour, seeded())
	if got, want := Ranks(4, duels, true), []Rank{{3, 4}, {2, 2}, {3, 4}, {1, 1}}; !cmp.Equal(got, want) {
		t.Errorf("more is better: %v, want %v", got, want)
	}
	if got, want := Ranks(4, duels, false), []Rank{{1, 2}, {3, 3}, {1, 2}, {4, 4}}; !cmp.Equal(got, want) {
		t.Errorf("less is better: %v, want %v", got, want)
	}
	if got, want := Ranks(2, nil, true), []Rank{{1, 2}, {1, 2}}; !cmp.Equal(got, want) {
		t.Errorf("without a duel: %v", got)
	}
}

func TestAdjustSpansMetrics(t *testing.T) {
	of := func(p ...float64) (duels []Duel) {
		for _, v := range p {
			duels = append(duels, Duel{Comparison: Comparison{P: weir.Some(v)}})
		}
		return duels
	}
	speed, ttft := of(0.01), of(0.02, 0.5)
	Adjust(speed, ttft)
	if math.Abs(speed[0].Adjusted-0.03) > 1e-12 || math.Abs(ttft[0].Adjusted-0.04) > 1e-12 || ttft[1].Adjusted != 0.5 {
		t.Errorf("%v, %v", speed, ttft)
	}
}

func TestSpread(t *testing.T) {
	s := SpreadOf(levels(20, 100, 60, 90), seeded())
	if math.Abs(s.Value.Or(0)-0.4) > 0.03 || !s.Interval.Holds(0.4) || s.Interval.Holds(0.3) || s.Chance.Or(1) > 0.03 {
		t.Errorf("%+v", s)
	}
	equal := SpreadOf(levels(20, 100, 100, 100), seeded())
	if equal.Interval.Lo != weir.Some(0.0) {
		t.Errorf("equal targets: %+v", equal)
	}
	for _, bad := range [][][]float64{nil, {{1, 2}}, {{1}, {2}}, {{1, 2}, {1}}, {{1, 2}, {0, 1}}, {{1, 2}, {1, math.Inf(1)}}} {
		if SpreadOf(bad, seeded()) != (Spread{}) {
			t.Errorf("a spread of %v", bad)
		}
	}
}

// Newcombe, 1998, tables I and II: 81 of 263, and 56/70 - 48/80.
func TestRates(t *testing.T) {
	i := Rate{81, 263}.Interval()
	if math.Abs(i.Lo.Or(0)-0.2553) > 5e-5 || math.Abs(i.Hi.Or(0)-0.3662) > 5e-5 {
		t.Errorf("Wilson of 81/263: %v", i)
	}
	d, i := Rate{56, 70}.Minus(Rate{48, 80})
	if math.Abs(d.Or(0)-0.2) > 1e-9 || math.Abs(i.Lo.Or(0)-0.0524) > 5e-5 || math.Abs(i.Hi.Or(0)-0.3339) > 5e-5 {
		t.Errorf("Newcombe: %v in %v", d, i)
	}
	if i := (Rate{20, 20}).Interval(); i.Hi != weir.Some(1.0) || i.Lo.Or(0) < 0.8 || i.Lo.Or(0) > 0.85 {
		t.Errorf("all of 20: %v", i)
	}
	if i := (Rate{}).Interval(); i.Closed() || (Rate{}).Share().Known() {
		t.Error("a rate of nothing")
	}
	if d, i := (Rate{1, 2}).Minus(Rate{}); d.Known() || i.Closed() {
		t.Error("a difference from nothing")
	}
}

func TestPooledQuantileCountsRequests(t *testing.T) {
	requests := [][]float64{nil, {1, 2, 3}, {4}, {5, 6}}
	if v, i := PooledQuantile(requests, 0.5, seeded()); v != weir.Some(3.0) || i.Closed() {
		t.Errorf("%v %v: three requests bound nothing", v, i)
	}
	for range 5 {
		requests = append(requests, []float64{10, 11})
	}
	v, i := PooledQuantile(requests, 0.5, seeded())
	if v != weir.Some(10.0) || !i.Closed() || !i.Holds(10) {
		t.Errorf("%v %v", v, i)
	}
	if v, i := PooledQuantile([][]float64{nil}, 0.5, seeded()); v.Known() || i.Closed() {
		t.Error("a quantile of nothing")
	}
}

func TestAnytimeIsWiderThanOneLook(t *testing.T) {
	for _, p := range []float64{0.5, 0.95, 0.99} {
		closedAt := 0
		for n := 1; n <= 5000; n++ {
			lo, hi := anytimeRanks(n, p, mixRequests)
			lo1, hi1 := orderRanks(n, p)
			if lo > lo1 || hi < hi1 || hi > n+1 {
				t.Fatalf("p%v of %d: ranks %d to %d, for one look %d to %d", 100*p, n, lo, hi, lo1, hi1)
			}
			if closedAt == 0 && lo >= 1 && hi <= n {
				closedAt = n
			}
		}
		if closedAt == 0 || Settled(p, closedAt-1) == false {
			t.Errorf("p%v is bounded from %d on", 100*p, closedAt)
		}
	}
	if got := Precision(10, Between(9, 11.5)); math.Abs(got.Or(0)-0.125) > 1e-12 {
		t.Errorf("precision %v", got)
	}
	if Precision(10, Interval{}).Known() || Precision(0, Between(0, 0)).Known() {
		t.Error("the precision of an open interval")
	}
}

func TestEarly(t *testing.T) {
	blocks := paired(40, 1.2, 0.05)
	if i := Early(blocks, 2); i.Holds(1) || !i.Holds(1.2) {
		t.Errorf("%v", i)
	}
	if i := Early(blocks[:3], 2); i.Closed() || !i.Holds(1) {
		t.Errorf("one group: %v", i)
	}
	if i := Early(nil, 2); i.Closed() {
		t.Errorf("nothing: %v", i)
	}
}
