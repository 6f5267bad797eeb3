package splice_test

import (
	"errors"
	"reflect"
	"testing"

	"weir.dev/weir/internal/splice"
)

// asked is a Request's own fields in a form that compares and prints well.
type asked struct {
	Model, Previous, Prompt                                   string
	MaxTokens, N                                              int
	Stream, IncludeUsage, Tools, Logprobs, Structured, Images bool
}

func TestRequest(t *testing.T) {
	var r splice.Request
	for _, c := range []struct {
		body string
		want asked
	}{
		{`{}`, asked{N: 1}},
		{
			`{"model":"m","messages":[1],"stream":true,"stream_options":{"include_usage":true},"max_tokens":5,"n":2}`,
			asked{Model: "m", Prompt: "[1]", MaxTokens: 5, N: 2, Stream: true, IncludeUsage: true},
		},
		{
			`{"model":"m\u0041","prompt":"p","max_tokens":5,"max_completion_tokens":7,"logprobs":0}`,
			asked{Model: "mA", Prompt: `"p"`, MaxTokens: 7, N: 1, Logprobs: true},
		},
		{
			`{"input":"i","max_output_tokens":9.0,"previous_response_id":"resp_1","text":{"format":{"type":"json_schema"}},"top_logprobs":2}`,
			asked{Previous: "resp_1", Prompt: `"i"`, MaxTokens: 9, N: 1, Structured: true, Logprobs: true},
		},
		{`{"model":7,"stream":"true","stream_options":{"include_usage":1},"max_tokens":-1,"n":"2","previous_response_id":null}`, asked{N: 1}},
		{`{"model":null,"n":null,"tools":null,"logprobs":false,"top_logprobs":0,"response_format":null,"stream_options":null}`, asked{N: 1}},
		{`{"tools":[],"functions":[ ],"response_format":{"type":"text"},"text":{"format":{"type":"text"}},"logprobs":null}`, asked{N: 1}},
		{`{"tools":[ {}],"response_format":{"type":"json_object"},"logprobs":true}`, asked{N: 1, Tools: true, Structured: true, Logprobs: true}},
		{`{"functions":[{}],"output_format":{"type":"json_schema"}}`, asked{N: 1, Tools: true, Structured: true}},
		{`{"output_config":{"effort":"high"}}`, asked{N: 1}},
		{`{"output_config":{"format":{"type":"json_schema"}}}`, asked{N: 1, Structured: true}},
		{`{"stream":true,"stream":false}`, asked{N: 1}},

		{`{"messages":[{"content":[{"type":"image_url"}]}]}`, asked{N: 1, Images: true, Prompt: `[{"content":[{"type":"image_url"}]}]`}},
		{`{"messages":[{"content":[{"type" : "image"}]}]}`, asked{N: 1, Images: true, Prompt: `[{"content":[{"type" : "image"}]}]`}},
		{`{"input":[{"type":"input_image"}]}`, asked{N: 1, Images: true, Prompt: `[{"type":"input_image"}]`}},
		{`{"input":"\"type\":\"image\""}`, asked{N: 1, Prompt: `"\"type\":\"image\""`}},
		{`{"input":["type","image",{"type":"images"},{"image":"type"},{"type":["image"]}]}`, asked{N: 1, Prompt: `["type","image",{"type":"images"},{"image":"type"},{"type":["image"]}]`}},
		{`{"messages":[],"type":"image"}`, asked{N: 1, Prompt: "[]"}},
		{`{"type":"image","metadata":{"type":"image"},"tools":[{"type":"image"}]}`, asked{N: 1, Tools: true}},
	} {
		if err := r.Read([]byte(c.body)); err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		got := asked{
			string(r.Model), string(r.PreviousResponse), string(r.Prompt), r.MaxTokens, r.N,
			r.Stream, r.IncludeUsage, r.Tools, r.Logprobs, r.Structured, r.Images,
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.body, got, c.want)
		}
	}
	var fault *splice.SyntaxError
	if err := r.Read([]byte(`{"model":"m","messages":[}`)); !errors.As(err, &fault) || r.Model != nil || fault.Offset != 25 {
		t.Errorf("%v, model %q", err, r.Model)
	}
}

func TestRequestThenEdits(t *testing.T) {
	var r splice.Request
	if err := r.Read([]byte(`{"messages":[ {"role":"user","content":"model"} ], "model": "fast", "seed":1234567890123456789012}`)); err != nil {
		t.Fatal(err)
	}
	var e splice.Edits
	e.SetString("model", "gpt-5")
	e.SetIn("stream_options", "include_usage", []byte("true"))
	out, err := e.AppendTo(nil, &r.Object)
	const want = `{"messages":[ {"role":"user","content":"model"} ], "model": "gpt-5", "seed":1234567890123456789012,"stream_options":{"include_usage":true}}`
	if err != nil || string(out) != want {
		t.Errorf("%s %v", out, err)
	}
}
