package catalog

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"weir.dev/weir"
)

type recorder struct{ header http.Header }

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.header = req.Header
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(""))}, nil
}

func TestKeysGoToTheirTargetOnly(t *testing.T) {
	const canary = "sk-canary-0123"
	for _, c := range []struct {
		name, target, url string
		dialect           weir.Dialect
		header, want      string
	}{
		{"openai", "a", "http://a.test/v1/chat/completions", weir.OpenAIChat, "Authorization", "Bearer " + canary},
		{"anthropic", "a", "http://a.test/v1/messages", weir.Anthropic, "X-Api-Key", canary},
		{"gemini", "a", "http://a.test/v1beta", weir.Gemini, "X-Goog-Api-Key", canary},
		{"another target", "b", "http://a.test/", weir.OpenAIChat, "Authorization", ""},
		{"another host", "a", "http://evil.test/", weir.OpenAIChat, "Authorization", ""},
		{"another port", "a", "http://a.test:81/", weir.OpenAIChat, "Authorization", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := &recorder{}
			a := &Auth{Base: rec}
			if err := a.Add(weir.Target{Name: "a", URL: "http://a.test/v1", Dialect: c.dialect}, canary+"\n"); err != nil {
				t.Fatal(err)
			}
			req, _ := http.NewRequestWithContext(WithTarget(context.Background(), c.target), http.MethodPost, c.url, nil)
			resp, err := a.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if got := rec.header.Get(c.header); got != c.want {
				t.Errorf("%s: %q, want %q", c.header, got, c.want)
			}
			if len(req.Header) != 0 {
				t.Error("the caller's request was changed")
			}
			if got := a.Redact("refused: " + canary); strings.Contains(got, canary) {
				t.Errorf("not redacted: %s", got)
			}
		})
	}
}

func TestBadKeysAreRefusedWithoutShowingThem(t *testing.T) {
	for _, key := range []string{"", "  ", "two words", "line\nbreak"} {
		err := new(Auth).Add(weir.Target{Name: "a", URL: "http://a"}, key)
		if err == nil || (strings.TrimSpace(key) != "" && strings.Contains(err.Error(), key)) {
			t.Errorf("key %q: %v", key, err)
		}
	}
}
