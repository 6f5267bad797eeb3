package request

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
	"weir.dev/weir/internal/sse"
)

func usage() *weir.Usage {
	return &weir.Usage{Prompt: weir.Some(10), Cached: weir.Some(4), Completion: weir.Some(3), Reasoning: weir.Some(1)}
}

// parsed is the stream as a reader sees it: each event's name and data, of
// which every one but [DONE] has to be a JSON object.
func parsed(t *testing.T, stream []byte) string {
	t.Helper()
	var r sse.Reader
	var out strings.Builder
	for rest := stream; ; {
		ev, after, ok, err := r.Next(rest)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		if string(ev.Data) != "[DONE]" && !json.Valid(ev.Data) {
			t.Errorf("not JSON: %s", ev.Data)
		}
		out.WriteString(string(ev.Name) + "|" + string(ev.Data) + "\n")
		rest = after
	}
	if _, pending := r.Pending(); pending || r.Junk() > 0 {
		t.Errorf("not whole events: %s", stream)
	}
	return out.String()
}

func TestChatStream(t *testing.T) {
	s := Stream{Dialect: weir.OpenAIChat, ID: "c1", Model: "m", Created: 5, NullUsage: true}
	b := s.AppendOpening(nil, With{NS: 1})
	b = s.AppendBlockStart(b, Reasoning, With{})
	b = s.AppendDelta(b, Reasoning, "hm\n", With{NS: 2})
	b = s.AppendBlockStop(b, With{})
	b = s.AppendDelta(b, Text, ` "a"`, With{NS: 3, Usage: usage()})
	b = s.AppendFinish(b, FinishLength, With{NS: 4})
	b = s.AppendUsage(b, With{NS: 5, Usage: usage()})
	b = s.AppendError(b, Problem{Status: 500, Message: "boom"}, With{NS: 6})
	b = s.AppendDone(b, With{NS: 7})
	const head = `|{"id":"c1","object":"chat.completion.chunk","created":5,"model":"m","choices":[`
	const counts = `"usage":{"prompt_tokens":10,"completion_tokens":3,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":1}}`
	want := head + `{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null,"weir_ns":1}
` + head + `{"index":0,"delta":{"reasoning_content":"hm\n"},"logprobs":null,"finish_reason":null}],"usage":null,"weir_ns":2}
` + head + `{"index":0,"delta":{"content":" \"a\""},"logprobs":null,"finish_reason":null}],` + counts + `,"weir_ns":3}
` + head + `{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}],"usage":null,"weir_ns":4}
` + head + `],` + counts + `,"weir_ns":5}
|{"error":{"message":"boom","type":"server_error","param":null,"code":null},"weir_ns":6}
|[DONE]
`
	if d := cmp.Diff(want, parsed(t, b)); d != "" {
		t.Error(d)
	}
}

func TestFirstDeltaWithoutOpeningSaysTheRole(t *testing.T) {
	s := Stream{ID: "c1", Model: "m", Created: 5}
	b := s.AppendDelta(nil, Text, "a", With{})
	b = s.AppendDelta(b, Text, "b", With{})
	const head = `|{"id":"c1","object":"chat.completion.chunk","created":5,"model":"m","choices":[{"index":0,"delta":{`
	want := head + `"role":"assistant","content":"a"},"logprobs":null,"finish_reason":null}]}
` + head + `"content":"b"},"logprobs":null,"finish_reason":null}]}
`
	if d := cmp.Diff(want, parsed(t, b)); d != "" {
		t.Error(d)
	}
}

func TestMessagesStream(t *testing.T) {
	s := Stream{Dialect: weir.Anthropic, ID: "m1", Model: "m"}
	seed := usage()
	seed.Completion = weir.Some(1)
	b := s.AppendOpening(nil, With{NS: 1, Usage: seed})
	b = s.AppendDelta(b, Reasoning, "hm", With{NS: 2})
	b = s.AppendDelta(b, Text, " a", With{NS: 3})
	b = s.AppendDelta(b, Text, " b", With{NS: 4})
	b = s.AppendFinish(b, FinishStop, With{NS: 5, Usage: &weir.Usage{Completion: weir.Some(3)}})
	b = s.AppendUsage(b, With{})
	b = s.AppendDone(b, With{NS: 6})
	b = s.AppendError(b, Problem{Status: 529, Message: "busy"}, With{NS: 7})
	want := `message_start|{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":6,"cache_read_input_tokens":4,"output_tokens":1,"output_tokens_details":{"thinking_tokens":1}}},"weir_ns":1}
content_block_start|{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""},"weir_ns":2}
content_block_delta|{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"},"weir_ns":2}
content_block_stop|{"type":"content_block_stop","index":0,"weir_ns":3}
content_block_start|{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""},"weir_ns":3}
content_block_delta|{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":" a"},"weir_ns":3}
content_block_delta|{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":" b"},"weir_ns":4}
content_block_stop|{"type":"content_block_stop","index":1,"weir_ns":5}
message_delta|{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":3},"weir_ns":5}
message_stop|{"type":"message_stop","weir_ns":6}
error|{"type":"error","error":{"type":"overloaded_error","message":"busy"},"weir_ns":7}
`
	if d := cmp.Diff(want, parsed(t, b)); d != "" {
		t.Error(d)
	}
}

