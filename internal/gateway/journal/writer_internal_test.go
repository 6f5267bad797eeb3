package journal

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
)

// disk takes so many bytes, then none until there is room again.
type disk struct {
	strings.Builder
	room int
}

func (d *disk) Write(b []byte) (int, error) {
	n := min(len(b), d.room)
	d.room -= n
	d.Builder.Write(b[:n])
	if n < len(b) {
		return n, errors.New("full")
	}
	return n, nil
}

func (*disk) Close() error { return nil }

// A disk that was full in the middle of a line costs that line and those of the
// same batch, and not the one after it.
func TestATornLine(t *testing.T) {
	for _, room := range []int{0, 1, 900, 1000, 2000} {
		d, dropped := &disk{room: room}, &atomic.Uint64{}
		w := &writer{file: d, dropped: dropped, logger: slog.New(slog.DiscardHandler)}
		for _, batch := range []int{3, 1, 1} {
			for range batch {
				w.add(&Record{ID: "x"})
			}
			w.flush()
			d.room = 1 << 20
		}
		whole := 0
		for line := range strings.Lines(d.String()) {
			if strings.HasPrefix(line, "{") && strings.HasSuffix(line, "}\n") {
				whole++
			}
		}
		if got := whole + int(dropped.Load()); got != 5 || whole < 2 {
			t.Errorf("room for %d bytes: %d whole lines, %d dropped", room, whole, dropped.Load())
		}
	}
}

// Losses are spoken of at once, then every ten seconds at most, none left out.
func TestLossesAreSaidNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		w := &writer{file: &disk{room: 1 << 20}, dropped: &atomic.Uint64{}, logger: slog.New(slog.NewTextHandler(&said, nil))}
		for i, want := range []int{1, 1, 1, 2} {
			w.dropped.Add(1)
			w.flush()
			if got := strings.Count(said.String(), "lost records"); got != want {
				t.Errorf("after %d losses: said %d times, want %d", i+1, got, want)
			}
			if i > 0 {
				time.Sleep(sayAgain / 2)
			}
		}
		if !strings.Contains(said.String(), "lost=3 lost_in_all=4") {
			t.Errorf("it said %s", &said)
		}
	})
}

func FuzzClean(f *testing.F) {
	f.Add("plain", 10)
	f.Add("\x1b[2J\u009b\u202e\xff…", 12)
	f.Fuzz(func(t *testing.T, s string, most int) {
		most = 16 + int(uint(most)%1000)
		got := clean(s, most)
		if len(got) > most || strings.ContainsFunc(got, func(c rune) bool {
			return c >= 0x7f && unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
		}) {
			t.Errorf("%q became %q", s, got)
		}
		if len(s) <= most && plain(s) && got != s {
			t.Errorf("%q became %q", s, got)
		}
	})
}
