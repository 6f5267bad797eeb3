package translate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir.dev/weir"
)

// Whatever a target sends, its caller gets whole events with JSON in them, or a
// body that is JSON.
func FuzzAnswer(f *testing.F) {
	files, _ := filepath.Glob("testdata/answers/*.*")
	more, _ := filepath.Glob("../dialect/testdata/streams/*.sse")
	for _, name := range append(files, more...) {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if strings.Contains(name, "_to_") {
			continue
		}
		for pair := range byte(len(targets) * len(callers)) {
			f.Add(pair, raw)
		}
	}
	f.Fuzz(func(t *testing.T, pair byte, raw []byte) {
		from, to := targets[int(pair)%len(targets)], callers[int(pair)/len(targets)%len(callers)]
		out := told(from, to, cutEvents(from, raw), nil)
		framed(t, out)
		target, caller := understood(from, raw, true), understood(to, out, true)
		if caller.OK && !target.OK {
			t.Errorf("%s to %s: a broken stream was ended\n%s", from, to, out)
		}
		body, err := Whole(from, to, raw, AnswerOptions{})
		if err == nil && !json.Valid(body) {
			t.Errorf("%s to %s: not JSON: %s", from, to, body)
		}
	})
}

func BenchmarkStream(b *testing.B) {
	for _, from := range targets {
		raw, err := os.ReadFile("testdata/answers/" + short[from] + ".sse")
		if err != nil {
			b.Fatal(err)
		}
		text := map[weir.Dialect]event{}
		for _, e := range cutEvents(from, raw) {
			if strings.Contains(string(e.data), "I look at") {
				text[from] = e
			}
		}
		for _, to := range callers {
			b.Run(short[from]+"_to_"+short[to], func(b *testing.B) {
				s := NewStream(from, to, AnswerOptions{Limit: 1 << 40})
				dst := make([]byte, 0, 4096)
				b.ReportAllocs()
				for b.Loop() {
					dst = s.Feed(dst[:0], text[from].name, text[from].data)
				}
			})
		}
	}
}
