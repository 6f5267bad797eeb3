package sse

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type got struct {
	Name, Data string
	Error      bool
}

// read feeds the pieces and returns the events, the pending one marked by its
// name's prefix.
func read(t *testing.T, pieces ...[]byte) (events []got) {
	t.Helper()
	var r Reader
	for _, p := range pieces {
		p = bytes.Clone(p) // so that a reference kept by mistake would be seen
		rest := p
		for {
			ev, after, ok, err := r.Next(rest)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			events = append(events, got{string(ev.Name), string(ev.Data), ev.Error})
			rest = after
		}
		for i := range p {
			p[i] = '#'
		}
	}
	if ev, ok := r.Pending(); ok {
		events = append(events, got{"pending/" + string(ev.Name), string(ev.Data), ev.Error})
	}
	return events
}

func TestFraming(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []got
	}{
		{"lf", "data: a\n\ndata: b\n\n", []got{{"", "a", false}, {"", "b", false}}},
		{"crlf", "data: a\r\n\r\ndata: b\r\n\r\n", []got{{"", "a", false}, {"", "b", false}}},
		{"cr", "data: a\r\rdata: b\r\r", []got{{"", "a", false}, {"", "b", false}}},
		{"mixed", "data: a\n\r\ndata: b\r\r\ndata: c\r\n\n", []got{{"", "a", false}, {"", "b", false}, {"", "c", false}}},
		{"no space", "data:a\n\n", []got{{"", "a", false}}},
		{"one space only is dropped", "data:  a\n\n", []got{{"", " a", false}}},
		{"joined", "data: a\ndata:\ndata: b\n\n", []got{{"", "a\n\nb", false}}},
		{"bare data", "data\n\n", []got{{"", "", false}}},
		{"empty data", "data:\n\ndata: \n\n", []got{{"", "", false}, {"", "", false}}},
		{"comments", ": x\n\n:\n: y\ndata: a\n: z\n\n", []got{{"", "a", false}}},
		{"control only", "retry: 1\n\nevent: error\n\nid: 7\n\ndata: a\n\n", []got{{"", "a", false}}},
		{"named", "event: ping\ndata: a\n\ndata: b\n\n", []got{{"ping", "a", false}, {"", "b", false}}},
		{"bom", "\xef\xbb\xbfdata: a\n\n", []got{{"", "a", false}}},
		{"one bom only", "\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", []got{{"", "b", false}}},
		{"half a bom is text", "\xef\xbbdata: a\n\ndata: b\n\n", []got{{"", "b", false}}},
		{"error field", "error: {\"code\":1}\n\n", []got{{"", `{"code":1}`, true}}},
		{"error field without an object", "error: x\n\n", nil},
		{"pending whole line", "data: a\n", []got{{"pending/", "a", false}}},
		{"pending half line", "event: e\ndata: a\ndata: b", []got{{"pending/e", "a\nb", false}}},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := []byte(c.in)
			if d := cmp.Diff(c.want, read(t, in)); d != "" {
				t.Errorf("whole: %s", d)
			}
			single := bytes.SplitAfter(in, nil)
			if d := cmp.Diff(c.want, read(t, single...)); d != "" {
				t.Errorf("one byte at a time: %s", d)
			}
			for i := range in {
				if d := cmp.Diff(c.want, read(t, in[:i], in[i:])); d != "" {
					t.Errorf("split at %d: %s", i, d)
				}
			}
		})
	}
}

func TestCap(t *testing.T) {
	for name, in := range map[string]string{
		"unfinished line": "data: " + strings.Repeat("x", 100),
		"finished line":   "data: " + strings.Repeat("x", 100) + "\n\n",
		"joined lines":    strings.Repeat("data: xxxxxxxx\n", 10) + "\n",
	} {
		for _, step := range []int{1, 7, 1000} {
			r := Reader{Cap: 64}
			var err error
			for b := []byte(in); len(b) > 0 && err == nil; {
				n := min(step, len(b))
				_, _, _, err = r.Next(b[:n])
				b = b[n:]
			}
			if !errors.Is(err, ErrTooLong) {
				t.Errorf("%s by %d: error %v, want ErrTooLong", name, step, err)
			}
		}
	}
}

// A line that comes in many pieces is copied a bounded number of times: the
// buffer grows by doubling, and earlier bytes are never searched again.
func TestLongLineCopiesLinearly(t *testing.T) {
	var r Reader
	piece := bytes.Repeat([]byte("x"), 1024)
	if _, _, _, err := r.Next([]byte("data: ")); err != nil {
		t.Fatal(err)
	}
	allocs := testing.AllocsPerRun(1, func() {
		for range 8 << 10 { // 8 MiB
			if _, _, _, err := r.Next(piece); err != nil {
				t.Fatal(err)
			}
		}
		r.lines.carry = r.lines.carry[:0]
	})
	if allocs > 64 {
		t.Errorf("%v allocations for 8192 pieces", allocs)
	}
}

func TestReadAllocatesNothing(t *testing.T) {
	var r Reader
	in := []byte("event: e\r\ndata: {\"a\":1}\r\n\r\ndata: x\ndata: y\n\n: c\n\n")
	allocs := testing.AllocsPerRun(100, func() {
		for _, piece := range [][]byte{in, in[:20], in[20:]} {
			for ok := true; ok; {
				_, piece, ok, _ = r.Next(piece)
			}
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestWriteIsReadBack(t *testing.T) {
	b := AppendComment(nil, "hello")
	b = AppendEvent(b, "", []byte("a"))
	b = AppendEvent(b, "ping", []byte("b\nc"))
	want := []got{{"", "a", false}, {"ping", "b\nc", false}}
	if d := cmp.Diff(want, read(t, b)); d != "" {
		t.Error(d)
	}
}

func FuzzSplits(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbfdata: a\r\n\r\nevent: x\rdata\r\rerror: {}\n\n: c\ndata: b"), uint16(3), uint16(9))
	f.Fuzz(func(t *testing.T, in []byte, i, j uint16) {
		a, b := int(i)%(len(in)+1), int(j)%(len(in)+1)
		a, b = min(a, b), max(a, b)
		whole := read(t, in)
		if d := cmp.Diff(whole, read(t, in[:a], in[a:b], in[b:])); d != "" {
			t.Errorf("split at %d and %d: %s", a, b, d)
		}
		if d := cmp.Diff(whole, read(t, bytes.SplitAfter(in, nil)...)); d != "" {
			t.Errorf("one byte at a time: %s", d)
		}
	})
}

// Short lines that end with CR must not have the whole rest searched for an LF.
func BenchmarkEndings(b *testing.B) {
	for name, line := range map[string]string{"lf": "data:\n\n", "cr": "data:\r\r"} {
		in := bytes.Repeat([]byte(line), 64<<10)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				var r Reader
				for p, ok := in, true; ok; {
					_, p, ok, _ = r.Next(p)
				}
			}
		})
	}
}
