package dialect

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"weir.dev/weir"
)

// maxWait bounds what a server can ask for; who obeys it clamps it further.
const maxWait = 366 * 24 * time.Hour

// retryAfter finds the wait the server asked for. In order: retry-after-ms,
// Retry-After (RFC 9110, 10.2.3: seconds or a date, which is taken against the
// response's own Date), google.rpc.RetryInfo in the body, and, for a rate
// limit, x-ratelimit-reset-* of the limit that is used up.
func retryAfter(h http.Header, body []byte, limited bool) (weir.Opt[time.Duration], weir.Opt[time.Time]) {
	for _, name := range []string{"retry-after-ms", "x-ms-retry-after-ms"} {
		if d, ok := parseNumber(h.Get(name), time.Millisecond); ok {
			return weir.Some(d), weir.None[time.Time]()
		}
	}
	if v := h.Get("Retry-After"); v != "" {
		if d, ok := parseNumber(v, time.Second); ok {
			return weir.Some(d), weir.None[time.Time]()
		}
		if at, err := http.ParseTime(v); err == nil {
			return until(at, h)
		}
	}
	if delay := parseError(body).RetryDelay; delay != "" {
		if d, err := time.ParseDuration(delay); err == nil {
			return weir.Some(clampWait(d)), weir.None[time.Time]()
		}
	}
	if limited {
		return resetHeaders(h)
	}
	return weir.None[time.Duration](), weir.None[time.Time]()
}

// until is the wait from the response's Date to at, rounded up to the second
// and never negative; without a Date it is left to whoever has a clock.
func until(at time.Time, h http.Header) (weir.Opt[time.Duration], weir.Opt[time.Time]) {
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return weir.None[time.Duration](), weir.Some(at)
	}
	return weir.Some(clampWait(at.Sub(date))), weir.None[time.Time]()
}

func clampWait(d time.Duration) time.Duration { return min(max(d, 0), maxWait) }

// parseNumber reads a count of units that may have a fraction.
func parseNumber(s string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(f) || f < 0 {
		return 0, false
	}
	if f > float64(maxWait/unit) {
		return maxWait, true
	}
	return time.Duration(math.Ceil(f * float64(unit))), true
}

// resetHeaders reads when a limit is full again. Of several limits the ones
// that are used up count, and of those the last to come back; where the server
// does not say which is used up, the first to come back is waited for.
func resetHeaders(h http.Header) (weir.Opt[time.Duration], weir.Opt[time.Time]) {
	var spent, other []wait
	for key, values := range h {
		k := strings.ToLower(key)
		limit, ok := resetName(k)
		if !ok || len(values) == 0 {
			continue
		}
		w, ok := parseReset(values[0], h)
		if !ok {
			continue
		}
		if remaining := h.Get(limit); remaining != "" && strings.Trim(remaining, "0.") == "" {
			spent = append(spent, w)
		} else {
			other = append(other, w)
		}
	}
	pick, later := other, false
	if len(spent) > 0 {
		pick, later = spent, true
	}
	if len(pick) == 0 {
		return weir.None[time.Duration](), weir.None[time.Time]()
	}
	best := pick[0]
	for _, w := range pick[1:] {
		if w.after(best) == later {
			best = w
		}
	}
	return best.in, best.at
}

type wait struct {
	in weir.Opt[time.Duration]
	at weir.Opt[time.Time]
}

func (w wait) after(x wait) bool {
	if at, ok := w.at.Get(); ok {
		return at.After(x.at.Or(time.Time{}))
	}
	return w.in.Or(0) > x.in.Or(0)
}

// resetName recognises a reset header and names the header with what remains
// of its limit.
func resetName(k string) (remaining string, ok bool) {
	switch {
	case strings.HasPrefix(k, "x-ratelimit-reset"), strings.HasPrefix(k, "ratelimit-reset"):
		return strings.Replace(k, "reset", "remaining", 1), true
	case strings.HasPrefix(k, "anthropic-ratelimit-") && strings.HasSuffix(k, "-reset"):
		return strings.TrimSuffix(k, "reset") + "remaining", true
	}
	return "", false
}

// parseReset reads "1m2.5s", seconds, an epoch in seconds or milliseconds, or
// an RFC 3339 time.
func parseReset(s string, h http.Header) (wait, bool) {
	s = strings.TrimSpace(s)
	if d, err := time.ParseDuration(s); err == nil {
		return wait{in: weir.Some(clampWait(d))}, true
	}
	if at, err := time.Parse(time.RFC3339, s); err == nil {
		in, abs := until(at, h)
		return wait{in, abs}, true
	}
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || math.IsNaN(f) || f < 0 || f > 1e15:
		return wait{}, false
	case f > 1e11: // an epoch in milliseconds
		in, abs := until(time.UnixMilli(int64(f)), h)
		return wait{in, abs}, true
	case f > 1e9:
		in, abs := until(time.Unix(int64(f), 0), h)
		return wait{in, abs}, true
	}
	return wait{in: weir.Some(time.Duration(math.Ceil(f * float64(time.Second))))}, true
}
