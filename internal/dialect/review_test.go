package dialect

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
)

// Faults that a review of the reader found, each with the bytes that showed it.
func TestReviewed(t *testing.T) {
	const started = `{"type":"response.output_text.delta","delta":"Hi"}`
	for _, c := range []struct {
		name       string
		dialect    weir.Dialect
		body       string
		outcome    weir.Outcome
		finish     string
		detail     string
		message    string
		completion int // -1: not reported
	}{
		{"response without its object", weir.OpenAIResponses, stream(started, `{"type":"response.completed","response":{"id":"r","status":"completed","usage":{"input_tokens":36,"output_tokens":87}}}`), weir.OK, "completed", "", "", 87},
		{"incomplete, abbreviated", weir.OpenAIResponses, stream(started, `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"},"usage":{"output_tokens":1}}}`), weir.OK, "max_output_tokens", "", "", 1},
		{"failed, bare", weir.OpenAIResponses, stream(started, `{"type":"response.failed"}`), weir.UpstreamError, "", "", "the response failed", -1},
		{"failed, no status", weir.OpenAIResponses, stream(started, `{"type":"response.failed","response":{"object":"response"}}`), weir.UpstreamError, "", "", "the response failed", -1},
		{"responses by event name", weir.OpenAIResponses, "event: response.output_text.delta\ndata: {\"delta\":\"Hi\"}\n\nevent: response.completed\ndata: {\"response\":{}}\n\n", weir.OK, "completed", "", "", -1},
		{"OpenRouter's error with a finish reason", weir.OpenAIChat, stream(`{"id":"x","error":{"code":429,"message":"Rate limited by provider"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`), weir.RateLimited, "error", "", "Rate limited by provider", -1},
		{"error inside the choice", weir.OpenAIChat, stream(`{"choices":[{"index":0,"delta":{},"finish_reason":"error","error":{"code":429,"message":"slow"}}]}`), weir.RateLimited, "error", "", "slow", -1},
		{"code beside the error", weir.OpenAIChat, stream(`{"error":{"message":"x"},"code":429}`), weir.RateLimited, "", "", "x", -1},
		{"status in the error", weir.OpenAIChat, stream(`{"error":{"status":429,"message":"x"}}`), weir.RateLimited, "", "", "x", -1},
		{"text and code", weir.OpenAIChat, stream(`{"error":"Too many","code":429}`), weir.RateLimited, "", "", "Too many", -1},
		{"TGI", weir.OpenAIChat, stream(`{"error":"queue is full","error_type":"overloaded"}`), weir.UpstreamError, "", "overloaded", "queue is full", -1},
		{"event called error", weir.OpenAIChat, "event: error\ndata: {\"message\":\"boom\",\"code\":500}\n\n", weir.UpstreamError, "", "", "boom", -1},
		{"event called error, plain text", weir.OpenAIChat, "event: error\ndata: upstream failed\n\n", weir.UpstreamError, "", "", "upstream failed", -1},
		{"event called error, bare object", weir.Anthropic, "event: error\ndata: {\"type\":\"overloaded_error\",\"message\":\"m\"}\n\n", weir.UpstreamError, "", "overloaded", "m", -1},
		{"empty errors on every chunk", weir.OpenAIChat, stream(`{"error":[],"choices":[{"delta":{"content":"x"}}]}`, `{"error":{"code":0,"message":""},"choices":[{"delta":{},"finish_reason":"stop"}]}`, `{"error":0,"choices":[]}`), weir.OK, "stop", "", "", -1},
		{"more reasoning than tokens", weir.OpenAIChat, stream(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}],"usage":{"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":40}}}`), weir.OK, "stop", "", "", 45},
		{"comment, then an error without data:", weir.OpenAIChat, ": OPENROUTER PROCESSING\n\n" + `{"error":{"message":"gone","type":"server_error"}}` + "\n", weir.UpstreamError, "", "server_error", "gone", -1},
		{"Ollama's error over several lines", weir.Ollama, "{\n  \"error\": \"no model\"\n}\n", weir.UpstreamError, "", "", "no model", -1},
		{"Ollama's page in one line", weir.Ollama, "<html>no</html>", weir.Malformed, "", "not_json", "", -1},
		{"Ollama with a byte order mark", weir.Ollama, "\xef\xbb\xbf{\"message\":{\"content\":\"x\"},\"done\":true,\"eval_count\":1}\n", weir.OK, "", "", "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, split := range [][][]byte{{[]byte(c.body)}, bytes.SplitAfter([]byte(c.body), nil)} {
				r := NewReader(Options{Dialect: c.dialect, Stream: true})
				for _, p := range split {
					r.Feed(p, weir.Stamp{})
				}
				res := r.End(nil)
				if res.Outcome != c.outcome || res.Finish != c.finish || res.ErrorText != c.message || res.Usage.Completion.Or(-1) != c.completion ||
					(c.detail != "" && res.ErrorType != c.detail) {
					t.Errorf("got %s, finish %q, %q %q, %d tokens; want %s, %q, %q %q, %d", res.Outcome, res.Finish, res.ErrorType, res.ErrorText,
						res.Usage.Completion.Or(-1), c.outcome, c.finish, c.detail, c.message, c.completion)
				}
			}
		})
	}
}

// curl --compressed undoes the coding and leaves the head as it was.
func TestLengthOfAnUndoneCoding(t *testing.T) {
	body := stream(`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, `[DONE]`)
	raw := "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n" + body
	got, err := Inspect(strings.NewReader(raw), InspectOptions{})
	if err != nil || got.Outcome != weir.OK || got.OutputText != "Hi" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Gemini counts thoughts that it does not stream: they are in no event.
