package dialect

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

// seen is what these tests compare: one line for how it ended, one for what
// was generated.
type seen struct {
	Outcome   weir.Outcome
	Finish    string
	Text      string
	Reasoning string
	Calls     []InspectedCall
	Events    int
	Usage     string
	Warnings  []string
}

func readAll(d weir.Dialect, body string, end error) seen {
	a := new(Answer)
	r := NewReader(Options{Dialect: d, Stream: true, Answer: a})
	r.Feed([]byte(body), weir.Stamp{})
	res := r.End(end)
	in := inspection(r, res, a)
	u, _ := json.Marshal(res.Usage)
	return seen{in.Outcome, in.FinishReason.Or(""), in.OutputText, in.ReasoningText, in.ToolCalls, in.OutputEvents, string(u), res.Warnings}
}

func usage(prompt, cached, write, completion, reasoning string) string {
	return `{"prompt_tokens":` + prompt + `,"cached_tokens":` + cached + `,"cache_write_tokens":` + write +
		`,"completion_tokens":` + completion + `,"reasoning_tokens":` + reasoning + `}`
}

func stream(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

func TestDialects(t *testing.T) {
	none := usage("null", "null", "null", "null", "null")
	for _, c := range []struct {
		name    string
		dialect weir.Dialect
		body    string
		end     error
		want    seen
	}{
		{
			"completions", weir.OpenAICompletions,
			stream(`{"object":"text_completion","choices":[{"index":0,"text":"Hi","finish_reason":null}]}`,
				`{"object":"text_completion","choices":[{"index":0,"text":" you","finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, `[DONE]`),
			nil,
			seen{Outcome: weir.OK, Finish: "length", Text: "Hi you", Events: 2, Usage: usage("1", "null", "null", "2", "null")},
		},
		{
			"responses", weir.OpenAIResponses,
			stream(`{"type":"response.created","response":{"object":"response","id":"r","model":"m","status":"in_progress","output":[],"usage":null,"error":null}}`,
				`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","summary":[]}}`,
				`{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"hm"}`,
				`{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","name":"f","arguments":""}}`,
				`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{}"}`,
				`{"type":"response.output_text.delta","output_index":2,"delta":"Hi"}`,
				`{"type":"response.output_text.done","output_index":2,"text":"Hi"}`,
				`{"type":"response.completed","response":{"object":"response","id":"r","model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]}],"usage":{"input_tokens":5,"input_tokens_details":{"cached_tokens":3},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":14}}}`),
			nil,
			seen{Outcome: weir.OK, Finish: "completed", Text: "Hi", Reasoning: "hm", Calls: []InspectedCall{{"f", "{}"}}, Events: 4, Usage: usage("5", "3", "null", "9", "4")},
		},
		{
			"responses incomplete", weir.OpenAIResponses,
			stream(`{"type":"response.output_text.delta","delta":"Hi"}`,
				`{"type":"response.incomplete","response":{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":5,"output_tokens":1}}}`),
			nil,
			seen{Outcome: weir.OK, Finish: "max_output_tokens", Text: "Hi", Events: 1, Usage: usage("5", "null", "null", "1", "null")},
		},
		{
			"responses failed", weir.OpenAIResponses,
			stream(`{"type":"response.output_text.delta","delta":"Hi"}`,
				`{"type":"response.failed","response":{"object":"response","status":"failed","error":{"code":"server_error","message":"x"}}}`),
			nil,
			seen{Outcome: weir.UpstreamError, Text: "Hi", Events: 1, Usage: none},
		},
		{
			"responses error event", weir.OpenAIResponses,
			stream(`{"type":"error","code":"rate_limit_exceeded","message":"slow down","param":null}`),
			nil,
			seen{Outcome: weir.RateLimited, Usage: none},
		},
		{
			"responses cut", weir.OpenAIResponses, stream(`{"type":"response.output_text.delta","delta":"Hi"}`),
			nil,
			seen{Outcome: weir.Truncated, Text: "Hi", Events: 1, Usage: none},
		},
		{
			"responses, not streamed", weir.OpenAIResponses,
			`{"object":"response","status":"completed","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"Hi"}]},{"type":"function_call","name":"f","arguments":"{}"}],"usage":{"input_tokens":5,"output_tokens":1}}`,
			nil,
			seen{Outcome: weir.NotStreamed, Finish: "completed", Text: "Hi", Reasoning: "hm", Calls: []InspectedCall{{"f", "{}"}}, Usage: usage("5", "null", "null", "1", "null")},
		},
		{
			"anthropic tools and caches", weir.Anthropic,
			stream(`{"type":"message_start","message":{"id":"m","model":"c","content":[],"usage":{"input_tokens":5,"cache_read_input_tokens":2,"cache_creation_input_tokens":3,"output_tokens":1}}}`,
				`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}`,
				`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"xx"}}`,
				`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":8}}`),
			nil,
			seen{Outcome: weir.OK, Finish: "tool_use", Calls: []InspectedCall{{"f", `{"a":1}`}}, Events: 2, Usage: usage("10", "2", "3", "8", "null")},
		},
		{
			"anthropic, not streamed", weir.Anthropic,
			`{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"Hi"},{"type":"tool_use","name":"f","input":{"a":1}}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":7}}`,
			nil,
			seen{Outcome: weir.NotStreamed, Finish: "end_turn", Text: "Hi", Reasoning: "hm", Calls: []InspectedCall{{"f", `{"a":1}`}}, Usage: usage("1", "null", "null", "7", "null")},
		},
		{
			"gemini calls, last finish", weir.Gemini,
			stream(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":1}}},{"functionCall":{"name":"f","args":{"a":2}}}]},"finishReason":"OTHER"}]}`,
				`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":4,"cachedContentTokenCount":2,"candidatesTokenCount":6}}`),
			nil,
			seen{Outcome: weir.OK, Finish: "STOP", Calls: []InspectedCall{{"f", `{"a":1}`}, {"f", `{"a":2}`}}, Events: 1, Usage: usage("4", "2", "null", "6", "null")},
		},
		{
			"gemini without alt=sse", weir.Gemini,
			`[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},` + "\n" + `{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2}}]`,
			nil,
			seen{Outcome: weir.NotStreamed, Finish: "STOP", Text: "ab", Usage: usage("1", "null", "null", "2", "null")},
		},
		{
			"gemini blocked", weir.Gemini, stream(`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4}}`),
			nil,
			seen{Outcome: weir.BadRequest, Usage: usage("4", "null", "null", "null", "null")},
		},
		{
			"ollama", weir.Ollama,
			`{"message":{"role":"assistant","content":"a"},"done":false}` + "\n\n" +
				`{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{"x":1}}},{"function":{"name":"f","arguments":{"x":2}}}]},"done":false}` + "\r\n" +
				`{"message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":4,"eval_count":7}`,
			nil,
			seen{Outcome: weir.OK, Finish: "stop", Text: "a", Calls: []InspectedCall{{"f", `{"x":1}`}, {"f", `{"x":2}`}}, Events: 2, Usage: usage("4", "null", "null", "7", "null")},
		},
		{
			"ollama generate, cut", weir.Ollama, `{"response":"a","done":false}` + "\n" + `{"response":"b","do`,
			io.ErrUnexpectedEOF,
			seen{Outcome: weir.Truncated, Text: "a", Events: 1, Usage: none},
		},
		{
			"reasoning details, text and summary", weir.OpenAIChat,
			stream(`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.summary","summary":"sum"},{"type":"reasoning.encrypted","data":"zz"}]}}]}`,
				`{"choices":[{"delta":{"reasoning":"plain","reasoning_details":[{"type":"reasoning.text","text":"plain"}]}}]}`,
				`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`, `[DONE]`),
			nil,
			seen{Outcome: weir.OK, Finish: "stop", Text: "x", Reasoning: "sumplain", Events: 3, Usage: none},
		},
		{
			"a message repeated beside each delta is not output", weir.OpenAIChat,
			stream(`{"choices":[{"message":{"content":"He"},"delta":{"content":"He"}}]}`, `{"choices":[{"delta":{"content":"y"},"message":{"content":"Hey"},"finish_reason":"stop"}]}`),
			nil,
			seen{Outcome: weir.OK, Finish: "stop", Text: "Hey", Events: 2, Usage: none},
		},
		{
			"calls under one index with ids of their own", weir.OpenAIChat,
			stream(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":{"k":1}}}]},"finish_reason":"tool_calls"}]}`),
			nil,
			seen{Outcome: weir.OK, Finish: "tool_calls", Calls: []InspectedCall{{"f", "{}"}, {"g", `{"k":1}`}}, Events: 2, Usage: none},
		},
		{
			"interleaved calls by index, name repeated", weir.OpenAIChat,
			stream(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}},{"index":1,"id":"b","function":{"name":"g","arguments":"1"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"2"}}]},"finish_reason":"tool_calls"}]}`),
			nil,
			seen{Outcome: weir.OK, Finish: "tool_calls", Calls: []InspectedCall{{"f", "2"}, {"g", "1"}}, Events: 2, Usage: none},
		},
		{
			"usage inside the choice", weir.OpenAIChat,
			stream(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop","usage":{"prompt_tokens":3,"completion_tokens":1}}]}`),
			nil,
			seen{Outcome: weir.OK, Finish: "stop", Text: "x", Events: 1, Usage: usage("3", "null", "null", "1", "null")},
		},
		{
			"reasoning outside completion_tokens", weir.OpenAIChat,
			stream(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":10}}}`),
			nil,
			seen{Outcome: weir.OK, Finish: "stop", Text: "x", Events: 1, Usage: usage("3", "null", "null", "11", "10"), Warnings: []string{weir.WarnReasoningOutside}},
		},
		{
			"an error after the finish is an error", weir.OpenAIChat,
			stream(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`, `{"error":{"message":"late"}}`),
			nil,
			seen{Outcome: weir.UpstreamError, Finish: "stop", Text: "x", Events: 1, Usage: none},
		},
		{
			"n=2, one choice unfinished", weir.OpenAIChat,
			stream(`{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"},{"index":1,"delta":{"content":"y"}}]}`),
			nil,
			seen{Outcome: weir.Truncated, Finish: "stop", Text: "x", Events: 1, Usage: none},
		},
		{
			"escapes, split surrogate pairs", weir.OpenAIChat,
			stream(`{"choices":[{"delta":{"content":"\"\\\/\b\f\n\r\t\u00e9\ud83c\udf0d\ud83c"},"finish_reason":"stop"}]}`),
			nil,
			seen{Outcome: weir.OK, Finish: "stop", Text: "\"\\/\b\f\n\r\té🌍\ufffd", Events: 1, Usage: none},
		},
		{
			"a raw control character is no JSON", weir.OpenAIChat, stream("{\"choices\":[{\"delta\":{\"content\":\"a\tb\"}}]}", `[DONE]`),
			nil,
			seen{Outcome: weir.Malformed, Usage: none},
		},
		{
			"pending event, clean end", weir.OpenAIChat, `data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`,
			nil,
			seen{Outcome: weir.OK, Finish: "stop", Text: "x", Events: 1, Usage: none},
		},
		{
			"pending event, unclean end", weir.OpenAIChat, `data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}` + "\n",
			errors.New("reset"),
			seen{Outcome: weir.EmptyResponse, Usage: none},
		},
		{"comments only", weir.OpenAIChat, ": a\n\n: b\n\n", nil, seen{Outcome: weir.EmptyResponse, Usage: none}},
		{"blanks only", weir.OpenAIChat, " \r\n\n", nil, seen{Outcome: weir.EmptyResponse, Usage: none}},
		{"plain text", weir.OpenAIChat, "upstream connect error", nil, seen{Outcome: weir.Malformed, Usage: none}},
		{"JSON that is no answer", weir.OpenAIChat, `{"status":"ok"}`, nil, seen{Outcome: weir.Malformed, Usage: none}},
		{"half a JSON answer", weir.OpenAIChat, `{"choices":[{"mess`, io.ErrUnexpectedEOF, seen{Outcome: weir.Truncated, Usage: none}},
		{"error as text", weir.OpenAIChat, `{"error":"boom"}`, nil, seen{Outcome: weir.UpstreamError, Usage: none}},
		{"finish_reason error", weir.OpenAIChat, stream(`{"choices":[{"delta":{"content":"x"},"finish_reason":"error"}]}`), nil, seen{Outcome: weir.UpstreamError, Finish: "error", Text: "x", Events: 1, Usage: none}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want.Calls == nil {
				c.want.Calls = []InspectedCall{}
			}
			if d := cmp.Diff(c.want, readAll(c.dialect, c.body, c.end)); d != "" {
				t.Error(d)
			}
			if got := Guess([]byte(c.body)); got != c.dialect && strings.Contains(c.body, `"`) && !strings.Contains(c.name, "error") {
				t.Errorf("guessed %s, want %s", got, c.dialect)
			}
		})
	}
}

