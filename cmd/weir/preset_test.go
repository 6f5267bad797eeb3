package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/sim"
)

// strict is an endpoint that refuses some fields, or asks for a token, and
// counts what came.
type strict struct {
	refuses []string
	token   string
	handler http.Handler

	mu       sync.Mutex
	requests int
	refused  []string
}

func newStrict(t *testing.T, model string, refuses ...string) *strict {
	t.Helper()
	plan, err := sim.ParsePlan("ttft=4ms,gap=100us")
	if err != nil {
		t.Fatal(err)
	}
	h, err := sim.New(sim.Config{Seed: 1, Models: map[string]sim.Plan{model: plan}})
	if err != nil {
		t.Fatal(err)
	}
	return &strict{refuses: refuses, handler: h}
}

func (s *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var body map[string]json.RawMessage
	_ = json.Unmarshal(raw, &body)
	s.mu.Lock()
	s.requests++
	if s.token != "" && r.Header.Get("Authorization") != "Bearer "+s.token {
		s.refused = append(s.refused, "token")
	}
	for _, name := range s.refuses {
		if body[name] != nil {
			s.refused = append(s.refused, name)
		}
	}
	no := slices.Clone(s.refused)
	s.mu.Unlock()
	if len(no) > 0 {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"Unsupported parameter: '`+no[0]+`' is not supported with this model.","param":"`+no[0]+`"}}`)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	s.handler.ServeHTTP(w, r)
}

// configFile writes a config in which URL is the endpoint.
func configFile(t *testing.T, url, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "weir.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "URL", url+"/v1")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestPresetsSaveRefusals: what a preset knows of its provider is never asked,
// not even by the first request, and only that is left out.
func TestPresetsSaveRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider, model string
		refuses, takes  []string
		learned         []string
	}{
		{"openai", "o3-mini", []string{"max_tokens", "temperature"}, []string{"max_completion_tokens", "stream_options"}, []string{"temperature"}},
		{"openai", "gpt-4o", []string{"max_tokens"}, []string{"max_completion_tokens", "temperature", "stream_options"}, nil},
		{"cohere", "command-a", []string{"stream_options"}, []string{"max_tokens", "temperature"}, []string{"stream_options"}},
	} {
		s := newStrict(t, c.model, c.refuses...)
		file := configFile(t, serve(t, s), "providers:\n  "+c.provider+": {base_url: \"URL\", api_key: \"${KEY}\"}\n")
		env := map[string]string{"KEY": canary}
		args := []string{"bench", "-c", file, c.provider + "/" + c.model, "-n", "3", "--warmup", "0", "--output-tokens", "4"}
		o := weirWith(t.Context(), env, "", append(args, "-o", "json")...)
		if o.code != 0 || s.requests != 3 || len(s.refused) > 0 {
			t.Errorf("%s/%s: %d requests, refused for %q: %+v", c.provider, c.model, s.requests, s.refused, o)
			continue
		}
		target := o.summary(t).Targets[0]
		if target.Outcomes[weir.OK] != 3 || target.Warmup != 0 || !slices.Equal(target.Learned, c.learned) {
			t.Errorf("%s/%s: %+v", c.provider, c.model, target)
		}
		dry := weirWith(t.Context(), env, "", append(args, "--dry-run")...)
		for _, name := range c.refuses {
			if strings.Contains(dry.out, `"`+name+`"`) {
				t.Errorf("%s/%s: a dry run shows %s", c.provider, c.model, name)
			}
		}
		for _, name := range c.takes {
			dry.says(t, `"`+name+`"`)
		}
	}
}

// TestTokenIsThereBeforeTheFirstRequest: how long the command takes is in no
// time to first token.
func TestTokenIsThereBeforeTheFirstRequest(t *testing.T) {
	t.Parallel()
	s := newStrict(t, "m")
	s.token = canary
	const takes = 500 * time.Millisecond
	file := configFile(t, serve(t, s), `providers:
  mine: {base_url: "URL", dialect: openai-chat, auth: {command: ["sh", "-c", "sleep 0.5; echo `+canary+`"]}}
`)
	begun := time.Now()
	o := weirWith(t.Context(), nil, "", "bench", "-c", file, "mine/m", "-n", "3", "--warmup", "0", "--output-tokens", "4", "-o", "json")
	if took := time.Since(begun); o.code != 0 || took < takes || s.requests != 3 || len(s.refused) > 0 {
		t.Fatalf("%v, %d requests, refused for %q: %+v", took, s.requests, s.refused, o)
	}
	for _, r := range o.summary(t).Requests {
		if ttft := r.TTFT.Or(0).Duration(); ttft <= 0 || ttft >= takes {
			t.Errorf("a time to first token of %v", ttft)
		}
	}
}

// TestTokenCommandFails: nothing is measured, and each failure is told once,
// without what the command printed.
func TestTokenCommandFails(t *testing.T) {
	t.Parallel()
	s := newStrict(t, "m")
	file := configFile(t, serve(t, s), `providers:
  one: {base_url: "URL", dialect: openai-chat, auth: {command: ["sh", "-c", "echo `+canary+`; exit 3"]}}
  two: {base_url: "URL", dialect: openai-chat, auth: {command: ["no-such-program"]}}
`)
	o := weirWith(t.Context(), nil, "", "bench", "-c", file, "one/m", "two/m")
	if o.code != exitFailed {
		t.Errorf("code %d", o.code)
	}
	for _, line := range []string{"the auth command sh of one failed", "the auth command no-such-program of two is not to be found", "run it by hand"} {
		if !strings.Contains(o.err, line) {
			t.Errorf("nothing says %q: %s", line, o.err)
		}
	}
	if s.requests != 0 || strings.Contains(o.err, "canary") {
		t.Errorf("%d requests: %+v", s.requests, o)
	}
	if o := weirWith(t.Context(), nil, "", "bench", "-c", file, "one/m", "--dry-run"); o.code != 0 {
		t.Errorf("a dry run needs no token: %+v", o)
	}
}
