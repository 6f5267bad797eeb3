package dialect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

// Pieces come decoded and in order, what is no output among them; a call's
// pieces say which call it is, with the piece in it.
func TestPieces(t *testing.T) {
	for _, c := range []struct {
		name    string
		dialect weir.Dialect
		body    string
		want    string
	}{
		{
			"anthropic", weir.Anthropic,
			stream(
				`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"h\u006d"}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`,
				`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"eA=="}}`,
				`{"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"s","name":"search","input":{}}}`,
				`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`,
				`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}`,
				`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":":1}"}}`,
			),
			`1:hm 6:c2ln 7:eA== 4:search(s,,hosted) 4:f(t,) 5:{"a"(t,{"a") 5::1}(t,{"a":1})`,
		},
		{
			"a whole message", weir.Anthropic,
			`{"type":"message","content":[{"type":"thinking","signature":"c2ln","thinking":"hm"},{"type":"tool_use","id":"t","name":"f","input":{"a":1}}],"stop_reason":"tool_use"}`,
			`1:hm 6:c2ln 4:f(t,) 5:{"a":1}(t,{"a":1})`,
		},
		{
			"gemini: a signature comes before what it is of", weir.Gemini,
			stream(`{"candidates":[{"content":{"parts":[{"text":"x"},{"functionCall":{"name":"f","args":{}},"thoughtSignature":"c2ln"},{"functionCall":{"id":"own","name":"g"}}]}}]}`),
			`0:x 6:c2ln 4:f(,) 5:{}(,{}) 4:g(own,)`,
		},
		{
			"chat: reasoning before the text it led to, and an id with an escape", weir.OpenAIChat,
			stream(
				`{"choices":[{"delta":{"content":"x","reasoning":"hm"}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a\/b","function":{"name":"f"}}]}}]}`,
				`{"choices":[{"delta":{"content":"y"}}]}`, `{"choices":[{"delta":{"content":"z"}}]}`,
			),
			`1:hm 0:x 4:f(a/b,) 0:y 0:z`,
		},
	} {
		var got []string
		a := &Answer{OnPiece: func(p Piece) {
			s := fmt.Sprintf("%d:%s", p.Channel, p.Text)
			if p.Call != nil {
				s += fmt.Sprintf("(%s,%s", p.Call.ID, p.Call.Arguments)
				if p.Hosted {
					s += ",hosted"
				}
				s += ")"
			}
			got = append(got, s)
		}}
		r := NewReader(Options{Dialect: c.dialect, Answer: a})
		r.Feed([]byte(c.body), weir.Stamp{})
		r.End(nil)
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// Events that someone else has cut are read as bytes are.
func TestFeedEvent(t *testing.T) {
	raw := stream(`{"id":"c","model":"m","choices":[{"delta":{"content":"x"}}]}`, `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3}}`, `[DONE]`, `{"choices":[{"delta":{"content":"late"}}]}`)
	o := Options{Dialect: weir.OpenAIChat, Stream: true}
	bytes, events := NewReader(o), NewReader(o)
	bytes.Feed([]byte(raw), weir.Stamp{})
	for data := range strings.SplitSeq(strings.TrimSpace(raw), "\n\n") {
		events.FeedEvent(nil, []byte(strings.TrimPrefix(data, "data: ")), weir.Stamp{})
	}
	sofar := events.SoFar()
	if sofar.Model != "m" || sofar.Usage.Prompt.Or(0) != 3 || sofar.Finish != "stop" {
		t.Errorf("so far %+v", sofar)
	}
	if want, got := fmt.Sprintf("%+v", bytes.End(nil)), fmt.Sprintf("%+v", events.End(nil)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
