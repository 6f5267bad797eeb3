package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/internal/weirtest"
)

// asking runs f with a client of a wall, in virtual time.
func asking(t *testing.T, c WallConfig, f func(t *testing.T, post func(path, body string) (*http.Response, string))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := weirtest.NewNetwork()
		server := NewWall(c).Server()
		served := make(chan error, 1)
		go func() { served <- server.Serve(n.Listen()) }()
		client := &http.Transport{DialContext: n.Dial, DisableCompression: true}
		f(t, func(path, body string) (*http.Response, string) {
			t.Helper()
			method := http.MethodPost
			if body == "" {
				method = http.MethodGet
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, method, "http://wall"+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer wall-key-S04")
			resp, err := client.RoundTrip(req)
			if err != nil {
				return &http.Response{}, err.Error()
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil {
				text = append(text, err.Error()...)
			}
			return resp, string(text)
		})
		client.CloseIdleConnections()
		server.Close()
		<-served
		time.Sleep(time.Second) // net/http lingers for 500 ms after refusing a body
		synctest.Wait()
	})
}

func chat(model string, stream bool, more string) string {
	return fmt.Sprintf(`{"model":%q,"stream":%v%s,"messages":[{"role":"user","content":"hi"}]}`, model, stream, more)
}

// Whoever writes the good answer, it is read as whole in both dialects.
func TestHealthyAnswers(t *testing.T) {
	asking(t, WallConfig{}, func(t *testing.T, post func(string, string) (*http.Response, string)) {
		for _, c := range []struct {
			path   string
			d      weir.Dialect
			stream bool
			usage  bool
		}{
			{"/v1/chat/completions", weir.OpenAIChat, true, true},
			{"/chat/completions", weir.OpenAIChat, true, false},
			{"/v1/chat/completions", weir.OpenAIChat, false, true},
			{"/v1/messages", weir.Anthropic, true, true},
			{"/v1/messages", weir.Anthropic, false, true},
		} {
			more := `,"max_tokens":100`
			if c.usage && c.stream {
				more += `,"stream_options":{"include_usage":true}`
			}
			start := time.Now()
			resp, body := post(c.path, chat("anything", c.stream, more))
			took := time.Since(start)
			answer := &dialect.Answer{}
			r := dialect.NewReader(dialect.Options{Dialect: c.d, Stream: c.stream, Status: resp.StatusCode, Header: resp.Header, Answer: answer})
			r.Feed([]byte(body), weir.Stamp{})
			res := r.End(nil)
			if res.Outcome != weir.OK || string(answer.Choice(0).Text) != Text || res.Model != "anything" || took != Tokens*gap {
				t.Errorf("%+v: %s after %v, model %q, text %q", c, res.Outcome, took, res.Model, answer.Choice(0).Text)
			}
			if known := res.Usage.Completion == weir.Some(Tokens); known != c.usage {
				t.Errorf("%+v: usage %+v", c, res.Usage)
			}
		}
	})
}

func TestModelNamesPickFaults(t *testing.T) {
	asking(t, WallConfig{Profile: Fast}, func(t *testing.T, post func(string, string) (*http.Response, string)) {
		for _, c := range []struct {
			model  string
			status int
			says   string
		}{
			{"S04", 503, "S04"},
			{"s04", 503, "s04"},
			{"openai/S13", 400, "content_policy_violation"},
			{"S12", 400, "context_length_exceeded"},
			{"good", 200, "[DONE]"},
			{"llama-3", 200, "[DONE]"},
			{"S08-clean", 200, "measure"},
			{"S08-nothing", 404, "its cases: the plain S08, reset, short, clean, json"},
			{"S17", 404, "S01 to W12"},
			{"W99", 404, "any other name is a healthy model"},
		} {
			resp, body := post("/v1/chat/completions", chat(c.model, true, ""))
			if resp.StatusCode != c.status || !strings.Contains(body, c.says) {
				t.Errorf("%s: %d %.200s, want %d and %q", c.model, resp.StatusCode, body, c.status, c.says)
			}
		}
		if _, list := post("/v1/models", ""); !strings.Contains(list, `"good"`) || !strings.Contains(list, `"W12"`) {
			t.Errorf("models: %s", list)
		}
		if resp, body := post("/v1/nothing", "{}"); resp.StatusCode != 404 || !strings.Contains(body, "/faults/log") {
			t.Errorf("unknown path: %d %s", resp.StatusCode, body)
		}
		if resp, _ := post("/v1/chat/completions", "no JSON"); resp.StatusCode != 400 {
			t.Errorf("no JSON: %d", resp.StatusCode)
		}
	})
	asking(t, WallConfig{MaxBody: 100}, func(t *testing.T, post func(string, string) (*http.Response, string)) {
		if resp, _ := post("/v1/chat/completions", chat("good", true, `,"x":"`+strings.Repeat("x", 100)+`"`)); resp.StatusCode != 413 {
			t.Errorf("long body: %d", resp.StatusCode)
		}
	})
}

