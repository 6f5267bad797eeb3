package dialect

import (
	"fmt"
	"strings"
	"testing"

	"weir.dev/weir"
)

// TestAnswerLimit: as much is kept as there is room for, in whole characters,
// and the reading goes on.
func TestAnswerLimit(t *testing.T) {
	var b strings.Builder
	for _, delta := range []string{`{"reasoning_content":"abcd"}`, `{"content":"xy"}`, `{"content":"z\u00e9\u00e9"}`, `{"content":"more"}`} {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
	}
	b.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	for _, c := range []struct {
		limit           int
		reasoning, text string
		cut             bool
	}{
		{0, "abcd", "xyz\u00e9\u00e9more", false},
		{15, "abcd", "xyz\u00e9\u00e9more", false},
		{14, "abcd", "xyz\u00e9\u00e9mor", true},
		{11, "abcd", "xyz\u00e9\u00e9", true},
		{10, "abcd", "xyz\u00e9", true},
		{8, "abcd", "xyz", true},
		{3, "abc", "", true},
	} {
		a := &Answer{Limit: c.limit}
		r := NewReader(Options{Dialect: weir.OpenAIChat, Stream: true, Answer: a})
		r.Feed([]byte(b.String()), weir.Stamp{})
		res := r.End(nil)
		if got := a.Choice(0); string(got.Text) != c.text || string(got.Reasoning) != c.reasoning || a.Cut != c.cut {
			t.Errorf("%d bytes: %q, %q, cut %v", c.limit, got.Reasoning, got.Text, a.Cut)
		}
		if res.Outcome != weir.OK || res.Finish != "stop" || res.Chars != 13 {
			t.Errorf("%d bytes: %+v", c.limit, res)
		}
	}
}
