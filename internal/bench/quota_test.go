package bench

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weir.dev/weir"
)

// quotaServer refuses what is over a quota of requests and tokens per minute,
// as providers do, and notes what no client should do.
type quotaServer struct {
	form             string // openai, anthropic, groq or plain: the headers it sends
	requests, tokens int    // per minute; 0: no quota
	window           bool   // quotas are full again each minute; else they fill up all the time
	each             int    // tokens that a request counts for
	answer           func(http.ResponseWriter, int, map[string]any)

	mu       sync.Mutex
	buckets  [2]bucket
	refusals int
	until    time.Time // when the last one that was refused may come again
	refused  time.Time
	row      int      // refusals of those who waited, without an accepted one between
	faults   []string // what the client did wrong
}

// bucket is a quota, in units of which a minute has as many as nanoseconds.
type bucket struct {
	level time.Duration // used up
	at    time.Time
}

// take says how long to wait for n of a quota of perMinute; 0 is taken.
func (b *bucket) take(n, perMinute int, window bool) (wait, reset time.Duration) {
	now := time.Now()
	if b.at.IsZero() {
		b.at = now
	}
	unit := time.Minute / time.Duration(perMinute)
	switch passed := now.Sub(b.at); {
	case !window:
		b.level, b.at = max(0, b.level-passed), now
	case passed >= time.Minute:
		b.level, b.at = 0, b.at.Add(passed.Truncate(time.Minute))
	}
	over := b.level + time.Duration(n)*unit - time.Minute
	reset = b.level
	if window {
		reset = b.at.Add(time.Minute).Sub(now)
		if over > 0 {
			over = reset
		}
	}
	return max(over, 0), reset
}

func (b *bucket) left(perMinute int) int {
	return int((time.Minute - b.level) / (time.Minute / time.Duration(perMinute)))
}

func (q *quotaServer) serve(w http.ResponseWriter, n int, body map[string]any) {
	if wait := q.admit(w); wait > 0 {
		refuse(w, 429, `{"error":{"message":"slow down","type":"x","code":"rate_limit_exceeded"}}`)
		return
	}
	q.answer(w, n, body)
}

func (q *quotaServer) admit(w http.ResponseWriter) (wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if now.After(q.refused) && now.Before(q.until) {
		q.faults = append(q.faults, fmt.Sprintf("a request %v before it was asked for", q.until.Sub(now)))
	}
	per, need := [2]int{q.requests, q.tokens}, [2]int{1, q.each}
	var resets [2]time.Duration
	for i := range per {
		if per[i] > 0 {
			var over time.Duration
			over, resets[i] = q.buckets[i].take(need[i], per[i], q.window)
			wait = max(wait, over)
		}
	}
	if wait == 0 {
		q.row = 0
		for i := range per {
			if per[i] > 0 {
				q.buckets[i].level += time.Duration(need[i]) * (time.Minute / time.Duration(per[i]))
			}
		}
	}
	for i, name := range []string{"requests", "tokens"} {
		if per[i] > 0 {
			q.header(w.Header(), name, per[i], q.buckets[i].left(per[i]), resets[i])
		}
	}
	if wait > 0 {
		q.refusal(w.Header(), now, wait)
	}
	return wait
}

func (q *quotaServer) header(h http.Header, name string, limit, left int, reset time.Duration) {
	switch q.form {
	case "openai", "groq":
		h.Set("x-ratelimit-limit-"+name, strconv.Itoa(limit))
		h.Set("x-ratelimit-remaining-"+name, strconv.Itoa(left))
		h.Set("x-ratelimit-reset-"+name, reset.String())
	case "anthropic":
		h.Set("anthropic-ratelimit-"+name+"-limit", strconv.Itoa(limit))
		h.Set("anthropic-ratelimit-"+name+"-remaining", strconv.Itoa(left))
		h.Set("anthropic-ratelimit-"+name+"-reset", time.Now().Add(reset).UTC().Format(time.RFC3339))
	}
}

