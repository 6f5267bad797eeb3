package splice_test

import (
	"testing"

	"weir.dev/weir/internal/splice"
)

func TestNothingIsAllocated(t *testing.T) {
	body := benchBody(4<<10, benchTexts[1].text)
	tools := benchTools(4 << 10)
	event := []byte(benchEvent)
	var o splice.Object
	var r, edited splice.Request
	if err := edited.Read(body); err != nil {
		t.Fatal(err)
	}
	e, out := editsOfAnAttempt(), []byte(nil)
	kept := splice.Events{Model: "fast"}
	changed := splice.Events{Model: "fast", Rewrite: true, DropUsage: true}
	for name, f := range map[string]func() bool{
		"scan": func() bool { return splice.Scan(body, &o, "model", "stream", "messages") == nil },
		"read": func() bool {
			return r.Read(body) == nil && string(r.Model) == "fast" && r.Read(tools) == nil && r.Tools
		},
		"attempt": func() (ok bool) { var err error; out, err = e.AppendTo(out[:0], &edited.Object); return err == nil },
		"values": func() bool {
			n, ok := edited.Int("max_tokens")
			s, _ := edited.Bool("stream")
			return ok && n == 256 && s
		},
		"new edits": func() bool {
			e.Reset()
			e.SetString("model", "x")
			e.SetIn("stream_options", "include_usage", []byte("true"))
			return e.Len() == 2
		},
		"event kept":    func() bool { _, c := kept.Edit(event); return c == splice.Kept },
		"event changed": func() bool { _, c := changed.Edit(event); return c == splice.Edited },
	} {
		t.Run(name, func(t *testing.T) {
			if !f() { // the first use may grow buffers
				t.Fatal("it does not work")
			}
			if n := testing.AllocsPerRun(100, func() { f() }); n != 0 {
				t.Errorf("%g allocations, want 0", n)
			}
		})
	}
}