func TestHiddenThoughtsAreInNoEvent(t *testing.T) {
	r := NewReader(Options{Dialect: weir.Gemini, Stream: true})
	for i, candidates := range []string{"10", "35", "60"} {
		r.Feed([]byte(stream(`{"candidates":[{"content":{"parts":[{"text":"some text"}]}`+map[bool]string{true: `,"finishReason":"STOP"`}[i == 2]+
			`}],"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":`+candidates+`,"thoughtsTokenCount":190}}`)), weir.Exactly(time.Duration(i+1)*100*time.Millisecond))
	}
	res := r.End(nil)
	tr := weir.Trace{Ticks: r.Ticks, Usage: res.Usage, TokenSource: weir.TokensFromUsage}
	n1, source := tr.N1()
	if tr.NSeen() != weir.Some(60) || n1 != weir.Some(10.0) || source != weir.N1FromUsage || tr.TPOT() != weir.SpanOf(4*time.Millisecond) {
		t.Errorf("n_seen %v, n1 %v by %s, tpot %v; want 60, 10 by usage, 4 ms", tr.NSeen(), n1, source, tr.TPOT())
	}
}

// A count that no answer can have must not wrap around.
func TestEnormousCounts(t *testing.T) {
	r := NewReader(Options{Dialect: weir.OpenAIChat, Stream: true})
	r.Feed([]byte(stream(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}],"usage":{"completion_tokens":3000000000}}`)), weir.Stamp{})
	if r.End(nil); r.Ticks[0].Tokens < 0 {
		t.Errorf("%d tokens", r.Ticks[0].Tokens)
	}
}

// Without a dialect a stream is read as what it looks like, and anything else
// is no model's answer: it ends well or it does not.
func TestUnknownDialect(t *testing.T) {
	r := NewReader(Options{Stream: true})
	r.Feed([]byte(stream(`{"type":"content_block_delta","delta":{"type":"text_delta","text":"Hi"}}`, `{"type":"message_stop"}`)), weir.Stamp{})
	if res := r.End(nil); res.Outcome != weir.OK || res.Chars != 2 {
		t.Errorf("a stream: %+v", res)
	}
	r.Reset(Options{Status: 200})
	r.Feed([]byte(`{"data":[{"id":"m"}]}`), weir.Stamp{})
	if res := r.End(nil); res.Outcome != weir.OK || len(r.Ticks) != 0 {
		t.Errorf("a list of models: %+v", res)
	}
	r.Reset(Options{Status: 404})
	if res := r.End(nil); res.Outcome != weir.BadRequest {
		t.Errorf("404: %+v", res)
	}
}
