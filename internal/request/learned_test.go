package request

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

// The texts are those that the named servers answer with.
func TestFrom400(t *testing.T) {
	const (
		openAITokens  = `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`
		vllmExtra     = `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {'include_usage': True}}]","type":"BadRequestError","param":null,"code":400}`
		mistralExtra  = `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted","input":{"include_usage":true}}]},"type":"invalid_request_error","param":null,"code":null}`
		fastAPI       = `{"detail":[{"type":"extra_forbidden","loc":["body","ignore_eos"],"msg":"Extra inputs are not permitted"},{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`
		openAIArg     = `{"error":{"message":"Unrecognized request argument supplied: stream_options","type":"invalid_request_error","param":null,"code":null}}`
		openAIDefault = `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`
	)
	for _, c := range []struct {
		name    string
		dialect weir.Dialect
		body    string
		want    []string // what is dropped, or the limit's new name
	}{
		{"openai max_tokens", weir.OpenAIChat, openAITokens, []string{newTokensName}},
		{"the same without param", weir.OpenAIChat, `Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.`, []string{newTokensName}},
		{"azure", weir.OpenAIChat, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, []string{newTokensName}},
		{"openai temperature", weir.OpenAIChat, openAIDefault, []string{"temperature"}},
		{"responses temperature", weir.OpenAIResponses, `{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","type":"invalid_request_error","param":"temperature","code":null}}`, []string{"temperature"}},
		{"anthropic temperature", weir.Anthropic, `{"type":"error","error":{"type":"invalid_request_error","message":"` + "`temperature`" + ` is deprecated for this model."}}`, []string{"temperature"}},
		{"openai argument", weir.OpenAIChat, openAIArg, []string{"stream_options"}},
		{"vllm extra", weir.OpenAIChat, vllmExtra, []string{"stream_options"}},
		{"mistral extra", weir.OpenAIChat, mistralExtra, []string{"stream_options"}},
		{"fastapi, two at once", weir.OpenAIChat, fastAPI, []string{"stream_options", "ignore_eos"}},
		{"ignore_eos", weir.OpenAIChat, `{"error":{"message":"Unrecognized request argument supplied: ignore_eos","type":"invalid_request_error"}}`, []string{"ignore_eos"}},
		{"groq", weir.OpenAIChat, `{"error":{"message":"property 'ignore_eos' is unsupported","type":"invalid_request_error"}}`, []string{"ignore_eos"}},
		{"reasoning_effort", weir.OpenAIChat, `{"error":{"message":"Unrecognized request argument supplied: reasoning_effort"}}`, []string{"reasoning_effort"}},
		{"reasoning.effort", weir.OpenAIResponses, `{"error":{"message":"Unsupported parameter: 'reasoning.effort' is not supported with this model.","param":"reasoning.effort"}}`, []string{"reasoning_effort"}},
		{"gemini thinking", weir.Gemini, `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"thinkingLevel\" at 'generation_config.thinking_config': Cannot find field.","status":"INVALID_ARGUMENT"}}]`, []string{"reasoning_effort"}},
		{"ollama thinking", weir.Ollama, `{"error":"\"llama3\" does not support thinking"}`, []string{"reasoning_effort"}},

		{"limit too large", weir.OpenAIChat, `{"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.","param":"max_tokens","code":"invalid_value"}}`, nil},
		{"temperature out of range", weir.OpenAIChat, `{"error":{"message":"Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.","param":"temperature"}}`, nil},
		{"effort's value", weir.OpenAIChat, `{"error":{"message":"Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'low', 'medium', and 'high'.","param":"reasoning_effort","code":"unsupported_value"}}`, nil},
		{"context length", weir.OpenAIChat, `{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`, nil},
		{"a longer name", weir.OpenAIChat, `Unrecognized request argument supplied: my_temperature_2`, nil},
		{"html", weir.OpenAIChat, `<html><body>Bad Request</body></html>`, nil},
		{"nothing", weir.OpenAIChat, ``, nil},
	} {
		var l Learned
		changed := l.From400(c.dialect, []byte(c.body))
		got := l.Dropped()
		if l.known().newTokensName {
			got = append(got, newTokensName)
		}
		if d := cmp.Diff(c.want, got); d != "" || changed != (c.want != nil) {
			t.Errorf("%s: changed %v, %s", c.name, changed, d)
		}
	}
}

func TestWhatWasLearnedIsUsed(t *testing.T) {
	var l Learned
	for _, name := range []string{"stream_options", "temperature", "ignore_eos", "reasoning_effort", "max_tokens"} {
		if !l.From400(weir.OpenAIChat, []byte("unknown field: "+name)) {
			t.Errorf("%s: not learned", name)
		}
	}
	e, err := Encode("http://h", weir.OpenAIChat, full(), &l)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"max_completion_tokens":7,"stream":true}`; !strings.HasSuffix(string(e.Body), want) {
		t.Errorf("%s, want it to end with %s", e.Body, want)
	}
}

// An endpoint that refuses either name must not be asked for ever.
func TestTokensNameSwapsAreBounded(t *testing.T) {
	var l Learned
	retries := 0
	for l.From400(weir.OpenAIChat, []byte("unsupported parameter: "+l.known().maxTokens())) {
		retries++
	}
	if retries != maxSwaps || l.known().newTokensName {
		t.Errorf("%d retries, new name %v, want %d and the old name", retries, l.known().newTokensName, maxSwaps)
	}
}

// Requests in flight together are refused together; each retry differs from
// what was refused, and the name changes once.
func TestConcurrentRefusals(t *testing.T) {
	var l Learned
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if !l.From400(weir.OpenAIChat, []byte("unsupported parameter: max_tokens")) {
				t.Error("a retry would differ")
			}
		})
	}
	all.Wait()
	if k := l.known(); !k.newTokensName || k.swaps != 1 {
		t.Errorf("%+v, want one swap to the new name", k)
	}
}

// What is known of an endpoint beforehand is as good as what it refused, and
// the name of the limit can still change back.
func TestAssume(t *testing.T) {
	var l Learned
	l.Assume("max_tokens", "temperature", "stream_options", "a field that is never sent")
	if d := cmp.Diff([]string{"stream_options", "temperature"}, l.Dropped()); d != "" {
		t.Error(d)
	}
	e, err := Encode("http://h", weir.OpenAIChat, full(), &l)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"max_completion_tokens":7,"reasoning_effort":"low","ignore_eos":true,"stream":true}`; !strings.HasSuffix(string(e.Body), want) {
		t.Errorf("%s, want it to end with %s", e.Body, want)
	}
	if !l.From400(weir.OpenAIChat, []byte("unknown field: max_completion_tokens")) || l.known().newTokensName {
		t.Error("a refusal of the newer name teaches nothing")
	}
}
