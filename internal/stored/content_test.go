package stored

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir.dev/weir"
	"weir.dev/weir/internal/weirtest/handmade"
)

func TestContentFiles(t *testing.T) {
	dir := t.TempDir()
	s := handmade.Run().Settings
	s.Targets = []weir.Target{{Name: "groq/llama-3.1:8b"}, {Name: "../../" + strings.Repeat("é", 200)}}
	f, err := Create(dir, "v0.0.0-test", s)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.KeepContent(s.Targets); err != nil {
		t.Fatal(err)
	}
	f.AddContent(1, &Content{ID: "none", Request: json.RawMessage(`{"a":[1, "<b>"]}`)})
	f.AddContent(0, &Content{
		ID: "all", Request: json.RawMessage("{\n\"n\":1e2}"), RawError: weir.Some("one\ntwo"),
		Answer: &Answer{
			ChoiceContent: ChoiceContent{Text: "a < b", Reasoning: "hm", ToolCalls: []ToolContent{{"id", "f", `{"a`}}},
			Finish:        weir.Some("stop"), Choices: []ChoiceContent{{Text: "a < b"}, {Index: 1, Text: "c", Refusal: "no"}}, Cut: true,
		},
	})
	f.AddContent(0, &Content{ID: "empty", Request: json.RawMessage(`{}`), Answer: &Answer{}})
	if err := f.Close(nil, nil); err != nil {
		t.Fatal(err)
	}
	second := "content-2-" + strings.Repeat("-", 80) + ".jsonl"
	second = strings.Replace(second, "content-2-------", "content-2-..-..-", 1)
	for name, want := range map[string]string{
		"content-1-groq-llama-3.1-8b.jsonl": `{"id":"all","request":{"n":1e2},"answer":{"text":"a < b","reasoning":"hm","tool_calls":[{"id":"id","name":"f","arguments":"{\"a"}],"finish_reason":"stop",` +
			`"choices":[{"text":"a < b","reasoning":""},{"index":1,"text":"c","reasoning":"","refusal":"no"}],"cut":true},"raw_error":"one\ntwo"}` + "\n" +
			`{"id":"empty","request":{},"answer":{"text":"","reasoning":"","finish_reason":null},"raw_error":null}` + "\n",
		second: `{"id":"none","request":{"a":[1,"<b>"]},"answer":null,"raw_error":null}` + "\n",
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(b) != want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, b, want)
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestContentThatCannotBeKept is said at the end, and the run goes on.
func TestContentThatCannotBeKept(t *testing.T) {
	f, err := Create(t.TempDir(), "v0.0.0-test", handmade.Run().Settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.KeepContent(handmade.Run().Settings.Targets); err != nil {
		t.Fatal(err)
	}
	f.AddContent(0, &Content{ID: "broken", Request: json.RawMessage(`{`)})
	f.AddContent(0, &Content{ID: "after", Request: json.RawMessage(`{}`)})
	var e *weir.Error
	if err := f.Close(nil, nil); !errors.As(err, &e) || e.Code != "run_not_saved" || !strings.Contains(err.Error(), "broken") {
		t.Errorf("%v", err)
	}
}