// Each form of the counts that one provider alone has.
func TestUsageOfOneProvider(t *testing.T) {
	u := usage()
	u.CacheWrite = weir.Some(5)
	for want, s := range map[string]Stream{
		`"prompt_cache_hit_tokens":4,"prompt_cache_miss_tokens":6}`: {HitMiss: true},
		`"usage":{"input_tokens":1,"cache_creation_input_tokens":5,"cache_read_input_tokens":4,"cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":3},`: {Dialect: weir.Anthropic, HourWrite: 3},
	} {
		b := string(s.AppendWhole(nil, Answer{Text: "x"}, With{Usage: u}))
		if !strings.Contains(b, want) || !json.Valid([]byte(b)) {
			t.Errorf("%s\nis not in %s", want, b)
		}
	}
}

// Gemini without alt=sse: one JSON text, written piece by piece.
func TestGeminiArray(t *testing.T) {
	s := Stream{Dialect: weir.Gemini, ID: "g1", Model: "m", Array: true}
	b := s.AppendDelta(nil, Text, " a", With{})
	b = s.AppendDelta(b, Text, " b", With{})
	b = s.AppendFinish(b, FinishStop, With{Usage: usage()})
	b = s.AppendDone(s.AppendUsage(b, With{}), With{})
	var chunks []struct {
		Candidates []struct {
			FinishReason string
		}
		UsageMetadata struct{ PromptTokenCount int }
	}
	if err := json.Unmarshal(b, &chunks); err != nil || len(chunks) != 3 || chunks[0].Candidates[0].FinishReason != "" || chunks[2].Candidates[0].FinishReason != "STOP" || chunks[2].UsageMetadata.PromptTokenCount != 10 {
		t.Errorf("%v: %s", err, b)
	}
}

func TestWholeAnswers(t *testing.T) {
	a := Answer{Text: "yes", Reasoning: "hm", Finish: FinishLength}
	chat := Stream{ID: "c1", Model: "m", Created: 5}
	want := `{"id":"c1","object":"chat.completion","created":5,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"yes","refusal":null,"reasoning_content":"hm"},"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":10,"completion_tokens":3,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":1}},"weir_ns":9}`
	if d := cmp.Diff(want, string(chat.AppendWhole(nil, a, With{Usage: usage(), NS: 9}))); d != "" {
		t.Error(d)
	}
	messages := Stream{Dialect: weir.Anthropic, ID: "m1", Model: "m"}
	want = `{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"yes"}],"stop_reason":"max_tokens","stop_sequence":null,"usage":{"input_tokens":6,"cache_read_input_tokens":4,"output_tokens":3,"output_tokens_details":{"thinking_tokens":1}},"weir_ns":9}`
	if d := cmp.Diff(want, string(messages.AppendWhole(nil, a, With{Usage: usage(), NS: 9}))); d != "" {
		t.Error(d)
	}
	for _, a := range []Answer{{}, {Reasoning: "x"}, {Text: "x"}} {
		for _, s := range []Stream{chat, messages} {
			if b := s.AppendWhole(nil, a, With{Usage: &weir.Usage{}}); !json.Valid(b) {
				t.Errorf("not JSON: %s", b)
			}
		}
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		d    weir.Dialect
		p    Problem
		want string
	}{
		{weir.OpenAIChat, Problem{Status: 404, Message: "no"}, `{"error":{"message":"no","type":"invalid_request_error","param":null,"code":"model_not_found"}}`},
		{weir.OpenAIChat, Problem{Status: 429, Message: "no"}, `{"error":{"message":"no","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"}}`},
		{weir.OpenAIChat, Problem{Status: 400, Message: "no", Code: "bad"}, `{"error":{"message":"no","type":"invalid_request_error","param":null,"code":"bad"}}`},
		{weir.Anthropic, Problem{Status: 404, Message: "no"}, `{"type":"error","error":{"type":"not_found_error","message":"no"}}`},
		{weir.Anthropic, Problem{Status: 418, Message: "no", Type: "tea"}, `{"type":"error","error":{"type":"tea","message":"no"}}`},
	} {
		if d := cmp.Diff(c.want, string(AppendProblem(nil, c.d, c.p))); d != "" {
			t.Error(d)
		}
	}
}

func TestEventsAllocateNothing(t *testing.T) {
	buf := make([]byte, 0, 4096)
	u := usage()
	for _, d := range []weir.Dialect{weir.OpenAIChat, weir.Anthropic} {
		s := Stream{Dialect: d, ID: "id", Model: "m"}
		if n := testing.AllocsPerRun(100, func() {
			b := s.AppendDelta(buf, Text, " a \"word\"\n", With{NS: 1, Usage: u})
			s.AppendFinish(b, FinishStop, With{NS: 1, Usage: u})
		}); n != 0 {
			t.Errorf("%s: %v allocations", d, n)
		}
	}
}

func FuzzString(f *testing.F) {
	f.Add("a\"\\\n\t\x00\x7f\xff\u2028é𝄞\xed\xa0\x80")
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		b := appendString(nil, s)
		if err := json.Unmarshal(b, &back); err != nil || bytes.ContainsAny(b, "\n\r") {
			t.Fatalf("%q became %s: %v", s, b, err)
		}
		std, _ := json.Marshal(s)
		var want string
		if err := json.Unmarshal(std, &want); err != nil || back != want {
			t.Errorf("%q came back as %q, want %q", s, back, want)
		}
	})
}

func BenchmarkDelta(b *testing.B) {
	buf := make([]byte, 0, 4096)
	s := Stream{ID: "chatcmpl-0123456789abcdef", Model: "model", Created: 1}
	b.ReportAllocs()
	for b.Loop() {
		s.AppendDelta(buf, Text, " word", With{NS: 1700000000000000000})
	}
}
