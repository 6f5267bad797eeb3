package request

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"weir.dev/weir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func full() Spec {
	return Spec{
		Model:           "m",
		System:          "be <brief>",
		Messages:        []Message{{Role: RoleUser, Text: "hi"}, {Role: RoleAssistant, Text: "yes?"}, {Role: RoleUser, Text: "go"}},
		MaxTokens:       7,
		Temperature:     weir.Some(0.0),
		ReasoningEffort: "low",
		IgnoreEOS:       true,
		Stream:          true,
	}
}

func TestBodies(t *testing.T) {
	small := Spec{Model: "m", Messages: []Message{{Role: RoleUser, Text: "hi"}}}
	noEffort := full()
	noEffort.ReasoningEffort = ""
	for _, c := range []struct {
		dialect weir.Dialect
		spec    Spec
		want    string
	}{
		{weir.OpenAIChat, full(), `{"model":"m","messages":[{"role":"system","content":"be <brief>"},{"role":"user","content":"hi"},{"role":"assistant","content":"yes?"},{"role":"user","content":"go"}],"max_tokens":7,"temperature":0,"reasoning_effort":"low","ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}}`},
		{weir.OpenAIChat, small, `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":false}`},
		{weir.OpenAICompletions, noEffort, `{"model":"m","prompt":"be <brief>\n\nhi\n\nyes?\n\ngo","max_tokens":7,"temperature":0,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}}`},
		{weir.OpenAICompletions, small, `{"model":"m","prompt":"hi","stream":false}`},
		{weir.OpenAIResponses, full(), `{"model":"m","instructions":"be <brief>","input":[{"role":"user","content":"hi"},{"role":"assistant","content":"yes?"},{"role":"user","content":"go"}],"max_output_tokens":7,"temperature":0,"reasoning":{"effort":"low"},"store":false,"stream":true}`},
		{weir.OpenAIResponses, small, `{"model":"m","input":[{"role":"user","content":"hi"}],"store":false,"stream":false}`},
		{weir.Anthropic, full(), `{"model":"m","system":"be <brief>","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yes?"},{"role":"user","content":"go"}],"max_tokens":7,"temperature":0,"output_config":{"effort":"low"},"stream":true}`},
		{weir.Anthropic, small, `{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":4096,"stream":false}`},
		{weir.Gemini, full(), `{"systemInstruction":{"parts":[{"text":"be <brief>"}]},"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"text":"yes?"}]},{"role":"user","parts":[{"text":"go"}]}],"generationConfig":{"maxOutputTokens":7,"temperature":0,"thinkingConfig":{"thinkingLevel":"low"}}}`},
		{weir.Gemini, small, `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`},
		{weir.Ollama, full(), `{"model":"m","messages":[{"role":"system","content":"be <brief>"},{"role":"user","content":"hi"},{"role":"assistant","content":"yes?"},{"role":"user","content":"go"}],"options":{"num_predict":7,"temperature":0},"think":"low","stream":true}`},
		{weir.Ollama, small, `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":false}`},
	} {
		e, err := Encode("http://h", c.dialect, c.spec, nil)
		if err != nil {
			t.Errorf("%s: %v", c.dialect, err)
			continue
		}
		if d := cmp.Diff(c.want, string(e.Body)); d != "" {
			t.Errorf("%s, stream %v: %s", c.dialect, c.spec.Stream, d)
		}
	}
}

