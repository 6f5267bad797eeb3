package bench

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
)

func TestReadTrace(t *testing.T) {
	sec := time.Second
	for _, c := range []struct {
		name, text string
		o          TraceOptions
		form       string
		want       []Item
		skipped    int
	}{
		{"ours", "{\"timestamp_ms\":1000,\"input_tokens\":10,\"output_tokens\":3}\n\n{\"timestamp_ms\":1500.5,\"input_tokens\":20}\n", TraceOptions{}, "weir", []Item{{0, 10, 3}, {500500 * time.Microsecond, 20, 0}}, 0},
		{"ours, with dates", `{"timestamp":"2026-11-30T10:00:00Z"}` + "\n" + `{"timestamp":"2026-11-30T10:00:01.25Z"}`, TraceOptions{}, "weir", []Item{{}, {At: 1250 * ms}}, 0},
		{"ours, an epoch", `{"timestamp":1796000000000}` + "\n" + `{"timestamp":1796000000040}`, TraceOptions{}, "weir", []Item{{}, {At: 40 * ms}}, 0},
		{"ours, not in order, with a mark", "\ufeff" + ` {"timestamp":20}` + "\r\n" + `{"timestamp":10,"input_tokens":7}` + "\r\n", TraceOptions{}, "weir", []Item{{0, 7, 0}, {At: 10 * ms}}, 0},
		{"Mooncake", `{"timestamp": 0, "input_length": 6755, "output_length": 500, "hash_ids": [0, 1, 2]}` + "\n" + `{"timestamp": 3052, "input_length": 7319, "output_length": 490, "hash_ids": [0, 14]}`, TraceOptions{Speed: 2}, "mooncake", []Item{{0, 6755, 500}, {1526 * ms, 7319, 490}}, 0},
		{"BurstGPT", "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n45,ChatGPT,1087,0,1087,Conversation log\n118.0,GPT-4,417,276,693,\"Conversation log\"\n", TraceOptions{}, "burstgpt", []Item{{0, 472, 18}, {113 * sec, 417, 276}}, 1},
		{"BurstGPT, later columns", "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens\n1,a,2,m,3,4\n", TraceOptions{}, "burstgpt", []Item{{0, 3, 4}}, 0},
		{"the first two", `{"timestamp":0}` + "\n" + `{"timestamp":1}` + "\nnonsense", TraceOptions{Max: 2}, "weir", []Item{{}, {At: ms}}, 0},
	} {
		rec, err := ReadTrace(strings.NewReader(c.text), c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if rec.Form != c.form || !slices.Equal(rec.Items, c.want) || rec.Skipped != c.skipped {
			t.Errorf("%s: %+v, want %+v", c.name, rec, c.want)
		}
		if err := Replay(rec.Items).check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestBadTraces(t *testing.T) {
	for want, text := range map[string]string{
		"empty":                         " \n",
		"line 2":                        "{\"timestamp\":1}\n{\"timestamp\":\n",
		"line 3: it has no timestamp":   "{\"timestamp\":1}\n\n{}\n",
		"neither milliseconds":          `{"timestamp":"noon"}`,
		"a timestamp of -1":             `{"timestamp_ms":-1}`,
		"-3 input tokens":               `{"timestamp_ms":1,"input_tokens":-3}`,
		"1.5 output tokens":             `{"timestamp_ms":1,"output_tokens":1.5}`,
		"1e+09 input tokens":            `{"timestamp_ms":1,"input_length":1e9}`,
		"more than":                     "{\"timestamp_ms\":1}\n{\"timestamp_ms\":9e12}",
		`no column "Request tokens"`:    "Timestamp,Model\n1,x\n",
		`line 2: "x" is no number`:      "Timestamp,Request tokens,Response tokens\nx,1,1\n",
		"line 3: wrong number of field": "Timestamp,Request tokens,Response tokens\n1,1,1\n1,1\n",
		"has no request":                "Timestamp,Request tokens,Response tokens\n1,1,0\n",
		"line 1 is longer":              `{"timestamp_ms":1,"x":"` + strings.Repeat("x", maxTraceLine) + `"}`,
		"a line of the trace is longer": "Timestamp,Request tokens,Response tokens," + strings.Repeat("x", 2*maxTraceLine),
	} {
		_, err := ReadTrace(strings.NewReader(text), TraceOptions{})
		var e *weir.Error
		if !errors.As(err, &e) || e.Hint == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	if _, err := ReadTrace(strings.NewReader("{}"), TraceOptions{Speed: -1}); err == nil {
		t.Error("a negative speed was taken")
	}
}

func FuzzReadTrace(f *testing.F) {
	f.Add(`{"timestamp_ms":1,"input_tokens":3,"output_tokens":4}`)
	f.Add(`{"timestamp":"2026-11-30T10:00:00Z","input_length":3}`)
	f.Add("Timestamp,Model,Request tokens,Response tokens\n1,m,3,4\n")
	f.Fuzz(func(t *testing.T, text string) {
		rec, err := ReadTrace(strings.NewReader(text), TraceOptions{Max: 100})
		if err != nil {
			return
		}
		if err := Replay(rec.Items).check(); err != nil || rec.Items[0].At != 0 || len(rec.Items) > 100 {
			t.Errorf("%+v: %v", rec, err)
		}
	})
}
