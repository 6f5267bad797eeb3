package stored

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

// TestTakeAtEveryCut: wherever a crash cut the file, what was whole is read and
// the rest is no error.
func TestTakeAtEveryCut(t *testing.T) {
	whole := asJSON(t, handmade.Trace("a"))
	file := whole + "\n" + asJSON(t, handmade.Trace("b")) + "\n"
	for i := range len(file) + 1 {
		r := &Run{Run: report.Run{Settings: settings()}}
		r.take(strings.NewReader(file[:i]))
		want := 0
		if i >= len(whole) {
			want++
		}
		if i >= 2*len(whole)+1 {
			want++
		}
		if len(r.Samples) != want || len(r.Lost) > 1 {
			t.Fatalf("cut at %d: %d samples, want %d; lost %q", i, len(r.Samples), want, r.Lost)
		}
	}
}

// TestTakeInOrder: many workers, one order.
func TestTakeInOrder(t *testing.T) {
	var file bytes.Buffer
	const n = 5000 // several batches
	for i := range n {
		fmt.Fprintln(&file, asJSON(t, handmade.Trace(fmt.Sprint(i))))
	}
	r := &Run{Run: report.Run{Settings: settings()}}
	if r.take(iotest.HalfReader(&file)); len(r.Samples) != n || r.Lost != nil {
		t.Fatalf("%d samples, lost %q", len(r.Samples), r.Lost)
	}
	want := handmade.Trace("0").Sample()
	for i, s := range r.Samples {
		if s.ID != fmt.Sprint(i) || s.TTFT != want.TTFT || s.TPOT != want.TPOT || s.OutputEvents != 2 || s.BoundedEvents != 1 {
			t.Fatalf("%d: %+v", i, s)
		}
	}
}

// TestTakeUntilAnError: a disk that fails in the middle costs what is behind it.
func TestTakeUntilAnError(t *testing.T) {
	one := asJSON(t, handmade.Trace("a")) + "\n"
	r := &Run{Run: report.Run{Settings: settings()}}
	r.take(io.MultiReader(strings.NewReader(one+one[:20]), iotest.ErrReader(errors.New("bad sector"))))
	if len(r.Samples) != 1 || len(r.Lost) != 2 || !strings.Contains(r.Lost[0], "bad sector") {
		t.Errorf("%d samples, lost %q", len(r.Samples), r.Lost)
	}
}

// TestTakeALongLine: a line that no run writes costs its first 64 MiB of memory
// and is left out; the next is read.
func TestTakeALongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("it is 65 MiB long")
	}
	r := &Run{Run: report.Run{Settings: settings()}}
	long := io.LimitReader(endless{}, maxLine+1<<20)
	r.take(io.MultiReader(long, strings.NewReader("\n"+asJSON(t, handmade.Trace("a"))+"\n")))
	if len(r.Samples) != 1 || len(r.Lost) != 1 || !strings.Contains(r.Lost[0], "longer than") {
		t.Errorf("%d samples, lost %q", len(r.Samples), r.Lost)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// FuzzTraces: whatever a line holds, it is a sample that can be judged and shown
// in every form, or there is a reason why not.
func FuzzTraces(f *testing.F) {
	f.Add([]byte(asJSON(f, handmade.Trace("a"))))
	f.Add([]byte(`{"kind":"bench","target":"north","workload_id":"0123456789ab","outcome":"ok","ticks":[[1e99,"text",9,9]],"usage":{"completion_tokens":-5}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l := decode(text, new(weir.Trace))
		if l.why != "" {
			return
		}
		l.sample.Target = "north"
		shown(t, report.Summarise(report.Run{Settings: settings(), Samples: []weir.Sample{l.sample, l.sample}}))
	})
}

// FuzzOpen: whatever the files hold, Open returns, and what it returns can be
// shown.
func FuzzOpen(f *testing.F) {
	dir, _ := kept(f)
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		return b
	}
	traces := read(TracesFile)
	f.Add(read(SettingsFile), read(SummaryFile), true)
	f.Add(read(SettingsFile), []byte(nil), true)
	f.Add([]byte(nil), read(SummaryFile), false)
	f.Add([]byte(`{"schema":"weir.dev/settings/1","targets":[{}],"concurrency":-1,"requests":9e9}`), []byte(`{"schema":"weir.dev/run/2","targets":[{"ttft_ms":{"p50":1e300}}]}`), true)
	f.Fuzz(func(t *testing.T, settings, summary []byte, whole bool) {
		for name, b := range map[string][]byte{SettingsFile: settings, SummaryFile: summary} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		os.Remove(filepath.Join(dir, TracesFile))
		if whole {
			if err := os.WriteFile(filepath.Join(dir, TracesFile), traces, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if folder, err := Open(dir); err == nil {
			shown(t, folder.Run.Summary())
		}
	})
}

func shown(t *testing.T, s *report.Summary) {
	t.Helper()
	var out bytes.Buffer
	if err := errors.Join(report.Terminal(&out, s), report.Markdown(&out, s), report.CSV(&out, s, report.RowsRequests), report.CSV(&out, s, report.RowsTargets)); err != nil {
		t.Fatal(err)
	}
}
