package translate

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

func unmarshal(b []byte, into any) bool { return json.Unmarshal(b, into) == nil }

func TestProblem(t *testing.T) {
	for _, c := range []struct {
		to     weir.Dialect
		status int
		body   string
		want   string
	}{
		{
			weir.OpenAIChat, 529,
			`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}`,
			`{"error":{"message":"Overloaded","type":"overloaded_error","param":null,"code":null}}`,
		},
		{
			weir.OpenAIResponses, 429,
			`[{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}]`,
			`{"error":{"message":"slow down","type":"rate_limit_error","param":null,"code":"RESOURCE_EXHAUSTED"}}`,
		},
		{
			weir.OpenAIChat, 400,
			`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens"}}`,
			`{"error":{"message":"prompt is too long: 9 tokens","type":"invalid_request_error","param":null,"code":"context_length_exceeded"}}`,
		},
		{
			weir.Anthropic, 401,
			`{"error":{"message":"Incorrect API key","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			`{"type":"error","error":{"type":"invalid_request_error","message":"Incorrect API key"}}`,
		},
		{
			weir.Anthropic, 503,
			`{"error":{"code":503,"message":"try later","status":"UNAVAILABLE"}}`,
			`{"type":"error","error":{"type":"overloaded_error","message":"try later"}}`,
		},
		{weir.Anthropic, 502, `<html>bad gateway</html>`, `{"type":"error","error":{"type":"api_error","message":"Bad Gateway"}}`},
		{weir.OpenAIChat, 422, `{"detail":[{"msg":"field required"}]}`, `{"error":{"message":"field required","type":"invalid_request_error","param":null,"code":null}}`},
		{weir.OpenAIChat, 599, ``, `{"error":{"message":"the target failed","type":"server_error","param":null,"code":null}}`},
	} {
		if d := cmp.Diff(c.want, string(Problem(c.to, c.status, http.Header{}, []byte(c.body)))); d != "" {
			t.Errorf("%s to %s: %s", c.body, c.to, d)
		}
	}
}

// An error in a stream is told in the caller's form, and is the last event.
func TestErrorsInStreams(t *testing.T) {
	overloaded := event{name: []byte("error"), data: []byte(`{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`)}
	start := event{data: []byte(`{"type":"message_start","message":{"id":"m","model":"c"}}`)}
	quota := event{data: []byte(`{"error":{"code":429,"message":"none left","status":"RESOURCE_EXHAUSTED"}}`)}
	for _, c := range []struct {
		from, to weir.Dialect
		events   []event
		failure  *request.Problem
		want     string // of the last event
	}{
		{weir.Anthropic, weir.OpenAIChat, []event{start, overloaded}, nil, `data: {"error":{"message":"busy","type":"overloaded_error","param":null,"code":null}}`},
		{weir.Anthropic, weir.OpenAIResponses, []event{start, overloaded}, nil, `data: {"type":"error","sequence_number":2,"code":"server_error","message":"busy","param":null,"error":{"type":"overloaded_error","code":"server_error","message":"busy","param":null}}`},
		{weir.Gemini, weir.Anthropic, []event{quota}, nil, `data: {"type":"error","error":{"type":"rate_limit_error","message":"none left"}}`},
		{weir.Gemini, weir.OpenAIChat, []event{{data: []byte(`{"promptFeedback":{"blockReason":"SAFETY"}}`)}}, nil, `data: {"error":{"message":"the prompt was blocked","type":"invalid_request_error","param":null,"code":"content_filter"}}`},
		{weir.Anthropic, weir.OpenAIChat, []event{start}, nil, `data: {"error":{"message":"the target's stream ended before its answer did","type":"server_error","param":null,"code":"truncated"}}`},
		{weir.Anthropic, weir.OpenAIChat, []event{start}, &request.Problem{Status: 504, Message: "stalled", Type: "timeout"}, `data: {"error":{"message":"stalled","type":"timeout","param":null,"code":null}}`},
		{weir.Anthropic, weir.OpenAIChat, nil, nil, `data: {"error":{"message":"the target's stream ended before its answer did","type":"server_error","param":null,"code":"truncated"}}`},
	} {
		lines := strings.Split(strings.TrimSpace(string(told(c.from, c.to, c.events, c.failure))), "\n")
		if d := cmp.Diff(c.want, lines[len(lines)-1]); d != "" {
			t.Errorf("%s to %s: %s", c.from, c.to, d)
		}
	}
}
