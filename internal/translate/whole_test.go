package translate

import (
	"errors"
	"strings"
	"testing"

	"weir.dev/weir"
)

func TestBodiesThatAreNoAnswers(t *testing.T) {
	cut := `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x"}}]},"finish_reason":"%s"}]}`
	for _, c := range []struct {
		from weir.Dialect
		body string
		want string // in the error
	}{
		{weir.OpenAIChat, `{"choices":[{"message":{"content":"x"},"finish_reason":"sto`, "not_json"},
		{weir.OpenAIChat, `{"error":{"message":"boom"}}`, "boom"},
		{weir.OpenAIChat, ``, "empty_response"},
		{weir.OpenAIChat, `{"hello":1}`, "unknown_json"},
		{weir.OpenAIChat, strings.ReplaceAll(cut, "%s", "tool_calls"), `its call of "f" are no JSON object`},
		{weir.Gemini, `{"candidates":[{"content":{"parts":[]},"finishReason":"MALFORMED_FUNCTION_CALL"}]}`, "MALFORMED_FUNCTION_CALL"},
		{weir.Gemini, `{"promptFeedback":{"blockReason":"SAFETY"}}`, "the prompt was blocked"},
	} {
		out, err := Whole(c.from, weir.Anthropic, []byte(c.body), AnswerOptions{})
		var e *weir.Error
		if !errors.As(err, &e) || e.Code != BadAnswer || !strings.Contains(e.Message, c.want) || out != nil {
			t.Errorf("%s: %v, %s", c.body, err, out)
		}
	}
	out, err := Whole(weir.OpenAIChat, weir.Anthropic, []byte(strings.ReplaceAll(cut, "%s", "length")), AnswerOptions{})
	if got := understood(weir.Anthropic, out, false); err != nil || !got.OK || len(got.Calls) > 0 || got.Finish != "max_tokens" {
		t.Errorf("a call that a limit cut off: %v, %s", err, out)
	}
}
