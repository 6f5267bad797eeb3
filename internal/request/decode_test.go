package request

import (
	"reflect"
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
			Asked{Dialect: weir.OpenAICompletions, Model: "m", Messages: 1, PromptChars: 12},
		},
	} {
		got, err := Decode(c.dialect, []byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		got.Parts = nil // TestDecodeText looks at them
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestDecodeText: all text of the prompt in its order, with whose it is and
// where the cache is to keep it.
func TestDecodeText(t *testing.T) {
	for _, c := range []struct {
		dialect weir.Dialect
		body    string
		want    []Part
	}{
		{weir.OpenAIChat, `{"model":"m","messages":[{"role":"system","content":"abc"},{"role":"user","content":["d",{"type":"text","text":"e"}]}]}`, []Part{
			{Role: "system", Text: "abc"}, {Role: "user", Text: "d"}, {Role: "user", Text: "e"},
		}},
		{weir.OpenAICompletions, `{"model":"m","prompt":[[12345,7],[3]]}`, []Part{{Role: "user", Text: "\U00013039   \U00010007   "}, {Role: "user", Text: "\U00010003   "}}},
		{weir.Anthropic, `{"model":"m","max_tokens":3,"system":[{"type":"text","text":"abc","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"de","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}`, []Part{
			{Role: "system", Text: "abc", Marked: true}, {Role: "user", Text: "de", Marked: true, Hour: true},
		}},
		{weir.OpenAIResponses, `{"model":"m","instructions":"be","input":"x"}`, []Part{{Role: "system", Text: "be"}, {Role: "user", Text: "x"}}},
		{weir.OpenAIResponses, `{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"x"}]},{"type":"function_call","arguments":"{}"}]}`, []Part{{Role: "user", Text: "x"}}},
		{weir.Gemini, `{"systemInstruction":{"parts":[{"text":"be"}]},"contents":[{"role":"user","parts":[{"text":"x"},{"text":"y"}]},{"role":"model","parts":[{"text":"z"}]}],"generationConfig":{"maxOutputTokens":9}}`, []Part{
			{Role: "system", Text: "be"}, {Role: "user", Text: "x"}, {Role: "user", Text: "y"}, {Role: "model", Text: "z"},
		}},
	} {
		got, err := Decode(c.dialect, []byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
		}
		if d := cmp.Diff(c.want, got.Parts); d != "" {
			t.Errorf("%s: %s", c.body, d)
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
		{weir.Gemini, `{}`, `you must provide contents ("contents": [{"role": "user", "parts": [{"text": "..."}]}])`},
		{weir.OpenAIResponses, `{"model":"m"}`, `you must provide input ("input": "..." or a list of items)`},
		{weir.OpenAIResponses, `{"model":"m","input":["x"]}`, "input[0] is not an item (an object with role and content, or with a type)"},
		{weir.OpenAIResponses, `{"model":"m","input":"x","max_output_tokens":0}`, "max_output_tokens is 0 (1 or more)"},
		{weir.Ollama, `{}`, "requests in ollama are not read (any other dialect)"},
	} {
		got, err := Decode(c.dialect, []byte(c.body))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.body, err, c.want)
		}
		if !reflect.DeepEqual(got, Asked{}) {
			t.Errorf("%s: %+v beside an error", c.body, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"stream_options":{"include_usage":true},"max_tokens":3}`)
	f.Add(`{"model":"m","prompt":[1,[2],"x",{"text":3}],"system":["a"]}`)
	f.Add(`{"model":"m","input":[{"role":"user","content":"x"},{"type":"reasoning"}],"contents":[{"parts":[{"text":"x"}]}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, d := range weir.Dialects() {
			a, err := Decode(d, []byte(body))
			if err == nil && (a.Model == "" && d != weir.Gemini || a.MaxTokens < 0 || a.PromptChars < 0 || a.PromptTokens() < 1 || a.Messages < 1) {
				t.Errorf("%s: %+v", d, a)
			}
		}
	})
}
