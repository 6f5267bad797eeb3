package bench

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir.dev/weir"
)

// Quota is how a provider's quota held a target's load up.
type Quota struct {
	Refused int               // calls that were refused for it, warm-up included
	Retried int               // of those, the ones that were made again
	Waited  time.Duration     // for so long something was ready to go out and might not
	Limits  []string          // which quota, as far as the provider said: requests, tokens, input tokens, ...; the most frequent first
	Rate    weir.Opt[float64] // requests per second that the target was held under at the end
}

// String says it in a line; it is empty where no quota was met.
func (q Quota) String() string {
	if q.Refused == 0 {
		return ""
	}
	text := "limited by the provider's quota"
	if len(q.Limits) > 0 {
		text += " (" + strings.Join(q.Limits, ", ") + ")"
	}
	return text
}

// limitOf names the limit that a refused call met; empty where nobody knows. A
// header that says 0 is left is the surest, then the provider's words, then the
// limit of which least is left, since a large request may not fit into the
// rest.
func limitOf(t *weir.Trace) string {
	scarcest, share := "", 1.0
	for _, key := range slices.Sorted(maps.Keys(t.RateLimits)) {
		name, limit, ok := remainingName(key)
		if !ok {
			continue
		}
		left, err := strconv.ParseFloat(strings.TrimSpace(t.RateLimits[key]), 64)
		if err != nil {
			continue
		}
		if left <= 0 {
			return name
		}
		most, err := strconv.ParseFloat(strings.TrimSpace(t.RateLimits[limit]), 64)
		if err == nil && left/most < share {
			scarcest, share = name, left/most
		}
	}
	if said := limitIn(t.ErrorText); said != "" {
		return said
	}
	if share < 0.5 {
		return scarcest
	}
	return ""
}

// remainingName recognises a header that says what is left: OpenAI's and
// Groq's x-ratelimit-remaining-tokens, Cerebras' x-ratelimit-remaining-
// tokens-minute, Anthropic's anthropic-ratelimit-input-tokens-remaining, the
// draft standard's ratelimit-remaining. It names the limit, and the header
// with its size.
func remainingName(key string) (name, limit string, ok bool) {
	_, of, ok := strings.Cut(key, "ratelimit-")
	if !ok || !strings.Contains(key, "remaining") {
		return "", "", false
	}
	name = strings.Trim(strings.Replace(of, "remaining", "", 1), "-")
	for _, per := range []string{"minute", "hour", "day"} {
		if rest, cut := strings.CutSuffix(name, "-"+per); cut {
			name = rest + "-per-" + per
		}
	}
	name = strings.ReplaceAll(cmp.Or(name, "requests"), "-", " ")
	return name[:min(len(name), 40)], strings.Replace(key, "remaining", "limit", 1), true
}

// limitIn finds the limit in a provider's words.
func limitIn(message string) string {
	m := strings.ToLower(message)
	for _, l := range []struct {
		name  string
		words []string
	}{
		{"concurrent requests", []string{"concurren", "simultaneous"}},
		{"input tokens", []string{"input token"}},
		{"output tokens", []string{"output token"}},
		{"tokens", []string{"tokens per", "tokens/", "(tpm)", "(tpd)", "token limit", "token rate"}},
		{"requests", []string{"requests per", "requests/", "(rpm)", "(rpd)", "request limit", "request rate"}},
	} {
		if slices.ContainsFunc(l.words, func(w string) bool { return strings.Contains(m, w) }) {
			return l.name
		}
	}
	return ""
}

// byCount lists names, the most frequent first.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
}