// Without a driver's mark "once, then good" goes by the body, and an outage by
// the clock.
func TestWithoutMark(t *testing.T) {
	asking(t, WallConfig{}, func(t *testing.T, post func(string, string) (*http.Response, string)) {
		status := func(body string) int {
			resp, _ := post("/v1/chat/completions", body)
			return resp.StatusCode
		}
		one, other := chat("S03", true, ""), chat("S03", false, "")
		for i, want := range []int{500, 200, 500, 200} {
			if got := status(one); got != want {
				t.Errorf("attempt %d: %d, want %d", i, got, want)
			}
		}
		if got := status(other); got != 500 {
			t.Errorf("another body: %d, want 500", got)
		}
		outage := chat("S15", true, "")
		if got := status(outage); got != 503 {
			t.Errorf("the outage begins: %d", got)
		}
		time.Sleep(outageTime - time.Second)
		if got := status(chat("S15", false, "")); got != 503 {
			t.Errorf("before its end: %d", got)
		}
		time.Sleep(time.Second)
		if got := status(outage); got != 200 {
			t.Errorf("after its end: %d", got)
		}
		time.Sleep(outageTime + time.Second)
		if got := status(outage); got != 503 {
			t.Errorf("long after: %d, want another outage", got)
		}
		resp, _ := post("/v1/chat/completions", chat("S01", true, ""))
		if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "2" || resp.Header.Get("Retry-After-Ms") != "" {
			t.Errorf("S01: %d %v", resp.StatusCode, resp.Header)
		}
		marked := strings.Replace(chat("S01", true, ""), "hi", mark{"0123456789", "S01", "", Fast}.String(), 1)
		resp, _ = post("/v1/chat/completions", marked)
		if resp.Header.Get("Retry-After") != "1" || resp.Header.Get("Retry-After-Ms") != "100" {
			t.Errorf("S01 by the driver's fast profile: %v", resp.Header)
		}
	})
}

func TestPrefill(t *testing.T) {
	asking(t, WallConfig{}, func(t *testing.T, post func(string, string) (*http.Response, string)) {
		body := func(model, mark, begun string) string {
			return fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":%q},{"role":"assistant","content":[{"type":"text","text":%q}]}]}`, model, "hi "+mark, begun)
		}
		half := strings.Join(tokens()[:30], "")
		if _, got := post("/v1/chat/completions", body("good", "", half)); !strings.Contains(got, quote(strings.TrimPrefix(Text, half))) {
			t.Errorf("it does not go on after the prefill: %s", got)
		}
		if _, got := post("/v1/chat/completions", body("good", "", "Other words")); !strings.Contains(got, quote(Text)) {
			t.Errorf("another prefill: %s", got)
		}
		for _, b := range []string{body("good-no-prefill", "", half), body("good", mark{"0123456789", "S14", "", Full}.String(), half)} {
			if resp, got := post("/v1/chat/completions", b); resp.StatusCode != 400 || !strings.Contains(got, "prefill") {
				t.Errorf("it should be rejected: %d %s", resp.StatusCode, got)
			}
		}
	})
}

