package work

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weir.dev/weir"
)

func half(pair int, role CacheRole, ttft time.Duration, prompt, cached int) PairSample {
	return PairSample{Pair: pair, Role: role, TTFT: weir.SpanOf(ttft), Prompt: weir.Some(prompt), Cached: weir.Some(cached)}
}

func TestCompareCaches(t *testing.T) {
	const ms = time.Millisecond
	samples := []PairSample{
		half(0, ColdHalf, 100*ms, 1000, 0), half(0, WarmHalf, 50*ms, 1000, 960),
		half(1, ColdHalf, 200*ms, 1000, 0), half(1, WarmHalf, 110*ms, 1000, 970),
		half(2, WarmHalf, 52*ms, 1000, 950), half(2, ColdHalf, 100*ms, 1000, 0),
		half(3, ColdHalf, 100*ms, 1000, 0), // its warm one was not sent
		{Pair: 4, Role: ColdHalf},
		half(4, WarmHalf, ms, 1000, 960), // the cold one failed
		{Pair: 9, TTFT: weir.SpanOf(ms)}, // no half of any
	}
	e := CompareCaches(samples)
	if e.Pairs != 5 || e.Timed != 3 || e.Counted != 4 || e.TTFTRatio != weir.Some(0.52) || e.WarmShare != weir.Some(0.96) || e.ColdShare != weir.Some(0.0) {
		t.Errorf("%+v", e)
	}
	if e.CachedTokens != weir.Some(960.0) || len(e.Warnings) != 0 {
		t.Errorf("%+v", e)
	}
	if s := e.String(); s != "warm TTFT is 0.52x cold (3 pairs), 96 % of the prompt cached" {
		t.Error(s)
	}
	slices.Reverse(samples)
	if back := CompareCaches(samples); back.String() != e.String() {
		t.Errorf("the order counts: %+v", back)
	}
}

func TestCompareCachesDoubts(t *testing.T) {
	f := func(want string, text string, samples ...PairSample) {
		t.Helper()
		e := CompareCaches(samples)
		if got := e.String(); got != text || (want == "") != (len(e.Warnings) == 0) || want != "" && e.Warnings[0] != want {
			t.Errorf("%q, %q", got, e.Warnings)
		}
	}
	f("", "warm TTFT could not be compared")
	f(WarnColdCached, "warm TTFT is 1.00x cold (1 pairs), 90 % of the prompt cached", half(0, ColdHalf, 5, 100, 90), half(0, WarmHalf, 5, 100, 90))
	f(WarnNeverCache, "warm TTFT is 1.00x cold (1 pairs), 0 % of the prompt cached", half(0, ColdHalf, 5, 100, 0), half(0, WarmHalf, 5, 100, 0))
	f(WarnNoCounts, "warm TTFT is 2.00x cold (1 pairs)", PairSample{Role: ColdHalf, TTFT: weir.SpanOf(5)}, PairSample{Role: WarmHalf, TTFT: weir.SpanOf(10)})
	f(WarnNoCounts, "warm TTFT could not be compared", PairSample{Role: ColdHalf, TTFT: weir.SpanOf(5)})
	f(WarnNoCounts, "warm TTFT could not be compared", half(0, ColdHalf, 0, 0, 0), half(0, WarmHalf, 5, 0, 0))
}

// TestCompareCachesScales: the ratio is of what is measured, whatever the unit
// and however different the pairs.
func TestCompareCachesScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var samples []PairSample
		for i := range rapid.IntRange(1, 30).Draw(t, "pairs") {
			cold := time.Duration(rapid.IntRange(1, 1e6).Draw(t, "cold"))
			samples = append(samples, half(i, ColdHalf, 4*cold, 10, 0), half(i, WarmHalf, 3*cold, 10, 5))
		}
		if e := CompareCaches(samples); e.TTFTRatio != weir.Some(0.75) || e.WarmShare != weir.Some(0.5) {
			t.Fatalf("%+v", e)
		}
	})
}