func (q *quotaServer) refusal(h http.Header, now time.Time, wait time.Duration) {
	if q.form == "openai" {
		wait = (wait + ms - 1).Truncate(ms)
		h.Set("retry-after-ms", strconv.Itoa(int(wait/ms)))
	} else {
		wait = (wait + time.Second - 1).Truncate(time.Second)
		h.Set("retry-after", strconv.Itoa(int(wait/time.Second)))
	}
	if q.refusals++; now.After(q.refused) {
		if q.row++; q.row > 1 {
			q.faults = append(q.faults, fmt.Sprintf("refused %d times in a row", q.row))
		}
	}
	q.refused, q.until = now, later(q.until, now.Add(wait))
}

// TestQuotas: under a quota the run waits as asked, does not run into it twice
// in a row, loses nothing, comes out near the quota's rate, and says which it
// was.
func TestQuotas(t *testing.T) {
	type quota struct {
		form             string
		requests, tokens int
		window           bool
	}
	for _, c := range []struct {
		quota
		limits []string
	}{
		{quota{"openai", 10, 0, false}, []string{"requests"}},
		{quota{"openai", 60, 3000, false}, []string{"tokens"}},
		{quota{"openai", 10, 0, true}, []string{"requests"}},
		{quota{"anthropic", 12, 0, false}, []string{"requests"}},
		{quota{"anthropic", 1000, 2000, true}, []string{"tokens"}},
		{quota{"groq", 30, 6000, false}, []string{"requests"}},
		{quota{"groq", 0, 6000, false}, []string{"tokens"}},
		{quota{"plain", 20, 0, false}, nil},
		{quota{"plain", 20, 0, true}, nil},
	} {
		for _, slots := range []int{1, 8} {
			for _, open := range []bool{false, true} {
				for _, again := range []bool{false, true} {
					name := fmt.Sprintf("%+v, %d slots, open %v, again %v", c.quota, slots, open, again)
					q := &quotaServer{form: c.form, requests: c.requests, tokens: c.tokens, window: c.window, each: 140, answer: stream(700*ms, 50*ms)}
					bubble(t, answers{q.serve}, func(t *testing.T, cfg Config, es []*endpoint) {
						cfg.Concurrency, cfg.Requests, cfg.Warmup, cfg.Retry429 = slots, 80, 0, again
						if open {
							cfg.Load.Shape = Poisson(5)
						}
						res := mustRun(t, cfg)
						r := res.Targets[0]
						ok, limited := count(res, "host-a", false, weir.OK), count(res, "host-a", false, weir.RateLimited)
						if len(q.faults) > 0 {
							t.Errorf("%s: %v", name, q.faults)
						}
						if len(res.Samples) != es[0].count() || limited != q.refusals || r.Quota.Refused != limited || r.Unsent != 0 {
							t.Errorf("%s: %d samples of %d, %d refused of %d, %+v", name, len(res.Samples), es[0].count(), limited, q.refusals, r)
						}
						if again && (ok != 80 || r.Quota.Retried != limited) || !again && (ok+limited != 80 || r.Quota.Retried != 0) {
							t.Errorf("%s: %d ok, %d refused, %+v", name, ok, limited, r.Quota)
						}
						if limited == 0 && res.Duration > 2*time.Minute || limited > 0 && (r.Quota.Waited <= 0 || r.Quota.Waited > res.Duration) {
							t.Errorf("%s: waited %v in %v", name, r.Quota.Waited, res.Duration)
						}
						if limited > 10 {
							t.Errorf("%s: %d refusals", name, limited)
						}
						if limited > 0 && !slices.Equal(r.Quota.Limits, c.limits) {
							t.Errorf("%s: limits %v, %v", name, r.Quota.Limits, r.Quota)
						}
					})
				}
			}
		}
	}
}