// The log holds what a judge needs, no secret, and not more than it may.
func TestLog(t *testing.T) {
	asking(t, WallConfig{MaxLog: 3}, func(t *testing.T, post func(string, string) (*http.Response, string)) {
		m := mark{testRun, "S04", "json", Full}
		for range 4 {
			post("/v1/chat/completions", chat("good", false, ""))
		}
		body := strings.Replace(chat("S04", false, ""), "hi", m.String(), 1)
		post("/v1/chat/completions", body)
		_, raw := post("/faults/log?run="+testRun, "")
		var l Log
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			t.Fatal(err)
		}
		if l.Dropped != 2 || len(l.Attempts) != 1 || strings.Contains(raw, "wall-key") {
			t.Fatalf("%s", raw)
		}
		a := l.Attempts[0]
		if a.Run != m.Run || a.Cell != "S04" || a.Variant != "json" || a.Fault != "S04" || a.Model != "S04" || a.Status != weir.Some(503) ||
			a.BodyBytes != len(body) || a.BodySHA256 != bodyHash([]byte(body)) || a.RestSHA256 != restHash([]byte(body)) || !a.Ended.Known() || a.CallerLeft || a.PromptChars != len(m.String()) {
			t.Errorf("%+v", a)
		}
		if k := a.Credentials; len(k) != 1 || k[0].Header != "authorization" || k[0].KeyFor != "S04" || k[0].SHA256 != fingerprint(testRun, "wall-key-S04") {
			t.Errorf("%+v", k)
		}
		_, raw = post("/faults/log", "")
		if n := strings.Count(raw, `"n":`); n != 3 {
			t.Errorf("%d attempts kept, want 3", n)
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	m := memory{seen: map[string]visits{}}
	for i := range 2 * maxKeys {
		m.visit(fmt.Sprint(i), time.Time{}, 0)
	}
	if len(m.seen) != maxKeys || len(m.order) != maxKeys {
		t.Errorf("%d keys, %d in order", len(m.seen), len(m.order))
	}
	if got := m.visit(fmt.Sprint(2*maxKeys-1), time.Time{}, 0); got.n != 1 {
		t.Errorf("the newest key had %d visits", got.n)
	}
}

func TestTextHasSixtyTokens(t *testing.T) {
	if all := tokens(); len(all) != Tokens || strings.Join(all, "") != Text {
		t.Errorf("%d tokens", len(all))
	}
	for text, want := range map[string]int{"": 0, "A": 1, "A weir": 2, "A weit": 1, "B": 0, Text: Tokens, Text + " more": Tokens} {
		if got := rightTokens(text); got != want {
			t.Errorf("%q: %d right, want %d", text, got, want)
		}
	}
}

func TestRestHash(t *testing.T) {
	base := `{"model":"a","temperature":1.0,"messages":[{"role":"user"}],"stream":true}`
	for body, same := range map[string]bool{
		`{"model":"b","temperature":1.0,"messages":[{"role":"user"}],"stream":true}`:                                         true,
		`{"temperature":1.0,"messages":[{"role":"user"}],"stream":true,"stream_options":{"include_usage":true},"model":"b"}`: true,
		`{"model": "a", "temperature": 1.0, "messages": [{"role":"user"}], "stream": true}`:                                  true,
		`{"model":"a","temperature":1,"messages":[{"role":"user"}],"stream":true}`:                                           false,
		`{"model":"a","temperature":1.0,"messages":[{"role": "user"}],"stream":true}`:                                        false,
		`{"model":"a","messages":[{"role":"user"}],"temperature":1.0,"stream":true}`:                                         false,
		`{"model":"a","temperature":1.0,"messages":[{"role":"user"}],"stream":true,"user":"x"}`:                              false,
		`{"model":"a","temperature":1.0,"messages":[{"role":"user"}],"stream":true}{}`:                                       false,
	} {
		if got := restHash([]byte(body)) == restHash([]byte(base)); got != same {
			t.Errorf("%s: same %v, want %v", body, got, same)
		}
	}
	for _, body := range []string{"", "[]", "{", `{"a":}`, "null"} {
		if got := restHash([]byte(body)); got != "" {
			t.Errorf("%q: %q, want none", body, got)
		}
	}
}

func FuzzRestHash(f *testing.F) {
	for _, s := range []string{`{"model":"a","b":1}`, `{"b" : [1, 2] }`, "{", ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if got := restHash(body); got != "" && !json.Valid(body) {
			t.Errorf("%q is no JSON and has the hash %s", body, got)
		}
	})
}

func FuzzMark(f *testing.F) {
	f.Add([]byte("hi "+mark{testRun, "W07", "rst-stream", Fast}.String()+" there"), "deadbeef01", "S08", "clean")
	f.Fuzz(func(t *testing.T, body []byte, run, cell, variant string) {
		if m, ok := findMark(body); ok && !bytes.Contains(body, []byte(m.String())) {
			t.Errorf("%q: %+v is not in it", body, m)
		}
		m := mark{run, cell, variant, Full}
		if got, ok := findMark([]byte(`{"content":"` + m.String() + ` x"}`)); ok && got != m {
			t.Errorf("%+v was read as %+v", m, got)
		}
	})
}
