package translate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// deltas are chat events, each with the given delta.
func deltas(finish string, all ...string) (events []event) {
	for _, d := range all {
		events = append(events, event{data: fmt.Appendf(nil, `{"id":"c","model":"m","choices":[{"index":0,"delta":%s}]}`, d)})
	}
	if finish != "" {
		events = append(events, event{data: fmt.Appendf(nil, `{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, finish)})
	}
	return append(events, event{data: []byte("[DONE]")})
}

func callDelta(index int, id, name, arguments string) string {
	return fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"function":{"name":%q,"arguments":%q}}]}`, index, id, name, arguments)
}

// outline is a stream to an Anthropic caller in short: a block a word, with its
// index.
func outline(out []byte) string {
	var words []string
	for _, e := range cutEvents(weir.Anthropic, out) {
		var d struct {
			Type  string
			Index int
			Block struct{ Type, ID, Name string } `json:"content_block"`
			Delta struct {
				Text, Thinking string
				Arguments      string `json:"partial_json"`
				Signature      string
				Stop           string `json:"stop_reason"`
			}
			Error struct{ Type, Message string }
		}
		if !unmarshal(e.data, &d) {
			return "broken: " + string(e.data)
		}
		switch d.Type {
		case "content_block_start":
			words = append(words, strings.TrimSpace(fmt.Sprintf("%d:%s %s %s", d.Index, d.Block.Type, d.Block.ID, d.Block.Name)))
		case "content_block_delta":
			words = append(words, fmt.Sprintf("%d=%s", d.Index, d.Delta.Text+d.Delta.Thinking+d.Delta.Arguments+d.Delta.Signature))
		case "content_block_stop":
			words = append(words, fmt.Sprintf("%d.", d.Index))
		case "message_delta":
			words = append(words, d.Delta.Stop)
		case "error":
			words = append(words, "error "+d.Error.Type+": "+d.Error.Message)
		}
	}
	return strings.Join(words, "|")
}

func TestBlocksComeOneAfterTheOther(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []event
		want   string
	}{
		{
			"calls in turns: the second waits until the end",
			deltas(
				"tool_calls", callDelta(0, "a", "f", ""), callDelta(1, "b", "g", ""), callDelta(0, "", "", `{"x":`),
				callDelta(1, "", "", `{"y":`), callDelta(0, "", "", `1}`), callDelta(1, "", "", `2}`),
			),
			`0:tool_use a f|0={"x":|0=1}|0.|1:tool_use b g|1={"y":2}|1.|tool_use`,
		},
		{
			"a call without arguments, and one after it",
			deltas("tool_calls", callDelta(0, "a", "f", ""), callDelta(1, "b", "g", `{"y":2}`)),
			`0:tool_use a f|0={}|0.|1:tool_use b g|1={"y":2}|1.|tool_use`,
		},
		{
			"the name in every event, no index, and the finish reason of an answer without calls",
			deltas("stop", `{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]}`, `{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"}"}}]}`),
			`0:tool_use a f|0={|0=}|0.|tool_use`,
		},
		{
			"text before and after a call",
			deltas("tool_calls", `{"content":"x"}`, callDelta(0, "a", "f", "{}"), `{"content":"y"}`),
			`0:text|0=x|0.|1:tool_use a f|1={}|1.|2:text|2=y|2.|tool_use`,
		},
		{
			"reasoning and text in one event",
			deltas("stop", `{"content":"x","reasoning_content":"hm"}`),
			`0:thinking|0=hm|0.|1:text|1=x|1.|end_turn`,
		},
		{
			"arguments that are cut by the limit",
			deltas("length", callDelta(0, "a", "f", `{"x`)),
			`0:tool_use a f|0={"x|0.|max_tokens`,
		},
		{
			"arguments after the call's end",
			deltas("tool_calls", callDelta(0, "a", "f", `{"x"`), `{"content":"y"}`, callDelta(0, "", "", ":1}")),
			`0:tool_use a f|0={"x"|0.|1:text|1=y|error api_error: the target's stream has arguments of a tool call after its end`,
		},
		{
			"arguments of nothing",
			deltas("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]}`),
			`error api_error: the target's stream has arguments of a tool call without a name`,
		},
		{
			"a refusal",
			deltas("stop", `{"refusal":"no"}`),
			`0:text|0=no|0.|refusal`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := told(weir.OpenAIChat, weir.Anthropic, c.events, nil)
			if d := cmp.Diff(c.want, outline(out)); d != "" {
				t.Error(d)
			}
			responses := understood(weir.OpenAIResponses, told(weir.OpenAIChat, weir.OpenAIResponses, c.events, nil), true)
			if responses.OK == strings.Contains(c.want, "error") {
				t.Errorf("responses: %+v", responses)
			}
		})
	}
}

// Gemini's calls have no ids. Theirs are the same each time an answer is read,
// and differ between calls and between answers.
func TestMadeUpIDs(t *testing.T) {
	read := func(answer string) string {
		data := `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"f"}},{"functionCall":{"id":"own","name":"g"}}]},"finishReason":"STOP"}],"responseId":"` + answer + `"}`
		out := outline(told(weir.Gemini, weir.Anthropic, []event{{data: []byte(data)}}, nil))
		stream := strings.ReplaceAll(out, "={}", "")
		whole, err := Whole(weir.Gemini, weir.Anthropic, []byte(data), AnswerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{callID(answer, 0), callID(answer, 1), "own"} {
			if !strings.Contains(stream, "tool_use "+id+" ") || !strings.Contains(string(whole), `"id":"`+id+`"`) {
				t.Errorf("no call %s: %s, %s", id, stream, whole)
			}
			if len(id) > 40 {
				t.Errorf("%s is longer than OpenAI takes", id)
			}
		}
		return stream
	}
	first, again, other := read("r1"), read("r1"), read("r2")
	if first != again || first == other || callID("r", 0) == callID("r", 1) {
		t.Error("ids are not as they should be")
	}
}

// A tool that the provider runs itself is no call that the caller could answer.
func TestHostedCallsAreLeftOut(t *testing.T) {
	out := told(weir.Anthropic, weir.OpenAIChat, []event{
		{data: []byte(`{"type":"message_start","message":{"id":"m"}}`)},
		{data: []byte(`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}}`)},
		{data: []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}}`)},
		{data: []byte(`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"x"}}`)},
		{data: []byte(`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`)},
		{data: []byte(`{"type":"message_stop"}`)},
	}, nil)
	if got := understood(weir.OpenAIChat, out, true); len(got.Calls) > 0 || got.Text != "x" || got.Finish != "stop" {
		t.Errorf("%+v\n%s", got, out)
	}
}

func TestLongAnswersAreNotKept(t *testing.T) {
	for _, to := range callers[1:] {
		s := NewStream(weir.OpenAIChat, to, AnswerOptions{Limit: 10})
		var out []byte
		for _, e := range deltas("stop", `{"content":"123456"}`, `{"content":"7890"}`, `{"content":"x"}`) {
			out = s.Feed(out, e.name, e.data)
		}
		if out = s.End(out, nil); understood(to, out, true).OK || !strings.Contains(string(out), "too long") {
			t.Errorf("%s: %s", to, out)
		}
	}
	if _, err := Whole(weir.OpenAIChat, weir.Anthropic, []byte(`{"choices":[{"message":{"content":"12345"},"finish_reason":"stop"}]}`), AnswerOptions{Limit: 4}); err == nil {
		t.Error("a body that is too long was taken")
	}
}

func TestStreamOptions(t *testing.T) {
	events := deltas("stop", `{"content":"x"}`)
	for _, c := range []struct {
		name    string
		options AnswerOptions
		want    string
	}{
		{"the target's names", AnswerOptions{Model: "theirs"}, `"id":"c","object":"chat.completion.chunk","created":0,"model":"m"`},
		{"ours", AnswerOptions{ID: "o", Model: "route", RewriteModel: true, Created: 7}, `"id":"o","object":"chat.completion.chunk","created":7,"model":"route"`},
	} {
		s := NewStream(weir.OpenAICompletions, weir.OpenAIChat, c.options)
		if out := s.Feed(nil, nil, events[0].data); !strings.Contains(string(out), c.want) || strings.Contains(string(out), "usage") {
			t.Errorf("%s: %s", c.name, out)
		}
	}
}

// Every word with which a target ends an answer, to callers of each dialect.
func TestFinishReasons(t *testing.T) {
	const failed = "error"
	for _, c := range []struct {
		from                       weir.Dialect
		word                       string
		chat, responses, anthropic string
	}{
		{weir.OpenAIChat, "stop", "stop", "completed", "end_turn"},
		{weir.OpenAIChat, "eos_token", "stop", "completed", "end_turn"},
		{weir.OpenAIChat, "length", "length", "max_output_tokens", "max_tokens"},
		{weir.OpenAIChat, "tool_calls", "stop", "completed", "end_turn"}, // without a call
		{weir.OpenAIChat, "content_filter", "content_filter", "content_filter", "refusal"},
		{weir.OpenAIChat, "error", failed, failed, failed},
		{weir.OpenAIChat, "abort", failed, failed, failed},
		{weir.Anthropic, "end_turn", "stop", "completed", "end_turn"},
		{weir.Anthropic, "stop_sequence", "stop", "completed", "stop_sequence"},
		{weir.Anthropic, "max_tokens", "length", "max_output_tokens", "max_tokens"},
		{weir.Anthropic, "model_context_window_exceeded", "length", "max_output_tokens", "max_tokens"},
		{weir.Anthropic, "pause_turn", "length", "max_output_tokens", "max_tokens"},
		{weir.Anthropic, "refusal", "content_filter", "content_filter", "refusal"},
		{weir.Gemini, "STOP", "stop", "completed", "end_turn"},
		{weir.Gemini, "MAX_TOKENS", "length", "max_output_tokens", "max_tokens"},
		{weir.Gemini, "SAFETY", "content_filter", "content_filter", "refusal"},
		{weir.Gemini, "RECITATION", "content_filter", "content_filter", "refusal"},
		{weir.Gemini, "MALFORMED_FUNCTION_CALL", failed, failed, failed},
		{weir.Gemini, "OTHER", failed, failed, failed},
		{weir.Gemini, "SOMETHING_NEW", failed, failed, failed},
	} {
		events := map[weir.Dialect]string{
			weir.OpenAIChat: `{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"%s"}]}`,
			weir.Anthropic:  `{"type":"message_delta","delta":{"stop_reason":"%s"}}`,
			weir.Gemini:     `{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"%s"}]}`,
		}
		for to, want := range map[weir.Dialect]string{weir.OpenAIChat: c.chat, weir.OpenAIResponses: c.responses, weir.Anthropic: c.anthropic} {
			out := told(c.from, to, []event{{data: fmt.Appendf(nil, events[c.from], c.word)}}, nil)
			got := understood(to, out, true)
			if (want == failed) == got.OK || want != failed && got.Finish != want {
				t.Errorf("%s %s to %s: %q, want %q\n%s", c.from, c.word, to, got.Finish, want, out)
			}
		}
	}
}

// After its end, whatever that was, a stream says nothing more.
func TestStreamsEndOnce(t *testing.T) {
	boom := event{data: []byte(`{"error":{"message":"boom","type":"server_error"}}`)}
	for _, events := range [][]event{deltas("stop", `{"content":"x"}`), append(deltas("", `{"content":"x"}`)[:1], boom)} {
		s := NewStream(weir.OpenAIChat, weir.Anthropic, AnswerOptions{})
		for _, e := range events {
			s.Feed(nil, e.name, e.data)
		}
		late := s.Feed(nil, nil, events[0].data)
		if late = s.End(late, &request.Problem{Status: 500, Message: "late"}); len(late) > 0 {
			t.Errorf("after the end: %s", late)
		}
	}
}
