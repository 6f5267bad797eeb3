package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const streams = "../../internal/dialect/testdata/streams"

// TestInspectCases runs every recorded stream through the command, from a file
// and from standard input, and compares what it prints with the case's JSON.
func TestInspectCases(t *testing.T) {
	cases, err := filepath.Glob(streams + "/*.json")
	if err != nil || len(cases) < 60 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, path := range cases {
		id := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(id, func(t *testing.T) {
			want := wantedOf(t, path)
			file := recording(t, strings.TrimSuffix(path, ".json"))
			code := 1
			if want["outcome"] == "ok" {
				code = 0
			}
			fromFile := runWeir(t, "inspect", file, "-o", "json")
			compareInspection(t, fromFile, code, want)
			fromStdin := weirWith(t.Context(), nil, string(readFile(t, file)), "inspect", "-o", "json")
			if fromStdin != fromFile {
				t.Errorf("from standard input: %+v, from the file: %+v", fromStdin, fromFile)
			}
			text := runWeir(t, "inspect", file)
			if text.code != code || !strings.Contains("\n"+text.out, fmt.Sprintf("\noutcome            %s", want["outcome"])) {
				t.Errorf("as text: code %d\n%s", text.code, text.out)
			}
			if strings.ContainsFunc(text.out, func(r rune) bool { return r < ' ' && r != '\n' }) {
				t.Errorf("as text: control characters in %q", text.out)
			}
		})
	}
}

// inspectKeys are the keys that issue 2 names; choices is there only where
// there is more than one.
var inspectKeys = []string{
	"output_text", "reasoning_text", "refusal_text", "tool_calls", "prompt_tokens", "cached_tokens", "completion_tokens",
	"reasoning_tokens", "output_events", "first_output_event", "finish_reason", "outcome", "error_type", "http_status",
	"retry_after_ms", "buffered", "warnings",
}

func compareInspection(t *testing.T, o outcome, code int, want map[string]any) {
	t.Helper()
	if o.code != code || o.err != "" {
		t.Errorf("exit code %d, want %d; standard error %q", o.code, code, o.err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(o.out), &got); err != nil {
		t.Fatalf("%v\n%s", err, o.out)
	}
	for _, key := range inspectKeys {
		if _, ok := got[key]; !ok {
			t.Errorf("no %q in %v", key, slices.Sorted(maps.Keys(got)))
		}
	}
	if _, has := got["choices"]; has != (want["choices"] != nil) {
		t.Errorf("choices are there: %v", has)
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if d := cmp.Diff(want[key], got[key]); d != "" {
			t.Errorf("%s (-want +got):\n%s", key, d)
		}
	}
}

// wantedOf turns a case's JSON into inspect's, by the rules of cases.md: keys
// that only apply at times are compared where the case has them.
func wantedOf(t *testing.T, path string) map[string]any {
	t.Helper()
	var c map[string]any
	if err := json.Unmarshal(readFile(t, path), &c); err != nil {
		t.Fatal(path, err)
	}
	want := map[string]any{"outcome": "ok", "warnings": []any{}, "tool_calls": []any{}, "retry_after_ms": nil}
	if c["error"] != nil {
		want["outcome"] = c["error"]
	}
	for from, to := range map[string]string{"content_events": "output_events", "first_output_event_index": "first_output_event", "api": "dialect"} {
		if v, ok := c[from]; ok {
			want[to] = v
		}
	}
	for _, key := range append([]string{"choices"}, inspectKeys...) {
		if v, ok := c[key]; ok {
			want[key] = v
		}
	}
	if recipe, ok := want["output_text"].(map[string]any); ok {
		want["output_text"] = strings.Repeat(recipe["repeat"].(string), int(recipe["times"].(float64)))
	}
	if _, timed := c["timeline"]; timed {
		delete(want, "buffered") // judged by arrival times, and a recording has none
	}
	return want
}

// recording finds a case's bytes; S15's are made as its JSON says.
func recording(t *testing.T, base string) string {
	t.Helper()
	for _, ext := range []string{".sse", ".http"} {
		if _, err := os.Stat(base + ext); err == nil {
			return base + ext
		}
	}
	if filepath.Base(base) != "S15" {
		t.Fatalf("no bytes for %s", base)
	}
	path := filepath.Join(t.TempDir(), "S15.sse")
	if err := os.WriteFile(path, longLine(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// longLine is S15's recipe.
func longLine() []byte {
	var b bytes.Buffer
	for _, data := range []string{
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
		`{"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", 70000) + `"},"finish_reason":null}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":17500,"total_tokens":17509}}`,
		`[DONE]`,
	} {
		fmt.Fprintf(&b, "data: %s\n\n", data)
	}
	return b.Bytes()
}
