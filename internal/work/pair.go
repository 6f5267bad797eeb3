package work

import (
	"fmt"
	"slices"
	"time"

	"weir.dev/weir"
)

// pairs sends each request of a source twice, the second time after a gap. A
// pair is a session of two turns; the nonce is new for each pair, so the first
// is cold, and the second finds what the first left in the cache.
type pairs struct {
	inner Source
	gap   time.Duration
}

var _ Source = (*pairs)(nil)

// Align implements Source.
func (p *pairs) Align(k int) int { return (k + 1) / 2 * 2 }

// Prompt implements Source.
func (p *pairs) Prompt(target, k int, c *Calibration) Request {
	r := p.inner.Prompt(target, k/2, c)
	r.Session, r.Turn, r.More, r.Cache, r.Think = k/2, k%2, k%2 == 0, ColdHalf, 0
	if k%2 == 1 {
		r.Cache, r.Think = WarmHalf, p.gap
	}
	return r
}

// PairSample is what one half of a pair measured. Halves that failed are given
// without a TTFT.
type PairSample struct {
	Pair           int
	Role           CacheRole
	TTFT           weir.Span
	Prompt, Cached weir.Opt[int] // tokens, as the usage has them
}

// CacheEffect is what pairs tell of a prompt cache. Medians are of the pairs of
// which both halves have the number, and empty without one.
type CacheEffect struct {
	Pairs   int // that were begun
	Timed   int // of which both halves have a TTFT
	Counted int // of which the warm half says what was cached

	Ratios       []float64         // warm / cold ttft of the pairs that are timed
	TTFTRatio    weir.Opt[float64] // their median
	WarmShare    weir.Opt[float64] // median share of the warm prompt that was cached
	ColdShare    weir.Opt[float64] // the same of the cold one; above 0 something defeats the nonce
	CachedTokens weir.Opt[float64] // mean that a warm request has more from the cache than its cold one: for what it saves
	Warnings     []string
}

// Names of the warnings a CacheEffect may carry.
const (
	WarnColdCached = "cold_was_cached"    // more than a twentieth of the cold prompts came from a cache
	WarnNeverCache = "nothing_was_cached" // the counts say that no warm prompt came from a cache
	WarnNoCounts   = "no_cached_counts"   // the provider does not say what was cached
)

// halves are the samples of one pair.
type halves struct{ cold, warm *PairSample }

// CompareCaches judges the pairs of one target. Of a half that came twice the
// last counts.
func CompareCaches(samples []PairSample) CacheEffect {
	byPair := map[int]halves{}
	for i := range samples {
		s := &samples[i]
		h := byPair[s.Pair]
		switch s.Role {
		case ColdHalf:
			h.cold = s
		case WarmHalf:
			h.warm = s
		default:
			continue
		}
		byPair[s.Pair] = h
	}
	e := CacheEffect{Pairs: len(byPair)}
	var ratios, warm, cold []float64
	saved, both := 0.0, 0
	for _, h := range byPair {
		if r, ok := h.ratio(); ok {
			ratios = append(ratios, r)
		}
		w, wok := h.warm.share()
		c, cok := h.cold.share()
		if wok {
			warm = append(warm, w)
		}
		if cok {
			cold = append(cold, c)
		}
		if wok && cok {
			saved += float64(h.warm.Cached.Or(0) - h.cold.Cached.Or(0))
			both++
		}
	}
	e.Timed, e.Counted, e.Ratios = len(ratios), len(warm), ratios
	e.TTFTRatio, e.WarmShare, e.ColdShare = median(ratios), median(warm), median(cold)
	if both > 0 {
		e.CachedTokens = weir.Some(saved / float64(both))
	}
	e.warn(warm)
	return e
}

func (e *CacheEffect) warn(warm []float64) {
	if e.ColdShare.Or(0) > 0.05 {
		e.Warnings = append(e.Warnings, WarnColdCached)
	}
	switch {
	case e.Pairs > 0 && len(warm) == 0:
		e.Warnings = append(e.Warnings, WarnNoCounts)
	case len(warm) > 0 && slices.Max(warm) == 0:
		e.Warnings = append(e.Warnings, WarnNeverCache)
	}
}

func (h halves) ratio() (float64, bool) {
	if h.cold == nil || h.warm == nil {
		return 0, false
	}
	c, cok := h.cold.TTFT.Get()
	w, wok := h.warm.TTFT.Get()
	if !cok || !wok || c <= 0 || w < 0 {
		return 0, false
	}
	return float64(w) / float64(c), true
}

func (s *PairSample) share() (float64, bool) {
	if s == nil {
		return 0, false
	}
	cached, cok := s.Cached.Get()
	prompt, pok := s.Prompt.Get()
	if !cok || !pok || prompt <= 0 || cached < 0 {
		return 0, false
	}
	return float64(cached) / float64(prompt), true
}

// median of an even number is the mean of the middle two.
func median(v []float64) weir.Opt[float64] {
	if len(v) == 0 {
		return weir.None[float64]()
	}
	s := slices.Sorted(slices.Values(v))
	return weir.Some((s[(len(s)-1)/2] + s[len(s)/2]) / 2)
}

// String is the sentence: "warm TTFT is 0.52x cold (20 pairs), 96 % of the
// prompt cached".
func (e CacheEffect) String() string {
	s := "warm TTFT could not be compared"
	if r, ok := e.TTFTRatio.Get(); ok {
		s = fmt.Sprintf("warm TTFT is %.2fx cold (%d pairs)", r, e.Timed)
	}
	if w, ok := e.WarmShare.Get(); ok {
		s += fmt.Sprintf(", %.0f %% of the prompt cached", w*100)
	}
	return s
}
