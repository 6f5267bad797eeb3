package dialect

import (
	"net/http"
	"testing"
	"time"

	"weir.dev/weir"
)

func TestClassify(t *testing.T) {
	const oneError = `{"error":{"message":"m","type":"t"}}`
	for _, c := range []struct {
		name    string
		status  int
		body    string
		outcome weir.Outcome
		detail  string
		message string
	}{
		{"429", 429, oneError, weir.RateLimited, "t", "m"},
		{"quota", 429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, weir.RateLimited, "quota_exhausted", "You exceeded your current quota"},
		{"408", 408, "", weir.UpstreamError, "", ""},
		{"500", 500, `{"detail":"boom"}`, weir.UpstreamError, "", "boom"},
		{"529", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, weir.UpstreamError, "overloaded", "Overloaded"},
		{"529 bare", 529, "", weir.UpstreamError, "overloaded", ""},
		{"401", 401, `{"error":{"message":"bad key","code":"invalid_api_key"}}`, weir.Auth, "invalid_key", "bad key"},
		{"402", 402, "", weir.Auth, "quota_exhausted", ""},
		{"403", 403, "<html>no</html>", weir.Auth, "", ""},
		{"400 length", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`, weir.BadRequest, "context_length", "This model's maximum context length is 8192 tokens"},
		{"400 filter", 400, `{"error":{"code":"content_filter","message":"x"}}`, weir.BadRequest, "content_filter", "x"},
		{"400 credit", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`, weir.BadRequest, "quota_exhausted", "Your credit balance is too low"},
		{"404 model", 404, `{"error":{"message":"no such model","code":"model_not_found"}}`, weir.BadRequest, "model_not_found", "no such model"},
		{"redirect", 302, "", weir.UpstreamError, "redirect", ""},
		{"plain text", 502, "bad gateway\n", weir.UpstreamError, "", "bad gateway"},
		{"direction", 500, `{"error":{"message":"say \u202e gnp\u2066x\u200f"}}`, weir.UpstreamError, "", "say   gnp x"},
		{"list", 400, `[{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"m"}}]`, weir.BadRequest, "invalid_argument", "m"},
		{"200 with an error", 200, `{"error":{"code":503,"message":"down"}}`, weir.UpstreamError, "", "down"},
		{"200 with a rate limit", 200, `{"error":{"code":"rate_limit_exceeded","message":"slow"}}`, weir.RateLimited, "rate_limit", "slow"},
		{"200", 200, `{"choices":[]}`, weir.OK, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Classify(c.status, http.Header{}, []byte(c.body))
			if v.Outcome != c.outcome || v.ErrorType != c.detail || v.Message != c.message {
				t.Errorf("got %s %q %q, want %s %q %q", v.Outcome, v.ErrorType, v.Message, c.outcome, c.detail, c.message)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	const date = "Wed, 21 Oct 2026 07:28:00 GMT"
	retryInfo := `{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}`
	none := time.Duration(-1)
	for _, c := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		want   time.Duration
	}{
		{"nothing", 429, nil, "", none},
		{"seconds", 503, map[string]string{"Retry-After": "12"}, "", 12 * time.Second},
		{"fraction", 429, map[string]string{"Retry-After": " 1.5 "}, "", 1500 * time.Millisecond},
		{"zero", 429, map[string]string{"Retry-After": "0"}, "", 0},
		{"negative", 429, map[string]string{"Retry-After": "-5"}, "", none},
		{"garbage", 429, map[string]string{"Retry-After": "soon"}, "", none},
		{"enormous", 429, map[string]string{"Retry-After": "1e300"}, "", maxWait},
		{"milliseconds win", 429, map[string]string{"Retry-After": "1", "Retry-After-Ms": "250"}, "", 250 * time.Millisecond},
		{"date", 429, map[string]string{"Retry-After": date, "Date": "Wed, 21 Oct 2026 07:27:30 GMT"}, "", 30 * time.Second},
		{"past date", 429, map[string]string{"Retry-After": date, "Date": "Wed, 21 Oct 2026 07:29:30 GMT"}, "", 0},
		{"body", 429, nil, retryInfo, 34500 * time.Millisecond},
		{"header before body", 429, map[string]string{"Retry-After": "2"}, retryInfo, 2 * time.Second},
		{"reset as a duration", 429, map[string]string{"X-Ratelimit-Reset-Requests": "1m2.5s"}, "", 62500 * time.Millisecond},
		{"reset in seconds", 429, map[string]string{"X-Ratelimit-Reset": "7.25"}, "", 7250 * time.Millisecond},
		{"reset as an epoch", 429, map[string]string{"X-Ratelimit-Reset": "1792567690", "Date": date}, "", 10 * time.Second},
		{"reset as an epoch in ms", 429, map[string]string{"X-Ratelimit-Reset": "1792567690500", "Date": date}, "", 10500 * time.Millisecond},
		{"the limit that is used up", 429, map[string]string{
			"X-Ratelimit-Reset-Requests": "1s", "X-Ratelimit-Remaining-Requests": "5",
			"X-Ratelimit-Reset-Tokens": "20s", "X-Ratelimit-Remaining-Tokens": "0",
		}, "", 20 * time.Second},
		{"none is used up: the first back", 429, map[string]string{"X-Ratelimit-Reset-Requests": "1s", "X-Ratelimit-Reset-Tokens": "20s"}, "", time.Second},
		{"anthropic", 429, map[string]string{"Anthropic-Ratelimit-Tokens-Reset": "2026-10-21T07:28:09Z", "Anthropic-Ratelimit-Tokens-Remaining": "0", "Date": date}, "", 9 * time.Second},
		{"reset says nothing outside a rate limit", 500, map[string]string{"X-Ratelimit-Reset": "7"}, "", none},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{}
			for k, v := range c.header {
				h.Set(k, v)
			}
			if got := Classify(c.status, h, []byte(c.body)).RetryAfter.Or(none); got != c.want {
				t.Errorf("wait %v, want %v", got, c.want)
			}
		})
	}
	h := http.Header{"Retry-After": {date}}
	if at, ok := Classify(429, h, nil).RetryAt.Get(); !ok || at.Format(http.TimeFormat) != date {
		t.Errorf("a date without a Date to count from: %v, want %s", at, date)
	}
}
