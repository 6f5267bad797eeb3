package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// roundTrip is an http.RoundTripper by a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// again sends a request once more, with another body if there is one.
func again(up http.RoundTripper, r *http.Request, body []byte) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return up.RoundTrip(r)
}

func taken(r *http.Request) []byte {
	body, _ := io.ReadAll(r.Body)
	return body
}

// retriesAtOnce asks eight times without a pause.
func retriesAtOnce(up http.RoundTripper) http.Handler {
	return plainProxy(roundTrip(func(r *http.Request) (resp *http.Response, err error) {
		body := taken(r)
		for range 8 {
			if resp, err = again(up, r, body); err == nil && resp.StatusCode < 400 {
				return resp, nil
			}
			if err == nil {
				text, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				resp.Body = io.NopCloser(bytes.NewReader(text))
			}
		}
		return resp, err
	}))
}

// routesAround asks the fallback whatever the error.
func routesAround(up http.RoundTripper) http.Handler {
	return plainProxy(roundTrip(func(r *http.Request) (*http.Response, error) {
		body := taken(r)
		resp, err := again(up, r, body)
		if err == nil && resp.StatusCode < 400 {
			return resp, nil
		}
		if err == nil {
			resp.Body.Close()
		}
		return again(up, r, toFallback(body))
	}))
}

func toFallback(body []byte) []byte {
	var b map[string]any
	if json.Unmarshal(body, &b) != nil {
		return body
	}
	b["model"] = healthyName
	body, _ = json.Marshal(b)
	return body
}

// copies relays the body through change and ends it cleanly, come what may.
func copies(up http.RoundTripper, ctx func(*http.Request) context.Context, change func(status int, part []byte) []byte, end string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, _ := http.NewRequestWithContext(ctx(r), r.Method, "http://wall"+r.URL.Path, bytes.NewReader(taken(r)))
		resp, err := up.RoundTrip(req)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		w.WriteHeader(resp.StatusCode)
		buf := make([]byte, 32<<10)
		for err == nil {
			var n int
			n, err = resp.Body.Read(buf)
			w.Write(change(resp.StatusCode, buf[:n]))
			http.NewResponseController(w).Flush()
		}
		io.WriteString(w, end)
	})
}

func asIs(_ int, p []byte) []byte { return p }

func callers(r *http.Request) context.Context { return r.Context() }

// endsCleanly turns every end into a good one.
func endsCleanly(up http.RoundTripper) http.Handler {
	return copies(up, callers, asIs, "data: [DONE]\n\n")
}

// staysOn goes on reading for a caller that has left.
func staysOn(up http.RoundTripper) http.Handler {
	return copies(up, func(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }, asIs, "")
}

// countsZero replaces the token counts.
func countsZero(up http.RoundTripper) http.Handler {
	return copies(up, callers, func(_ int, p []byte) []byte {
		p = bytes.ReplaceAll(p, []byte(`"completion_tokens":60`), []byte(`"completion_tokens":0`))
		return bytes.ReplaceAll(p, []byte(`"finish_reason":"stop"}]}`), []byte(`"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0}}`))
	}, "")
}

// encodesAnew decodes bodies and writes them again.
func encodesAnew(up http.RoundTripper) http.Handler {
	return plainProxy(roundTrip(func(r *http.Request) (*http.Response, error) {
		var b map[string]any
		body := taken(r)
		if json.Unmarshal(body, &b) == nil {
			body, _ = json.Marshal(b)
		}
		return again(up, r, body)
	}))
}

// saysItsOwn answers from the fallback under the route's name.
func saysItsOwn(up http.RoundTripper) http.Handler {
	return copies(roundTrip(func(r *http.Request) (*http.Response, error) {
		body := taken(r)
		if resp, err := again(up, r, body); err != nil || resp.StatusCode < 400 {
			return resp, err
		}
		return again(up, r, toFallback(body))
	}), callers, func(_ int, p []byte) []byte {
		return bytes.ReplaceAll(p, []byte(`"model":"good"`), []byte(`"model":"S16"`))
	}, "")
}

