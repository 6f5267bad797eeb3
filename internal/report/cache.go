package report

import (
	"fmt"
	"slices"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
	"weir.dev/weir/internal/work"
)

// CacheSummary is what cold and warm pairs tell of a target's prompt cache.
type CacheSummary struct {
	Pairs        int               `json:"pairs"`
	Timed        int               `json:"pairs_timed"`   // of which both halves have a ttft
	Counted      int               `json:"pairs_counted"` // of which the warm half says what was cached
	TTFTRatio    weir.Opt[float64] `json:"ttft_ratio_p50"`
	TTFTRatioCI  stats.Interval    `json:"ttft_ratio_p50_interval"`
	WarmTTFT     Quantiles         `json:"warm_ttft_ms"`
	WarmShare    weir.Opt[float64] `json:"warm_cache_share_p50"`
	ColdShare    weir.Opt[float64] `json:"cold_cache_share_p50"`
	CachedTokens weir.Opt[float64] `json:"cached_tokens_mean"`       // that a warm request has more from the cache than its cold one
	Saves        weir.Opt[float64] `json:"saves_usd_per_1k_request"` // by the price of cached input
	Warnings     []string          `json:"warnings,omitempty"`
}

// compareCaches judges the pairs among a target's samples; nil without any.
func compareCaches(mine []weir.Sample, price *weir.Price) *CacheSummary {
	var pairs []work.PairSample
	var warm []weir.Sample
	for i := range mine {
		s := &mine[i]
		if s.CacheRole == "" {
			continue
		}
		if s.CacheRole == string(work.WarmHalf) {
			warm = append(warm, *s)
		}
		p := work.PairSample{Pair: s.Session.Or(-1), Role: work.CacheRole(s.CacheRole), Prompt: s.Prompt, Cached: s.Cached}
		if s.Outcome == weir.OK {
			p.TTFT = s.TTFT
		}
		pairs = append(pairs, p)
	}
	if len(pairs) == 0 {
		return nil
	}
	e := work.CompareCaches(pairs)
	return &CacheSummary{
		Pairs: e.Pairs, Timed: e.Timed, Counted: e.Counted,
		TTFTRatio: e.TTFTRatio, TTFTRatioCI: stats.NewQuantiles(e.Ratios, 0).Interval(0.5), WarmTTFT: ttfts(warm),
		WarmShare: e.WarmShare, ColdShare: e.ColdShare, CachedTokens: e.CachedTokens, Saves: saves(e.CachedTokens, price),
		Warnings: e.Warnings,
	}
}

// saves is what 1,000 requests cost less by so many cached tokens each.
func saves(cached weir.Opt[float64], price *weir.Price) weir.Opt[float64] {
	n, counted := cached.Get()
	if !counted || price == nil {
		return weir.None[float64]()
	}
	rates := price.RatesFor(int(n))
	input, ok1 := rates.Input.Get()
	hit, ok2 := rates.CachedInput.Get()
	if !ok1 || !ok2 {
		return weir.None[float64]()
	}
	return weir.Some(n * (input - hit) / 1e6 * 1000)
}

// cold are the samples that a run's latencies are of: where there are pairs,
// the cold halves.
func cold(mine []weir.Sample) []weir.Sample {
	if !slices.ContainsFunc(mine, func(s weir.Sample) bool { return s.CacheRole == string(work.WarmHalf) }) {
		return mine
	}
	var out []weir.Sample
	for i := range mine {
		if mine[i].CacheRole != string(work.WarmHalf) {
			out = append(out, mine[i])
		}
	}
	return out
}

var cacheWarnings = map[string]string{
	work.WarnColdCached: "cold prompts came from a cache too, so the ratio understates it",
	work.WarnNeverCache: "its counts say that no warm prompt came from a cache",
	work.WarnNoCounts:   "it does not say what was cached",
}

// sentence is "warm TTFT is 0.52x cold [0.48, 0.57] (20 pairs; 412 ms cold, 214 ms warm), 96 %
// of the prompt cached, saves $0.31 per 1k requests".
func (c *CacheSummary) sentence(t *TargetSummary) string {
	s := "warm TTFT could not be compared"
	if r, ok := c.TTFTRatio.Get(); ok {
		ci := Between(c.TTFTRatioCI, factor)
		if ci != "" {
			ci += " "
		}
		s = fmt.Sprintf("warm TTFT is %.2fx cold %s(%s; %s cold, %s warm)", r, ci, Count(c.Timed, "pair"), Latency(t.TTFT, 0.5), Latency(c.WarmTTFT, 0.5))
	}
	if w, ok := c.WarmShare.Get(); ok {
		s += fmt.Sprintf(", %.0f %% of the prompt cached", w*100)
	}
	if usd, ok := c.Saves.Get(); ok {
		s += fmt.Sprintf(", saves %s per 1k requests", Dollars(usd))
	}
	for _, w := range c.Warnings {
		s += "; " + cacheWarnings[w]
	}
	return s
}