func TestQuotaText(t *testing.T) {
	for want, q := range map[string]Quota{
		"":                                {},
		"limited by the provider's quota": {Refused: 1},
		"limited by the provider's quota (requests)":       {Refused: 1, Limits: []string{"requests"}},
		"limited by the provider's quota (tokens, images)": {Refused: 1, Limits: []string{"tokens", "images"}},
	} {
		if got := q.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLimitOf(t *testing.T) {
	for _, c := range []struct {
		want, text string
		headers    map[string]string
	}{
		{"", "slow down", nil},
		{"requests", "", map[string]string{"x-ratelimit-remaining-requests": "0", "x-ratelimit-remaining-tokens": "29000", "x-ratelimit-limit-tokens": "30000"}},
		{"tokens", "", map[string]string{"x-ratelimit-remaining-requests": "499", "x-ratelimit-limit-requests": "500", "x-ratelimit-remaining-tokens": "12", "x-ratelimit-limit-tokens": "30000"}},
		{"input tokens", "", map[string]string{"anthropic-ratelimit-input-tokens-remaining": "0", "anthropic-ratelimit-requests-remaining": "49"}},
		{"tokens per minute", "", map[string]string{"x-ratelimit-remaining-tokens-minute": "0", "x-ratelimit-remaining-requests-day": "1000"}},
		{"requests", "", map[string]string{"ratelimit-remaining": "0"}},
		{"tokens", "Rate limit reached for m in organization o on tokens per min (TPM): Limit 30000, Used 29950", map[string]string{"x-ratelimit-remaining-requests": "499"}},
		{"requests", "Rate limit reached on requests per day (RPD)", nil},
		{"input tokens", "This request would exceed the limit of 50,000 input tokens per minute", nil},
		{"concurrent requests", "Too many concurrent requests", map[string]string{"x-ratelimit-remaining-requests": "499", "x-ratelimit-limit-requests": "500"}},
		{"", "", map[string]string{"x-ratelimit-remaining-requests": "many", "retry-after": "3"}},
	} {
		if got := limitOf(&weir.Trace{RateLimits: c.headers, ErrorText: c.text}); got != c.want {
			t.Errorf("%q %v: %q, want %q", c.text, c.headers, got, c.want)
		}
	}
}

// TestRetryAfterIsObeyed to the nanosecond, by all slots, and up to a minute.
func TestRetryAfterIsObeyed(t *testing.T) {
	for after, want := range map[string]time.Duration{"7": 7 * time.Second, "0.5": 500 * ms, "86400": time.Minute, "": 250 * ms} {
		limited := func(w http.ResponseWriter, n int, body map[string]any) {
			if n < 3 {
				time.Sleep(ms) // so that all slots have sent
				w.Header().Set("Retry-After", after)
				refuse(w, 429, "{}")
				return
			}
			stream(20*ms, ms)(w, n, body)
		}
		bubble(t, answers{limited, stream(ms, ms)}, func(t *testing.T, c Config, es []*endpoint) {
			c.Concurrency, c.Warmup, c.Retry429 = 3, 0, true
			res := mustRun(t, c)
			if n := count(res, "host-a", false, weir.OK); n != 10 || es[0].count() != 13 {
				t.Errorf("%q: %d ok in %d requests", after, n, es[0].count())
			}
			begun := res.Targets[0].Begun
			for _, s := range measured(res, "host-a") {
				at := s.Due.Sub(begun)
				if s.Outcome == weir.RateLimited && (at != 0 || !slices.Contains(s.Warnings, WarnRetried)) || s.Outcome == weir.OK && (at < want+ms || s.TTFT != weir.SpanOf(20*ms)) || s.Lateness != 0 {
					t.Errorf("%q: %s, due at %v, ttft %v, late by %v, %v", after, s.Outcome, at, s.TTFT, s.Lateness.Duration(), s.Warnings)
				}
			}
			if q := res.Targets[0].Quota; q.Waited < want || q.Refused != 3 || q.Retried != 3 {
				t.Errorf("%q: %+v", after, q)
			}
			if q := res.Targets[1].Quota; q.Waited != 0 || q.Refused != 0 || q.String() != "" {
				t.Errorf("the other target: %+v", q)
			}
		})
	}
}

// TestQuotaWaitEnds with the run: at an interrupt, and at the end of the time.
func TestQuotaWaitEnds(t *testing.T) {
	limited := func(w http.ResponseWriter, _ int, _ map[string]any) {
		w.Header().Set("Retry-After", "50")
		refuse(w, 429, "{}")
	}
	for _, open := range []bool{false, true} {
		bubble(t, answers{limited}, func(t *testing.T, c Config, es []*endpoint) {
			c.Concurrency, c.Warmup, c.Retry429 = 4, 0, true
			if open {
				c.Load.Shape = Constant(4)
			}
			ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
			defer stop()
			res, err := Run(ctx, c)
			if err != nil || !res.Interrupted || res.Duration != 3*time.Second || len(res.Samples) != es[0].count() {
				t.Errorf("open %v: %v after %v, %d samples of %d", open, err, res.Duration, len(res.Samples), es[0].count())
			}
			c.Load.Duration, c.Requests = 2*time.Second, 0
			res = mustRun(t, c)
			r := res.Targets[0]
			if res.Interrupted || res.Duration != 2*time.Second || count(res, "host-a", false, weir.RateLimited) != r.Quota.Refused || r.Quota.Retried != 0 {
				t.Errorf("open %v: %v, %+v", open, res.Duration, r)
			}
			if want := 7; open && (r.Planned != 8 || r.Missed != want) {
				t.Errorf("open: %+v", r)
			}
			synctest.Wait()
		})
	}
}

// TestRefusedForGood: a target that refuses whatever is waited is given up, at
// once where it says that there is no money.
func TestRefusedForGood(t *testing.T) {
	refusing := func(text string) func(http.ResponseWriter, int, map[string]any) {
		return func(w http.ResponseWriter, _ int, _ map[string]any) { refuse(w, 429, text) }
	}
	all := answers{refusing("{}"), refusing(`{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`)}
	bubble(t, all, func(t *testing.T, c Config, es []*endpoint) {
		c.Requests, c.Warmup = 100, 0
		res := mustRun(t, c)
		for i, want := range []int{maxRefusals, 1} {
			if r := res.Targets[i]; !r.GaveUp || es[i].count() != want || r.Unsent != 100-want {
				t.Errorf("%d requests, %+v", es[i].count(), r)
			}
		}
	})
}

// TestRefusedByChance: one who is refused whatever the rate is slows down, but
// not for ever.
func TestRefusedByChance(t *testing.T) {
	bubble(t, answers{func(w http.ResponseWriter, n int, body map[string]any) {
		if n%10 == 9 || n%17 == 3 {
			w.Header().Set("Retry-After", "1")
			refuse(w, 429, "{}")
			return
		}
		stream(20*ms, ms)(w, n, body)
	}}, func(t *testing.T, c Config, _ []*endpoint) {
		c.Requests, c.Concurrency = 1000, 4
		res := mustRun(t, c)
		if n := count(res, "host-a", false, weir.OK); n < 800 || res.Duration > 1000*1200*ms {
			t.Errorf("%d ok after %v", n, res.Duration)
		}
	})
}

// TestSlowsAndRecovers: a quota of calls under way is kept, and when it ends
// the load comes back slowly.
func TestSlowsAndRecovers(t *testing.T) {
	if raceDetector {
		t.Skip("hundreds of timers in a bubble crash the race detector now and then (golang/go#78156): tools/test runs these without it")
	}
	var mu sync.Mutex
	flying, most, refusals := 0, 0, 0
	lifted := false
	bubble(t, answers{func(w http.ResponseWriter, n int, body map[string]any) {
		mu.Lock()
		if lifted = lifted || n > 300; flying >= 4 && !lifted {
			refusals++
			mu.Unlock()
			refuse(w, 429, `{"error":{"message":"too many concurrent requests"}}`)
			return
		}
		flying++
		most = max(most, flying)
		mu.Unlock()
		stream(50*ms, 100*ms)(w, n, body)
		mu.Lock()
		flying--
		mu.Unlock()
	}}, func(t *testing.T, c Config, _ []*endpoint) {
		c.Requests, c.Concurrency, c.Warmup = 1500, 16, 0
		res := mustRun(t, c)
		if q := res.Targets[0].Quota; !slices.Equal(q.Limits, []string{"concurrent requests"}) || q.Rate.Known() {
			t.Errorf("%+v", q)
		}
		if refusals < 6 || refusals > 40 {
			t.Errorf("%d refusals", refusals)
		}
		if most < 10 {
			t.Errorf("%d at once after the quota ended", most)
		}
	})
}
