package request

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
)

var written = []weir.Dialect{weir.OpenAIChat, weir.OpenAICompletions, weir.OpenAIResponses, weir.Anthropic, weir.Gemini}

// answer writes a stream of reasoning and text, and its whole form.
func answer(d weir.Dialect) (stream, whole []byte) {
	a := Answer{Reasoning: "hm hm", Text: "yes", Finish: FinishLength}
	s := Stream{Dialect: d, ID: "id1", Model: "m", Created: 5}
	b := s.AppendOpening(nil, With{Usage: usage()})
	b = s.AppendDelta(b, Reasoning, "hm", With{})
	b = s.AppendDelta(b, Reasoning, " hm", With{})
	b = s.AppendDelta(b, Text, "yes", With{Whole: &a})
	b = s.AppendFinish(b, a.Finish, With{Usage: usage(), Whole: &a})
	b = s.AppendUsage(b, With{Usage: usage()})
	stream = s.AppendDone(b, With{})
	return stream, (&Stream{Dialect: d, ID: "id1", Model: "m", Created: 5}).AppendWhole(nil, a, With{Usage: usage()})
}

// What the project reads of a dialect, it can write: text, reasoning, finish,
// usage and who answered, streamed and not.
func TestDialectsAreReadBack(t *testing.T) {
	contentType := map[string]string{"stream": "text/event-stream", "whole": "application/json"}
	for _, d := range written {
		stream, whole := answer(d)
		for form, body := range map[string][]byte{"stream": stream, "whole": whole} {
			r := dialect.NewReader(dialect.Options{Dialect: d, Stream: form == "stream", Header: http.Header{"Content-Type": {contentType[form]}}})
			r.Feed(body, weir.Exactly(0))
			got := r.End(nil)
			if diff := cmp.Diff(*usage(), got.Usage, cmp.AllowUnexported(weir.Opt[int]{})); diff != "" {
				t.Errorf("%s, %s: %s\n%s", d, form, diff, body)
			}
			if got.Outcome != weir.OK || got.Chars != 8 || got.Finish == "" || got.ID != "id1" || got.Model != "m" || len(got.Warnings) > 0 {
				t.Errorf("%s, %s: %+v\n%s", d, form, got, body)
			}
		}
		parsed(t, stream)
		if !json.Valid(whole) {
			t.Errorf("%s: %s", d, whole)
		}
	}
}

// Responses repeats the answer where an item ends and at the end, with numbers
// in a row: its clients build on them.
func TestResponsesStream(t *testing.T) {
	stream, _ := answer(weir.OpenAIResponses)
	var types, texts []string
	for i, line := range strings.Split(strings.TrimSpace(parsed(t, stream)), "\n") {
		name, data, _ := strings.Cut(line, "|")
		var e struct {
			Type     string
			Sequence int `json:"sequence_number"`
			Text     string
			Response struct {
				Status  string
				Output  []struct{ Content []struct{ Text string } }
				Details struct{ Reason string } `json:"incomplete_details"`
			}
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Type != name || e.Sequence != i {
			t.Errorf("event %d: %v %s", i, err, line)
		}
		types = append(types, strings.TrimPrefix(e.Type, "response."))
		if e.Text != "" {
			texts = append(texts, e.Text)
		}
		if e.Type == "response.incomplete" {
			if e.Response.Status != "incomplete" || e.Response.Details.Reason != "max_output_tokens" {
				t.Errorf("%s", line)
			}
			for _, o := range e.Response.Output {
				texts = append(texts, o.Content[0].Text)
			}
		}
	}
	item := "output_item.added content_part.added "
	done := ".done content_part.done output_item.done "
	want := "created in_progress " + item + "reasoning_text.delta reasoning_text.delta reasoning_text" + done + item + "output_text.delta output_text" + done + "incomplete"
	if diff := cmp.Diff(want, strings.Join(types, " ")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"hm hm", "yes", "hm hm", "yes"}, texts); diff != "" {
		t.Error(diff)
	}
}

func TestProblemsOfGoogle(t *testing.T) {
	got := string(AppendProblem(nil, weir.Gemini, Problem{Status: 429, Message: "no", Retry: 1500e6}))
	want := `{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"}]}}`
	if got != want {
		t.Error(got)
	}
	if v := dialect.Classify(429, nil, []byte(got)); v.Outcome != weir.RateLimited {
		t.Errorf("%+v", v)
	}
}

// readBack is the text of all channels, and each call's id, name and arguments.
func readBack(d weir.Dialect, raw []byte) (text string, calls []string) {
	var a dialect.Answer
	r := dialect.NewReader(dialect.Options{Dialect: d, Answer: &a})
	r.Feed(raw, weir.Stamp{})
	if res := r.End(nil); res.Outcome != weir.OK {
		return string(res.Outcome) + res.ErrorText, nil
	}
	c := a.Choice(0)
	for _, call := range c.Calls {
		calls = append(calls, call.ID+" "+string(call.Name)+" "+string(call.Arguments))
	}
	return string(c.Reasoning) + string(c.Refusal) + string(c.Text), calls
}
