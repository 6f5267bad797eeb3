package request

import (
	"testing"

	"weir.dev/weir"
)

// What is written is read back as the same, or as what the dialect has for it.
func TestFinishWordsAreReadBack(t *testing.T) {
	for _, d := range []weir.Dialect{weir.OpenAIChat, weir.Anthropic, weir.Gemini} {
		for _, r := range []FinishReason{FinishStop, FinishSequence, FinishLength, FinishCalls, FinishFilter, FinishBroken} {
			want := r
			if own := d == weir.Anthropic || d == weir.OpenAIChat && r == FinishCalls; !own && (r == FinishCalls || r == FinishSequence) || d == weir.Anthropic && r == FinishBroken {
				want = FinishStop
			}
			if got := ReadFinish(d, r.word(d)); got != want {
				t.Errorf("%s: %s is written %q and read as %s, want %s", d, r, r.word(d), got, want)
			}
		}
	}
	seen := map[string]FinishReason{}
	for _, row := range finishes {
		for _, d := range []weir.Dialect{weir.OpenAIChat, weir.Anthropic, weir.Gemini} {
			for i, word := range row.in(d) {
				key := string(d) + " " + word
				if other, twice := seen[key]; twice && i > 0 {
					t.Errorf("%s is %s and %s", key, other, row.reason)
				}
				seen[key] = row.reason
			}
		}
	}
	if got := FinishReason("odd").word(weir.OpenAIChat); got != "odd" {
		t.Errorf("a reason that is not on the list is written %q", got)
	}
}

// A call is written so that the project reads it back, in every dialect that
// has calls.
func TestCallsAreReadBack(t *testing.T) {
	b := Block{Channel: Call, ID: "a", Name: "f", Text: `{"x":1}`}
	whole := Answer{Blocks: []Block{{Channel: Summary, Text: "hm", Signature: "s"}, {Channel: Refusal, Text: "no"}, b}, Finish: FinishCalls}
	for _, d := range []weir.Dialect{weir.OpenAIChat, weir.OpenAIResponses, weir.Anthropic} {
		s := Stream{Dialect: d, ID: "id1", Model: "m"}
		out := s.AppendOpening(nil, With{})
		for i, part := range whole.Blocks {
			sofar := With{Whole: &Answer{Blocks: whole.Blocks[:i+1]}}
			if part.Channel == Call {
				out = s.AppendCall(out, part, With{})
			} else {
				out = s.AppendBlockStart(out, part.Channel, With{})
			}
			out = s.AppendDelta(out, part.Channel, part.Text, With{})
			if part.Signature != "" {
				out = s.AppendSignature(out, part, With{})
			}
			out = s.AppendBlockStop(out, sofar)
		}
		out = s.AppendDone(s.AppendFinish(out, whole.Finish, With{Whole: &whole}), With{})
		parsed(t, out)
		body := (&Stream{Dialect: d, ID: "id1", Model: "m"}).AppendWhole(nil, whole, With{})
		for form, raw := range map[string][]byte{"stream": out, "body": body} {
			text, calls := readBack(d, raw)
			if text != "hmno" || len(calls) != 1 || calls[0] != `a f {"x":1}` && calls[0] != ` f {"x":1}` {
				t.Errorf("%s, %s: %q %q\n%s", d, form, text, calls, raw)
			}
		}
	}
}