func TestExtraWins(t *testing.T) {
	s := Spec{Model: "m", Messages: []Message{{Role: RoleUser, Text: "hi"}}, MaxTokens: 1, Stream: true}
	s.Extra = map[string]json.RawMessage{"top_p": json.RawMessage(`0.5`), "max_tokens": json.RawMessage(`9`), "a": json.RawMessage(`{"x":"<"}`)}
	s.Headers = http.Header{"x-team": {"a", "b"}, "accept": {"*/*"}}
	e, err := Encode("http://h/v1", weir.OpenAIChat, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":9,"stream":true,"stream_options":{"include_usage":true},"a":{"x":"<"},"top_p":0.5}`
	if d := cmp.Diff(want, string(e.Body)); d != "" {
		t.Error(d)
	}
	wantHeader := http.Header{"Content-Type": {"application/json"}, "Accept": {"*/*"}, "Accept-Encoding": {"identity"}, "X-Team": {"a", "b"}}
	if d := cmp.Diff(wantHeader, e.Header); d != "" {
		t.Error(d)
	}
	e, err = Encode("http://h", weir.Anthropic, s, nil)
	if err != nil || e.Header.Get("anthropic-version") != "2023-06-01" {
		t.Errorf("anthropic-version %q, error %v", e.Header.Get("anthropic-version"), err)
	}
}

func TestURLs(t *testing.T) {
	for _, c := range []struct {
		dialect     weir.Dialect
		base, model string
		stream      bool
		want        string
	}{
		{weir.OpenAIChat, "http://h:8000/v1", "m", true, "http://h:8000/v1/chat/completions"},
		{weir.OpenAIChat, "http://h:8000/v1/", "m", true, "http://h:8000/v1/chat/completions"},
		{weir.OpenAIChat, "http://h", "m", true, "http://h/v1/chat/completions"},
		{weir.OpenAIChat, "https://h/api/openai", "m", true, "https://h/api/openai/chat/completions"},
		{weir.OpenAIChat, "https://h/x/chat/completions", "m", true, "https://h/x/chat/completions"},
		{weir.OpenAIChat, "https://h/openai/deployments/d?api-version=1", "m", true, "https://h/openai/deployments/d/chat/completions?api-version=1"},
		{weir.OpenAIChat, "http://[::1]:80/a%2Fb/v1", "m", true, "http://[::1]:80/a%2Fb/v1/chat/completions"},
		{weir.OpenAICompletions, "http://h/v1", "m", true, "http://h/v1/completions"},
		{weir.OpenAICompletions, "http://h/v1/completions", "m", true, "http://h/v1/completions"},
		{weir.OpenAIResponses, "http://h/v1", "m", true, "http://h/v1/responses"},
		{weir.Anthropic, "http://h", "m", true, "http://h/v1/messages"},
		{weir.Anthropic, "http://h/v1", "m", true, "http://h/v1/messages"},
		{weir.Anthropic, "http://h/anthropic", "m", true, "http://h/anthropic/v1/messages"},
		{weir.Anthropic, "http://h/v1/messages", "m", true, "http://h/v1/messages"},
		{weir.Gemini, "http://h/v1beta", "gemini-2.5-flash", true, "http://h/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"},
		{weir.Gemini, "http://h/v1beta", "models/g", false, "http://h/v1beta/models/g:generateContent"},
		{weir.Gemini, "http://h?x=1", "a/b?c", true, "http://h/v1beta/models/a%2Fb%3Fc:streamGenerateContent?x=1&alt=sse"},
		{weir.Gemini, "http://h/v1/models/g:generateContent", "m", true, "http://h/v1/models/g:generateContent"},
		{weir.Ollama, "http://h:11434", "m", true, "http://h:11434/api/chat"},
		{weir.Ollama, "http://h/api", "m", true, "http://h/api/chat"},
		{weir.Ollama, "http://h/api/chat", "m", true, "http://h/api/chat"},
	} {
		got, err := URL(c.base, c.dialect, c.model, c.stream)
		if err != nil || got != c.want {
			t.Errorf("%s %s: %q, error %v, want %q", c.dialect, c.base, got, err, c.want)
		}
	}
}

func TestUnusableURLs(t *testing.T) {
	for base, want := range map[string]string{
		"":                               "no URL (give one like http://localhost:8000/v1)",
		"localhost:8000/v1":              "URL localhost:8000/v1: not http or https (one like http://localhost:8000/v1)",
		"ftp://h":                        "URL ftp://h: not http or https (one like http://localhost:8000/v1)",
		"http:///v1":                     "URL http:///v1: no host (one like http://localhost:8000/v1)",
		"http://h/%zz?key=secret":        "URL http://h/%zz: not a URL (one like http://localhost:8000/v1)",
		"http://secret@h/v1":             "URL http://...@h/v1: a user or key stands before the host (keys are read from the environment)",
		"http://h/v1#x":                  "URL http://h/v1#x: a fragment (#...) is never sent (leave it out)",
		"http://h/v1/messages?key=secre": "URL http://h/v1/messages: this is the path of anthropic and the dialect is openai-chat (give the base URL, or the dialect that the path has)",
		"http://h/v1/completions":        "URL http://h/v1/completions: this is the path of openai-completions and the dialect is openai-chat (give the base URL, or the dialect that the path has)",
	} {
		_, err := URL(base, weir.OpenAIChat, "m", true)
		var e *weir.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", base, err, want)
		}
		if strings.Contains(err.Error(), "secre") {
			t.Errorf("%q: the error tells a secret: %v", base, err)
		}
	}
}

func TestUnusableSpecs(t *testing.T) {
	with := func(change func(*Spec)) Spec {
		s := Spec{Model: "m", Messages: []Message{{Role: RoleUser, Text: "hi"}}}
		change(&s)
		return s
	}
	for _, c := range []struct {
		dialect weir.Dialect
		spec    Spec
		want    string
	}{
		{"x", full(), "request to x: unknown dialect (one of [openai-chat openai-completions openai-responses anthropic gemini ollama])"},
		{weir.Ollama, with(func(s *Spec) { s.Model = "" }), "request to ollama: no model (name the model as the provider does)"},
		{weir.Ollama, with(func(s *Spec) { s.Messages = nil }), "request to ollama: no messages (give at least one message of the user)"},
		{weir.Ollama, with(func(s *Spec) { s.MaxTokens = -1 }), "request to ollama: max tokens -1 (1 or more, or 0 for none)"},
		{weir.Ollama, with(func(s *Spec) { s.Temperature = weir.Some(-1.0) }), "request to ollama: temperature -1 (a number from 0)"},
		{weir.Ollama, with(func(s *Spec) { s.Messages[0].Role = "system" }), `request to ollama: message 0 has the role "system" (user or assistant; what the system says is apart)`},
		{weir.Ollama, with(func(s *Spec) { s.Extra = map[string]json.RawMessage{"a": json.RawMessage("b")} }), `request to ollama: extra field "a" is not JSON (a JSON value; a text needs its quotes: "...")`},
		{weir.OpenAICompletions, full(), "request to openai-completions: reasoning effort low (completions have none; use openai-chat, or an extra field)"},
	} {
		if _, err := Encode("http://h", c.dialect, c.spec, nil); err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}
