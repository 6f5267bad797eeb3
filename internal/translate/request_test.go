package translate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

var (
	requestCallers = []weir.Dialect{weir.OpenAIChat, weir.OpenAIResponses, weir.Anthropic}
	requestTargets = []weir.Dialect{weir.OpenAIChat, weir.Anthropic, weir.Gemini}
)

// translation is what becomes of a request: one of the two.
type translation struct {
	Refused string          `json:"refused,omitempty"`
	Dropped []string        `json:"dropped,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"`
}

// TestGolden: each request of testdata/requests/CALLER/CASE/in.json to each
// target that it can be translated for.
func TestGolden(t *testing.T) {
	for _, from := range requestCallers {
		cases, err := filepath.Glob(filepath.Join("testdata", "requests", string(from), "*", "in.json"))
		if err != nil || len(cases) == 0 {
			t.Fatalf("no cases of %s: %v", from, err)
		}
		for _, name := range cases {
			body, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, to := range requestTargets {
				if from != to {
					checkGolden(t, filepath.Join(filepath.Dir(name), string(to)+".json"), from, to, body)
				}
			}
		}
	}
}

func checkGolden(t *testing.T, name string, from, to weir.Dialect, body []byte) {
	t.Helper()
	got, err := Request(from, to, body, RequestOptions{Model: "m"})
	g := translation{Dropped: got.Dropped, Body: got.Body}
	if err == nil {
		if _, err := request.Decode(to, got.Body); err != nil {
			t.Errorf("%s: no server reads it: %v", name, err)
		}
	}
	var refused *weir.Error
	if errors.As(err, &refused) && refused.Code == CannotTranslate {
		g = translation{Refused: err.Error()}
	} else if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	raw, err := marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	text.WriteByte('\n')
	if *update {
		if err := os.WriteFile(name, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), text.String()); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

// TestRequestEnvelope: where it goes, with which headers, and whether it streams.
func TestRequestEnvelope(t *testing.T) {
	const body = `{"model":"r","stream":true,"messages":[{"role":"user","content":"x"}]}`
	for _, c := range []struct {
		to       weir.Dialect
		base     string
		url      string
		hasModel bool
	}{
		{weir.Gemini, "http://h", "http://h/v1beta/models/m:streamGenerateContent?alt=sse", false},
		{weir.Anthropic, "http://h", "http://h/v1/messages", true},
		{weir.Anthropic, "", "", true},
	} {
		got, err := Request(weir.OpenAIChat, c.to, []byte(body), RequestOptions{URL: c.base, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if got.URL != c.url || !got.Stream || got.Header.Get("Accept") != "text/event-stream" || bytes.Contains(got.Body, []byte(`"model":"m"`)) != c.hasModel {
			t.Errorf("%s: %+v %s", c.to, got, got.Body)
		}
	}
	if _, err := Request(weir.OpenAIChat, weir.OpenAIResponses, []byte(body), RequestOptions{Model: "m"}); err == nil {
		t.Error("to Responses")
	}
}

// TestRequestOptions: what a target is known to take.
func TestRequestOptions(t *testing.T) {
	const (
		asked  = `{"max_tokens":9000,"stream":true,"thinking":{"type":"enabled","budget_tokens":3000},"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}`
		effort = `{"reasoning_effort":"low","max_tokens":3000,"messages":[{"role":"user","content":"x"}]}`
		calls  = `{"reasoning_effort":"low","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"}]}`
		begun  = `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"{"}]}`
	)
	for _, c := range []struct {
		name     string
		from, to weir.Dialect
		body     string
		options  RequestOptions
		want     string
	}{
		{"names and reasoning", weir.Anthropic, weir.OpenAIChat, asked, RequestOptions{NewTokensName: true, NoStreamOptions: true, ReasoningInput: true}, `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","reasoning_content":"hm","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"","tool_call_id":"a"}],"max_completion_tokens":9000,"reasoning_effort":"medium","stream":true}`},
		{"budget", weir.Anthropic, weir.Gemini, asked, RequestOptions{ThinkingBudget: true}, `{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":""}}}]}],"generationConfig":{"maxOutputTokens":9000,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":3000}}}`},
		{"default limit", weir.OpenAIChat, weir.Anthropic, calls, RequestOptions{MaxTokens: 77}, `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}],"max_tokens":77,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}}`},
		{"half for the answer", weir.OpenAIChat, weir.Anthropic, effort, RequestOptions{ThinkingBudget: true}, `{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":3000,"thinking":{"type":"enabled","budget_tokens":1024}}`},
		{"no thought to go on from", weir.OpenAIChat, weir.Anthropic, calls, RequestOptions{ThinkingBudget: true}, `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}],"max_tokens":4096}`},
		{"defaults go unsaid", weir.OpenAIChat, weir.Anthropic, `{"temperature":1.0,"top_p":1,"presence_penalty":0.0,"messages":[{"role":"user","content":"x"}]}`, RequestOptions{NoSampling: true}, `{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":4096}`},
		{"prefill", weir.OpenAIChat, weir.Anthropic, begun, RequestOptions{Prefill: true}, `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"{"}],"max_tokens":4096}`},
	} {
		c.options.Model = "m"
		got, err := Request(c.from, c.to, []byte(c.body), c.options)
		if err != nil || string(got.Body) != c.want {
			t.Errorf("%s: error %v\n got %s\nwant %s", c.name, err, got.Body, c.want)
		}
	}
}

// TestNoSampling: a model that refuses to be told is not told.
func TestNoSampling(t *testing.T) {
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		body := fmt.Sprintf(`{%q:0.5,"messages":[{"role":"user","content":"x"}]}`, name)
		want := name + ": anthropic has none (leave it out, or route to a target of the caller's dialect)"
		if _, err := Request(weir.OpenAIChat, weir.Anthropic, []byte(body), RequestOptions{Model: "m", NoSampling: true}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnthropicIDs(t *testing.T) {
	for id, want := range map[string]string{
		"call_a-Z9": "call_a-Z9",
		"f.a:0":     "f_a_0_f8be1646",
		"f_a:0":     "f_a_0_8f26dc9b",
	} {
		if got := anthropicID(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

func TestSignatures(t *testing.T) {
	for _, owner := range []weir.Dialect{weir.Anthropic, weir.Gemini, weir.OpenAIChat} {
		s := signature{owner: owner, value: "c2ln_-=="}
		if got := openSignature(sealSignature(s), weir.OpenAIResponses); got != s {
			t.Errorf("%+v became %+v", s, got)
		}
	}
	if got := openSignature("c2ln", weir.Anthropic); got != (signature{weir.Anthropic, "c2ln"}) {
		t.Errorf("the caller's own: %+v", got)
	}
	if got := openSignature("", weir.Anthropic); got != (signature{}) {
		t.Errorf("none: %+v", got)
	}
}