func TestLineCap(t *testing.T) {
	for name, body := range map[string]string{
		"event":  "data: " + strings.Repeat("x", 2000) + "\n\n",
		"object": `{"choices":"` + strings.Repeat("x", 2000) + `"}`,
	} {
		r := NewReader(Options{Dialect: weir.OpenAIChat, Stream: true, LineCap: 1000})
		for _, b := range bytes.SplitAfter([]byte(body), nil) {
			r.Feed(b, weir.Stamp{})
		}
		if res := r.End(nil); res.Outcome != weir.Malformed || !strings.HasSuffix(res.ErrorType, "_too_long") {
			t.Errorf("%s: %s %s, want malformed, ..._too_long", name, res.Outcome, res.ErrorType)
		}
	}
}

// What inspect and a not-streaming caller need: a JSON answer that was asked
// for is ok.
func TestNotAskedToStream(t *testing.T) {
	for d, body := range map[weir.Dialect]string{
		weir.OpenAIChat: `{"object":"chat.completion","choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}`,
		weir.Ollama:     `{"message":{"content":"Hi"},"done":true,"done_reason":"stop"}`,
	} {
		r := NewReader(Options{Dialect: d})
		r.Feed([]byte(body), weir.Stamp{})
		if res := r.End(nil); res.Outcome != weir.OK || len(r.Ticks) != 0 || res.Chars != 2 {
			t.Errorf("%s: %s with %d ticks, %d chars; want ok, 0, 2", d, res.Outcome, len(r.Ticks), res.Chars)
		}
	}
}

