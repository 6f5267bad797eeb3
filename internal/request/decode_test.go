package request

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		name    string
		dialect weir.Dialect
		body    string
		want    Asked
	}{
		{
			"small", weir.OpenAIChat, `{"model":"m","messages":[{"role":"user","content":"héllo"}]}`,
			Asked{Dialect: weir.OpenAIChat, Model: "m", Messages: 1, PromptChars: 5},
		},
		{
			"as benchmarks send it", weir.OpenAIChat, `{"model":"m","messages":[{"role":"system","content":"abc"},{"role":"user","content":[{"type":"text","text":"de"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"f"}]}],"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true},"max_completion_tokens":9,"ignore_eos":true,"stop":null,"temperature":null,"min_p":0.1,"unknown":{"a":[1]}}`,
			Asked{Dialect: weir.OpenAIChat, Model: "m", Stream: true, IncludeUsage: true, ContinuousUsage: true, MaxTokens: 9, IgnoreEOS: true, Messages: 2, PromptChars: 6},
		},
		{
			"nulls", weir.OpenAIChat, `{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[]}],"stream":null,"stream_options":null,"max_tokens":null,"ignore_eos":null}`,
			Asked{Dialect: weir.OpenAIChat, Model: "m", Messages: 1},
		},
		{
			"the smaller limit", weir.OpenAIChat, `{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":9,"max_completion_tokens":5}`,
			Asked{Dialect: weir.OpenAIChat, Model: "m", MaxTokens: 5, Messages: 1, PromptChars: 1},
		},
		{
			"anthropic", weir.Anthropic, `{"model":"m","max_tokens":3,"system":[{"type":"text","text":"abc","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"de"}],"stream":true}`,
			Asked{Dialect: weir.Anthropic, Model: "m", Stream: true, IncludeUsage: true, MaxTokens: 3, Messages: 1, PromptChars: 5},
		},
		{
			"completions", weir.OpenAICompletions, `{"model":"m","prompt":["ab","c"],"max_tokens":1}`,
			Asked{Dialect: weir.OpenAICompletions, Model: "m", MaxTokens: 1, Messages: 1, PromptChars: 3},
		},
		{
			"token ids", weir.OpenAICompletions, `{"model":"m","prompt":[[1,2],[3]]}`,
			Asked{Dialect: weir.OpenAICompletions, Model: "m", Messages: 1, PromptChars: 8},
		},
	} {
		got, err := Decode(c.dialect, []byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct {
		dialect    weir.Dialect
		body, want string
	}{
		{weir.OpenAIChat, ``, "the body is not JSON: unexpected end of JSON input"},
		{weir.OpenAIChat, `{"model":`, "the body is not JSON: unexpected end of JSON input"},
		{weir.OpenAIChat, `[]`, `the body is array, not an object ({"model": "...", ...})`},
		{weir.OpenAIChat, `{}`, `you must provide a model ("model": "a name that /v1/models lists")`},
		{weir.OpenAIChat, `{"model":"m"}`, `you must provide messages ("messages": [{"role": "user", "content": "..."}])`},
		{weir.OpenAIChat, `{"model":"m","messages":[]}`, `you must provide messages ("messages": [{"role": "user", "content": "..."}])`},
		{weir.OpenAIChat, `{"model":"m","messages":["x"]}`, "messages[0] is not a message (an object with role and content, a text or a list of parts)"},
		{weir.OpenAIChat, `{"model":"m","messages":[{"role":"user","content":5}]}`, "messages[0] is not a message (an object with role and content, a text or a list of parts)"},
		{weir.OpenAIChat, `{"model":"m","messages":[{"content":"x"}]}`, "messages[0] has no role (user, assistant or system)"},
		{weir.OpenAIChat, `{"model":"m","messages":[{"role":"user"}],"max_tokens":0}`, "max_tokens is 0 (1 or more)"},
		{weir.OpenAIChat, `{"model":"m","messages":[{"role":"user"}],"max_tokens":"7"}`, "max_tokens has the wrong type: string (it is an integer)"},
		{weir.OpenAIChat, `{"model":5}`, "model has the wrong type: number (it is a string)"},
		{weir.OpenAICompletions, `{"model":"m"}`, `you must provide a prompt ("prompt": "...")`},
		{weir.Gemini, `{}`, "requests in gemini are not read (openai-chat, openai-completions or anthropic)"},
	} {
		got, err := Decode(c.dialect, []byte(c.body))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.body, err, c.want)
		}
		if got != (Asked{}) {
			t.Errorf("%s: %+v beside an error", c.body, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"stream_options":{"include_usage":true},"max_tokens":3}`)
	f.Add(`{"model":"m","prompt":[1,[2],"x",{"text":3}],"system":["a"]}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, d := range weir.Dialects() {
			a, err := Decode(d, []byte(body))
			if err == nil && (a.Model == "" || a.MaxTokens < 0 || a.PromptChars < 0 || a.PromptTokens() < 1 || a.Messages < 1) {
				t.Errorf("%s: %+v", d, a)
			}
		}
	})
}
