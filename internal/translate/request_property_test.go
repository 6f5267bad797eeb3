package translate

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weir.dev/weir"
)

// TestThereAndBack: a conversation in chat that went to Anthropic and back means
// what it meant.
func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chat, err := json.Marshal(drawChat(t))
		if err != nil {
			t.Fatal(err)
		}
		there, err := Request(weir.OpenAIChat, weir.Anthropic, chat, RequestOptions{Model: "m"})
		if err != nil {
			t.Fatalf("%s: %v", chat, err)
		}
		back, err := Request(weir.Anthropic, weir.OpenAIChat, there.Body, RequestOptions{Model: "m"})
		if err != nil {
			t.Fatalf("%s: %v", there.Body, err)
		}
		want, got := meaning(t, chat), meaning(t, back.Body)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s\n%s\n%s", chat, back.Body, d)
		}
	})
}

// meaning is a chat request with consecutive messages of a role in one, and
// without paths.
func meaning(t *rapid.T, chat []byte) map[string]any {
	c, err := decodeRequest(weir.OpenAIChat, chat)
	if err != nil {
		t.Fatal(err)
	}
	var turns []string
	for _, m := range merged(c.turns) {
		s := string(m.role)
		for _, p := range m.parts {
			s += fmt.Sprintf(" | %d %q %q %s%s %s %s", p.kind, p.text, p.id, p.name, p.args, p.media+p.data+p.url, plainText(p.content))
		}
		turns = append(turns, s)
	}
	var tools []string
	for _, f := range c.tools {
		tools = append(tools, fmt.Sprintf("%s %q %s %v", f.name, f.description, f.schema, f.strict))
	}
	return map[string]any{
		"system": plainText(c.system), "turns": turns, "tools": tools, "choice": fmt.Sprint(c.choice.mode, c.choice.name, c.parallel.isSet()),
		"limit": c.maxTokens.Or(0), "temperature": string(c.temperature.unless(1).value), "stop": c.stop, "stream": c.stream,
		"format": string(c.format.schema), "effort": c.thinking.effort,
	}
}

func plainText(parts []part) (texts []string) {
	for _, p := range parts {
		texts = append(texts, p.text)
	}
	return texts
}

func drawChat(t *rapid.T) map[string]any {
	word := rapid.StringN(1, 8, 20)
	messages := []any{map[string]any{"role": "system", "content": word.Draw(t, "system")}}
	calls := 0
	for range rapid.IntRange(1, 4).Draw(t, "rounds") {
		messages = append(messages, map[string]any{"role": "user", "content": drawParts(t, word)})
		n := rapid.IntRange(0, 3).Draw(t, "calls")
		if n == 0 {
			messages = append(messages, map[string]any{"role": "assistant", "content": word.Draw(t, "answer")})
			continue
		}
		var list, results []any
		for range n {
			calls++
			id := fmt.Sprint("call_", calls)
			list = append(list, map[string]any{"id": id, "type": "function", "function": map[string]any{"name": "f", "arguments": fmt.Sprintf(`{"n":%d}`, calls)}})
			results = append(results, map[string]any{"role": "tool", "tool_call_id": id, "content": word.Draw(t, "result")})
		}
		messages = append(append(messages, map[string]any{"role": "assistant", "content": nil, "tool_calls": list}), results...)
	}
	messages = append(messages, map[string]any{"role": "user", "content": word.Draw(t, "last")})
	r := map[string]any{
		"model": "r", "messages": messages, "max_tokens": rapid.IntRange(1, 9999).Draw(t, "limit"), "stream": rapid.Bool().Draw(t, "stream"),
		"tools":               []any{map[string]any{"type": "function", "function": map[string]any{"name": "f", "description": word.Draw(t, "about"), "strict": rapid.Bool().Draw(t, "strict"), "parameters": map[string]any{"type": "object"}}}},
		"tool_choice":         rapid.SampledFrom([]any{"auto", "none", "required", map[string]any{"type": "function", "function": map[string]any{"name": "f"}}}).Draw(t, "choice"),
		"temperature":         json.RawMessage(rapid.SampledFrom([]string{"0", "0.70", "1"}).Draw(t, "temperature")),
		"stop":                rapid.SliceOfN(word, 1, 3).Draw(t, "stop"),
		"parallel_tool_calls": true,
	}
	if rapid.Bool().Draw(t, "schema") {
		r["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "strict": true, "schema": map[string]any{"type": "object"}}}
	}
	if rapid.Bool().Draw(t, "thinks") {
		r["reasoning_effort"] = rapid.SampledFrom([]string{"low", "medium", "high"}).Draw(t, "effort")
	}
	return r
}

func drawParts(t *rapid.T, word *rapid.Generator[string]) any {
	if rapid.Bool().Draw(t, "bare") {
		return word.Draw(t, "text")
	}
	return []any{
		map[string]any{"type": "text", "text": word.Draw(t, "text")},
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": rapid.SampledFrom([]string{"data:image/png;base64,eA==", "https://h/a.png"}).Draw(t, "image")}},
	}
}

// FuzzRequest: no body makes it panic, and what comes out is JSON that Continue
// can add to.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{
		`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}}]}],"tools":[{"function":{"name":"f"}}],"tool_choice":"required"}`,
		`{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"{}"}],"reasoning_effort":"low"}`,
		`{"input":[{"type":"function_call","call_id":"a","name":"f"},{"type":"function_call_output","call_id":"a","output":[]},{"type":"reasoning","encrypted_content":"x"}],"text":{"format":{"type":"json_object"}}}`,
		`{"max_tokens":1,"system":[{"type":"text","text":"x"}],"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"base64","media_type":"a","data":"b"}}]}]}],"thinking":{"type":"enabled","budget_tokens":1}}`,
		`{"messages":[{"role":null,"content":null,"tool_calls":[null]}],"stop":7}`,
	} {
		f.Add([]byte(body), false)
	}
	f.Add([]byte(`{"input":[{"type":"reasoning"}]}`), true) // nothing is left of it
	f.Fuzz(func(t *testing.T, body []byte, all bool) {
		for _, from := range requestCallers {
			for _, to := range requestTargets {
				got, err := Request(from, to, body, RequestOptions{Model: "m", Prefill: all, ThinkingBudget: all, ReasoningInput: all})
				if err != nil {
					continue
				}
				if !json.Valid(got.Body) {
					t.Errorf("%s to %s: %s", from, to, got.Body)
				}
				if more, err := Continue(to, got.Body, "x"); err != nil || !json.Valid(more) {
					t.Errorf("%s: %v: %s", to, err, more)
				}
			}
		}
	})
}
