package translate

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"weir.dev/weir"
)

// asked is a caller's next request: what it was answered, sent back.
func asked(t *testing.T, caller weir.Dialect, answer []byte) []byte {
	t.Helper()
	var a struct {
		Choices []struct{ Message json.RawMessage } // chat
		Output  []json.RawMessage                   // responses
		Content json.RawMessage                     // anthropic
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatal(err)
	}
	user := map[string]any{"role": "user", "content": "What is the weather?"}
	body := map[string]any{"model": "m", "max_tokens": 100}
	switch caller {
	case weir.OpenAIChat:
		body["messages"] = []any{user, a.Choices[0].Message}
	case weir.OpenAIResponses:
		items := []any{user}
		for _, item := range a.Output {
			items = append(items, item)
		}
		delete(body, "max_tokens")
		body["input"] = items
	default:
		body["messages"] = []any{user, map[string]any{"role": "assistant", "content": a.Content}}
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What a target wants back of its answer it gets back, through a caller of any
// dialect: reasoning with its signature, calls with their arguments.
func TestAnswersComeBack(t *testing.T) {
	want := map[weir.Dialect][]string{
		weir.Anthropic: {`{"type":"thinking","thinking":"Two cities, two calls.","signature":"c2lnbmVk"}`, `{"type":"redacted_thinking","data":"aGlkZGVu"}`, `"id":"toolu_a"`, `"input":{"city":"Zürich"}`},
		weir.Gemini:    {`"thoughtSignature":"c2ln+/=="`, `"args":{"city":"Zürich"}`},
	}
	for from, parts := range want {
		raw, err := os.ReadFile("testdata/answers/" + short[from] + ".json")
		if err != nil {
			t.Fatal(err)
		}
		for _, caller := range callers {
			if caller == from {
				continue
			}
			answer, err := Whole(from, caller, raw, AnswerOptions{})
			if err != nil {
				t.Fatal(err)
			}
			again, err := Request(caller, from, asked(t, caller, answer), RequestOptions{Model: "m", Prefill: true})
			if err != nil {
				t.Errorf("%s through %s: %v", from, caller, err)
				continue
			}
			for _, part := range parts {
				if !strings.Contains(string(again.Body), part) {
					t.Errorf("%s through %s: no %s in %s, dropped %q", from, caller, part, again.Body, again.Dropped)
				}
			}
		}
	}
}
