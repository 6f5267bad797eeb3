package weir

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

// FuzzTicksScanner: what the scanner takes, encoding/json takes, too, and reads
// the same in it.
func FuzzTicksScanner(f *testing.F) {
	for _, s := range []string{
		`[]`, `[[1.5,"text",0,4]]`, `[[1.500001,"role+usage",2,0,1.4],[3,"none",0,0]]`, `[[01,"text",0,4]]`, `[[1.,"text",0,4]]`,
		`[[1.1234567,"text",0,4]]`, `[[123456789.123456,"done",0,4]]`, `[[1e3,"text",0,4]]`, `[[1,"text",0]]`, `[[1,"text",00,4]]`, `[[1,"text",0,4],]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		s := tickScanner{text: in}
		fast, ok := s.ticks(nil)
		if !ok || s.at < len(in) {
			return
		}
		var slow Ticks
		if err := slow.unmarshalAny(in); err != nil || !slices.Equal(fast, slow) {
			t.Fatalf("%q: %v, encoding/json has %v (%v)", in, fast, slow, err)
		}
	})
}

// TestTraceJSONWithTicksElsewhere: where something else is called ticks, or
// the ticks are written otherwise, the trace is read all the same.
func TestTraceJSONWithTicksElsewhere(t *testing.T) {
	want := Ticks{{At: time.Millisecond, Lo: time.Millisecond, Kind: TickText, Bytes: 4}}
	for _, in := range []string{
		`{"id":"a","ticks":[[1,"text",0,4]],"outcome":"ok"}`,
		`{"id":"a","provider":{"ticks":[[9,"text",0,9]]},"ticks":[[1,"text",0,4]],"outcome":"ok"}`,
		`{"ticks":[[1,"text",0,4]],"id":"a","provider":{"ticks":[[9,"text",0,9]]},"outcome":"ok"}`,
		`{"id":"a","error_message":"\"ticks\":[[9,\"text\",0,9]]","ticks":[[1,"text",0,4]],"outcome":"ok"}`,
		`{"id":"a", "ticks" : [ [ 1.0e0, "text", 0, 4 ] ], "outcome":"ok"}`,
	} {
		tr := Trace{Ticks: make(Ticks, 5, 10)}
		if err := json.Unmarshal([]byte(in), &tr); err != nil || tr.ID != "a" || tr.Outcome != OK || !slices.Equal(tr.Ticks, want) {
			t.Errorf("%s: %+v, %v", in, tr, err)
		}
	}
	for _, in := range []string{
		`{"id":"a","ticks":[[1,"text",0]]}`, `{"id":"a","ticks":[[1,"txt",0,4]]}`, `{"id":"a","ticks":[[1,"text",0,4]]`,
		`{"id":"ticks":[[1,"text",0,4]]}`, `{"id":"a","ticks":[[1,"text",0,4]]]}`, `{"id":"a","ticks":[[1,"text",0,4]],"outcome":7}`,
	} {
		if err := json.Unmarshal([]byte(in), new(Trace)); err == nil {
			t.Errorf("%s was read", in)
		}
	}
}
