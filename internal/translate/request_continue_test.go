package translate

import (
	"testing"

	"weir.dev/weir"
)

func TestContinue(t *testing.T) {
	for _, c := range []struct {
		dialect    weir.Dialect
		body, want string // want "": an error
	}{
		{
			weir.OpenAIChat, `{ "messages" : [ {"role":"user", "content":"x"} ], "temperature":0.10, "new":[1] }`,
			`{ "messages" : [ {"role":"user", "content":"x"} ,{"role":"assistant","content":"<so"}], "temperature":0.10, "new":[1] }`,
		},
		{weir.Anthropic, `{"messages":[]}`, `{"messages":[{"role":"assistant","content":"<so"}]}`},
		{weir.Anthropic, `{"messages":[1],"messages":[2]}`, `{"messages":[1],"messages":[2,{"role":"assistant","content":"<so"}]}`},
		{weir.Gemini, `{"contents":[{"parts":[{"text":"x"}]}]}`, `{"contents":[{"parts":[{"text":"x"}]},{"role":"model","parts":[{"text":"<so"}]}]}`},
		{weir.OpenAIResponses, `{"input":[]}`, ""},
		{weir.OpenAIChat, `{"messages":"x"}`, ""},
		{weir.OpenAIChat, `{"messages":null}`, ""},
		{weir.OpenAIChat, `{"contents":[]}`, ""},
		{weir.OpenAIChat, `{"messages":[]`, ""},
		{weir.OpenAIChat, `[]`, ""},
	} {
		got, err := Continue(c.dialect, []byte(c.body), "<so")
		if (err != nil) != (c.want == "") || string(got) != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", c.body, err, got, c.want)
		}
	}
}
