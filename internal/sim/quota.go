package sim

import (
	"net/http"
	"strconv"
	"time"

	"weir.dev/weir/internal/sim/provider"
)

// setQuota says what is left of the limits as providers do: OpenAI and its kin
// with durations, Anthropic with dates.
func setQuota(h http.Header, style string, q provider.Quota, now time.Time) {
	for _, b := range []struct {
		name string
		provider.Bucket
	}{{"requests", q.Requests}, {"tokens", q.Tokens}} {
		switch {
		case b.Limit == 0:
		case style == "openai":
			h.Set("X-Ratelimit-Limit-"+b.name, strconv.Itoa(b.Limit))
			h.Set("X-Ratelimit-Remaining-"+b.name, strconv.Itoa(b.Remaining))
			h.Set("X-Ratelimit-Reset-"+b.name, b.Reset.Round(time.Millisecond).String())
		case style == "anthropic":
			h.Set("Anthropic-Ratelimit-"+b.name+"-Limit", strconv.Itoa(b.Limit))
			h.Set("Anthropic-Ratelimit-"+b.name+"-Remaining", strconv.Itoa(b.Remaining))
			h.Set("Anthropic-Ratelimit-"+b.name+"-Reset", now.Add(b.Reset).UTC().Format(time.RFC3339))
		}
	}
}