// W08: what the head says of the coding may be wrong.
func TestContentCoding(t *testing.T) {
	plain := stream(`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, `[DONE]`)
	pack := func(w func(io.Writer) io.WriteCloser) string {
		var b bytes.Buffer
		z := w(&b)
		io.WriteString(z, plain)
		z.Close()
		return b.String()
	}
	gz := pack(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	zl := pack(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	fl := pack(func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 6); return f })
	for _, c := range []struct{ name, encoding, body string }{
		{"gzip", "gzip", gz},
		{"x-gzip", "X-Gzip", gz},
		{"zlib", "deflate", zl},
		{"raw deflate", "deflate", fl},
		{"plain, said to be gzip", "gzip", plain},
		{"gzip, said to be plain", "identity", gz},
	} {
		raw := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: " + c.encoding + "\r\n\r\n" + c.body
		got, err := Inspect(strings.NewReader(raw), InspectOptions{})
		if err != nil || got.Outcome != weir.OK || got.OutputText != "Hi" {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
	cut := "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gz[:len(gz)/2]
	if got, err := Inspect(strings.NewReader(cut), InspectOptions{}); err != nil || got.Outcome == weir.OK {
		t.Errorf("cut gzip: %+v, %v", got, err)
	}
}

// FuzzReader: any bytes, any split, any dialect give one result, without a
// panic; and knowing the frame of earlier events changes nothing.
func FuzzReader(f *testing.F) {
	for _, c := range cases(f) {
		if len(c.raw) < 4000 {
			f.Add(c.raw, uint16(len(c.raw)/2), uint8(0))
			f.Add(c.raw, uint16(len(c.raw)/3), uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, at uint16, d uint8) {
		dialect := weir.Dialects()[int(d)%len(weir.Dialects())]
		cut := int(at) % (len(in) + 1)
		whole := fuzzed(dialect, false, in)
		if diff := cmp.Diff(whole, fuzzed(dialect, false, in[:cut], in[cut:])); diff != "" {
			t.Errorf("split at %d: %s", cut, diff)
		}
		if diff := cmp.Diff(whole, fuzzed(dialect, false, bytes.SplitAfter(in, nil)...)); diff != "" {
			t.Errorf("one byte at a time: %s", diff)
		}
		if diff := cmp.Diff(whole, fuzzed(dialect, true, in)); diff != "" {
			t.Errorf("without the memo: %s", diff)
		}
	})
}

type fuzzResult struct {
	Ticks  []weir.Tick
	Result string
	Answer string
}

func fuzzed(d weir.Dialect, forget bool, pieces ...[]byte) fuzzResult {
	a := new(Answer)
	r := NewReader(Options{Dialect: d, Stream: true, Answer: a, LineCap: 1 << 16})
	if forget {
		r.opts.OnEvent = func(weir.Tick, []byte, []byte) { r.memo = memo{} }
	}
	for _, p := range pieces {
		r.Feed(p, weir.Stamp{})
	}
	res := r.End(nil)
	out, _ := json.Marshal(inspection(r, res, a))
	return fuzzResult{append([]weir.Tick{}, r.Ticks...), string(out), res.ID + "|" + res.Model}
}

// encoding/json is the arbiter of what is JSON.
func FuzzCursorAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e-3,true,null,"x\u00e9"],"b":{}}`, `[1,]`, `{"a":1,}`, `01`, `-`, `"\x"`, `nul`, ` 1 `, `{"a" 1}`, `1 2`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		c := cursor{b: in}
		c.skip()
		if got, want := c.whole(), json.Valid(in); got != want && bytes.Count(in, []byte{'['})+bytes.Count(in, []byte{'{'}) < maxDepth {
			t.Errorf("%q: valid %v, want %v", in, got, want)
		}
	})
}

func TestCursorOnBrokenJSON(t *testing.T) {
	for s, want := range map[string]bool{
		`{}`: true, `[]`: true, `{"a":1}`: true, ` [ 1 , 2 ] `: true, `-0.5e+10`: true, `"\ud83c"`: true,
		``: false, `{`: false, `[1,]`: false, `{"a":1,}`: false, `{,"a":1}`: false, `{"a"}`: false, `{"a":}`: false, `01`: false,
		`1.`: false, `.5`: false, `+1`: false, `"a`: false, `"\q"`: false, `"\u12"`: false, `tru`: false, `truex`: false, `1 2`: false, `{"a":1 "b":2}`: false, `[1 2]`: false,
	} {
		c := cursor{b: []byte(s)}
		c.skip()
		if c.whole() != want || json.Valid([]byte(s)) != want {
			t.Errorf("%q: valid %v, want %v", s, c.whole(), want)
		}
	}
}
