package splice_test

import (
	"testing"

	"weir.dev/weir/internal/splice"
)

func TestEvents(t *testing.T) {
	fill := splice.Events{Model: "m"}
	rewrite := splice.Events{Model: "m", Rewrite: true}
	strip := splice.Events{DropUsage: true}
	both := splice.Events{Model: "m", Rewrite: true, DropUsage: true}
	for _, c := range []struct {
		name   string
		e      *splice.Events
		in     string
		change splice.Change
		out    string // empty: as in
	}{
		{"nothing to do", &splice.Events{}, `{"model":"","usage":{}}`, splice.Kept, ""},
		{"chat, named", &fill, `{"model":"x","choices":[{"delta":{"content":""}}]}`, splice.Kept, ""},
		{"Azure's first", &fill, `{"choices":[],"model":"","prompt_filter_results":[]}`, splice.Edited, `{"choices":[],"model":"m","prompt_filter_results":[]}`},
		{"spaced", &fill, "{ \"model\" :\t\"\" }", splice.Edited, "{ \"model\" :\t\"m\" }"},
		{"null", &fill, `{"model":null}`, splice.Edited, `{"model":"m"}`},
		{"missing", &fill, `{"choices":[{"delta":{"content":"\"model\":\"\""}}]}`, splice.Kept, ""},
		{"not an outer one", &fill, `{"choices":[{"model":""}],"model":"x"}`, splice.Kept, ""},
		{"no object", &fill, `[{"model":""}]`, splice.Kept, ""},
		{"broken", &both, `{"model":"","usage":{}`, splice.Kept, ""},
		{"done", &both, `[DONE]`, splice.Kept, ""},
		{"not UTF-8", &rewrite, "{\"model\":\"x\",\"t\":\"\xff\"}", splice.Edited, "{\"model\":\"m\",\"t\":\"\xff\"}"},

		{"chat", &rewrite, `{"model":"x","z":"model"}`, splice.Edited, `{"model":"m","z":"model"}`},
		{"already", &rewrite, `{"model":"m","choices":[]}`, splice.Kept, ""},
		{"already, escaped", &rewrite, `{"model":"\u006d","choices":[]}`, splice.Kept, ""},
		{"a longer name", &rewrite, `{"model":"m2"}`, splice.Edited, `{"model":"m"}`},
		{"no name", &rewrite, `{"model":{"id":"x"}}`, splice.Kept, ""},
		{"responses", &rewrite, `{"type":"response.created","response":{"id":"r","model":"x","output":[{"model":"y"}]}}`, splice.Edited, `{"type":"response.created","response":{"id":"r","model":"m","output":[{"model":"y"}]}}`},
		{"responses, empty", &fill, `{"type":"response.created","response":{"model":""}}`, splice.Edited, `{"type":"response.created","response":{"model":"m"}}`},
		{"responses, none", &rewrite, `{"response":{"output":[{"model":"y"}]}}`, splice.Kept, ""},
		{"messages", &rewrite, `{"type":"message_start","message":{"model":"x","usage":{}}}`, splice.Edited, `{"type":"message_start","message":{"model":"m","usage":{}}}`},
		{"a message that is a text", &rewrite, `{"message":"{\"model\":\"x\"}","model":"x"}`, splice.Edited, `{"message":"{\"model\":\"x\"}","model":"m"}`},
		{"gemini", &rewrite, `{"candidates":[],"modelVersion":"x"}`, splice.Edited, `{"candidates":[],"modelVersion":"m"}`},
		{"a text that speaks of it", &rewrite, `{"choices":[{"delta":{"content":"\"model\": \"x\""}}]}`, splice.Kept, ""},

		{"usage null", &strip, `{"choices":[{}],"usage":null}`, splice.Edited, `{"choices":[{}]}`},
		{"usage first", &strip, `{"usage":{"a":1},"choices":[{}]}`, splice.Edited, `{"choices":[{}]}`},
		{"usage of the choice", &strip, `{"choices":[{"usage":{}}]}`, splice.Kept, ""},
		{"usage only", &strip, `{"choices": [ ],"usage":{"a":1}}`, splice.UsageOnly, ""},
		{"usage only, null choices", &strip, `{"choices":null,"usage":{"a":1}}`, splice.UsageOnly, ""},
		{"usage null and no choices", &strip, `{"choices":[],"usage":null,"prompt_filter_results":[]}`, splice.Edited, `{"choices":[],"prompt_filter_results":[]}`},
		{"usage and no list of choices", &strip, `{"usage":{"a":1},"x":1}`, splice.Edited, `{"x":1}`},
		{"both", &both, `{"model":"x","choices":[{}],"usage":null}`, splice.Edited, `{"model":"m","choices":[{}]}`},
		{"usage only of both", &both, `{"model":"x","choices":[],"usage":{}}`, splice.UsageOnly, ""},
	} {
		want := c.out
		if want == "" {
			want = c.in
		}
		if out, change := c.e.Edit([]byte(c.in)); string(out) != want || change != c.change {
			t.Errorf("%s: %d %s\nwant %d %s", c.name, change, out, c.change, want)
		}
		if got := strip.IsUsageOnly([]byte(c.in)); got != (c.change == splice.UsageOnly) {
			t.Errorf("%s: usage only is %v", c.name, got)
		}
	}
}
