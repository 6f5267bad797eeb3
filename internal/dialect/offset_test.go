package dialect

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

// Who passes bytes on has to know where each event ends in them.
func TestOffset(t *testing.T) {
	for _, c := range cases(t) {
		var events, offsets []string
		last := int64(0)
		read := func(pieces [][]byte) (cuts []int64) {
			var r *Reader
			r = NewReader(Options{Dialect: weir.OpenAIChat, Stream: true, OnEvent: func(_ weir.Tick, _, data []byte) {
				cuts = append(cuts, r.Offset())
				events, offsets = append(events, string(data)), append(offsets, string(c.raw[last:r.Offset()]))
				last = r.Offset()
			}})
			for _, p := range pieces {
				r.Feed(p, weir.Stamp{})
			}
			r.End(nil)
			last = 0
			return cuts
		}
		whole := read([][]byte{c.raw})
		for i, event := range events {
			for line := range bytes.SplitSeq([]byte(event), []byte("\n")) {
				if !bytes.Contains([]byte(offsets[i]), line) {
					t.Errorf("%s: event %d is not in the bytes before its offset: %q", c.id, i, offsets[i])
				}
			}
		}
		if diff := cmp.Diff(whole, read(bytes.SplitAfter(c.raw, nil))); diff != "" {
			t.Errorf("%s, one byte at a time: %s", c.id, diff)
		}
	}
}