// prefills rescues by a prefill and tells the caller what came of it.
func prefills(up http.RoundTripper) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := taken(r)
		rec := httptest.NewRecorder()
		copies(up, callers, asIs, "").ServeHTTP(rec, requestWith(r, body))
		if strings.Contains(rec.Body.String(), "[DONE]") {
			w.Write(rec.Body.Bytes())
			return
		}
		body = bytes.Replace(toFallback(body), []byte(`"messages":[`), []byte(`"messages":[{"role":"user","content":"x"},`), 1)
		body = bytes.Replace(body, []byte(`"role":"user"}]`), []byte(`"role":"user"},{"role":"assistant","content":"A weir"}]`), 1)
		copies(up, callers, asIs, "").ServeHTTP(w, requestWith(r, body))
	})
}

func requestWith(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r
}

// swallows reads all there is before it writes.
func swallows(up http.RoundTripper) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, _ := http.NewRequestWithContext(r.Context(), r.Method, "http://wall"+r.URL.Path, bytes.NewReader(taken(r)))
		resp, err := up.RoundTrip(req)
		if err != nil {
			return
		}
		defer resp.Body.Close()
		w.Header().Set("Content-Type", "text/event-stream")
		http.NewResponseController(w).Flush()
		buf, all := make([]byte, 1<<20), 0
		for err == nil {
			var n int
			n, err = resp.Body.Read(buf)
			all += n
		}
		fmt.Fprintf(w, ": %d bytes\n\n", all)
	})
}

// Each rule of conduct fells the endpoint that breaks it.
func TestRulesOfConduct(t *testing.T) {
	for _, c := range []struct {
		name     string
		endpoint func(http.RoundTripper) http.Handler
		want     map[string]Verdict
	}{
		{"retries at once", retriesAtOnce, map[string]Verdict{"S01": Fail, "S02": Fail, "S04": Fail, "S12": Fail, "S13": Fail}},
		{"routes around", routesAround, map[string]Verdict{"S01": Pass, "S03": Partial, "S13": Fail, "S15": Partial, "S16": Pass}},
		{"ends cleanly", endsCleanly, map[string]Verdict{"S08": Fail, "S09": Fail, "S14": Fail, "W10": Fail}},
		{"stays on", staysOn, map[string]Verdict{"W06": Fail}},
		{"counts zero", countsZero, map[string]Verdict{"W09": Fail}},
		{"encodes anew", encodesAnew, map[string]Verdict{"S04": Safe, "W11": Fail}},
		{"says its own name", saysItsOwn, map[string]Verdict{"S16": Partial}},
		{"prefills", prefills, map[string]Verdict{"S14": Fail}},
		{"swallows", swallows, map[string]Verdict{"W05": Fail}},
		{"does not know the routes", func(http.RoundTripper) http.Handler { return http.NotFoundHandler() }, map[string]Verdict{"S01": Skipped, "W12": Skipped}},
		{"routes past the fault", func(up http.RoundTripper) http.Handler {
			return plainProxy(roundTrip(func(r *http.Request) (*http.Response, error) { return again(up, r, toFallback(taken(r))) }))
		}, map[string]Verdict{"S04": Skipped, "W06": Skipped}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var only []string
			for id := range c.want {
				only = append(only, id)
			}
			inBubble(t, Config{Only: only}, c.endpoint, func(t *testing.T, card *Scorecard) {
				holds(t, card, c.want)
			})
		})
	}
}

// The parts of W07 that need HTTP/2 are judged where it is spoken.
func TestConnectionsOverHTTP2(t *testing.T) {
	for name, c := range map[string]struct {
		endpoint func(http.RoundTripper) http.Handler
		want     map[string]Verdict
	}{
		"plain proxy":  {plainProxy, map[string]Verdict{variantStale: Safe, variantRST: Safe, variantGoAway: Safe}},
		"good gateway": {newGoodGateway(1), map[string]Verdict{variantStale: Pass, variantRST: Pass, variantGoAway: Pass}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Config{Only: []string{"W07"}, Parallel: overHTTP2}, c.endpoint, func(t *testing.T, card *Scorecard) {
				got := map[string]Verdict{}
				for _, p := range card.Cells[0].Parts {
					got[p.Variant] = p.Verdict
					t.Logf("%s %s: %s %q", p.Variant, p.Verdict, p.Why, p.Notes)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("verdicts (-want +got):\n%s", diff)
				}
			})
		})
	}
}
