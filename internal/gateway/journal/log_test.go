package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, o journal.Options) *journal.Log {
	t.Helper()
	l, err := journal.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func ids(records []*journal.Record) string {
	var s []string
	for _, r := range records {
		s = append(s, r.ID)
	}
	return strings.Join(s, " ")
}

func TestTheLatestAreKept(t *testing.T) {
	l := open(t, journal.Options{Keep: 3})
	if got := l.Recent(5); len(got) != 0 {
		t.Errorf("an empty log has %v", got)
	}
	want := []string{"1", "2 1", "3 2 1", "4 3 2", "5 4 3"}
	for i := range 5 {
		l.Add(&journal.Record{ID: fmt.Sprint(i + 1)})
		if got := ids(l.Recent(9)); got != want[i] {
			t.Errorf("after %d: %s, want %s", i+1, got, want[i])
		}
	}
	if got := ids(l.Recent(2)); got != "5 4" {
		t.Errorf("the last two are %s", got)
	}
	for id, want := range map[string]bool{"1": false, "2": false, "3": true, "5": true, "": false} {
		if r, ok := l.Get(id); ok != want || ok && r.ID != id {
			t.Errorf("%q: %v", id, ok)
		}
	}
}

// An id that comes twice names the later record, also when the earlier one goes.
func TestOneIDTwice(t *testing.T) {
	l := open(t, journal.Options{Keep: 2})
	for _, r := range []journal.Record{{ID: "a", Route: "old"}, {ID: "a", Route: "new"}, {ID: "b"}} {
		l.Add(&r)
	}
	if r, ok := l.Get("a"); !ok || r.Route != "new" {
		t.Errorf("%+v", r)
	}
}

func lines(t *testing.T, path string) []journal.Record {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []journal.Record
	for line := range bytes.Lines(b) {
		var r journal.Record
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, r)
	}
	return all
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "requests.jsonl")
	for range 2 { // the second log goes on where the first ended
		l := open(t, journal.Options{Path: path})
		r := full()
		l.Add(&r)
		l.Add(&journal.Record{ID: "2"})
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	got := lines(t, path)
	if len(got) != 4 {
		t.Fatalf("%d lines, want 4", len(got))
	}
	want := full()
	want.Schema = journal.Schema
	if d := cmp.Diff(want, got[2], cmp.Exporter(func(reflect.Type) bool { return true })); d != "" {
		t.Errorf("read back (-written +read):\n%s", d)
	}
}

func TestReopen(t *testing.T) {
	dir := t.TempDir()
	path, moved := filepath.Join(dir, "log"), filepath.Join(dir, "log.1")
	l := open(t, journal.Options{Path: path})
	l.Add(&journal.Record{ID: "before"})
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	l.Add(&journal.Record{ID: "between"})
	if err := l.Reopen(); err != nil {
		t.Fatal(err)
	}
	l.Add(&journal.Record{ID: "after"})
	l.Close()
	if err := l.Reopen(); err != nil {
		t.Errorf("after the end: %v", err)
	}
	if a, b := lines(t, moved), lines(t, path); len(a) != 2 || len(b) != 1 || a[0].ID != "before" || a[1].ID != "between" || b[0].ID != "after" {
		t.Errorf("%v in the old file, %v in the new one", a, b)
	}
}

func TestAFileThatCannotBe(t *testing.T) {
	_, err := journal.Open(journal.Options{Path: filepath.Join(t.TempDir(), "none", "log")})
	var e *weir.Error
	if !errors.As(err, &e) || e.Code != "bad_log" || e.Hint == "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "log")
	os.Mkdir(filepath.Dir(path), 0o700)
	l := open(t, journal.Options{Path: path})
	os.RemoveAll(filepath.Dir(path))
	if err := l.Reopen(); !errors.As(err, &e) {
		t.Errorf("reopened in a folder that is gone: %v", err)
	}
	l.Add(&journal.Record{ID: "still"})
	if err := l.Close(); err != nil || l.Dropped() != 0 {
		t.Errorf("%v, %d dropped", err, l.Dropped())
	}
}

func TestAFullDiskIsCounted(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	var said bytes.Buffer
	l := open(t, journal.Options{Path: "/dev/full", Logger: slog.New(slog.NewTextHandler(&said, nil))})
	for range 10 {
		l.Add(&journal.Record{})
	}
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "lacks 10 records") {
		t.Errorf("closing says %v", err)
	}
	if l.Dropped() != 10 || !strings.Contains(said.String(), "no space left") || strings.Count(said.String(), "\n") > 1 {
		t.Errorf("%d dropped, said %s", l.Dropped(), &said)
	}
	l.Add(&journal.Record{})
	if l.Dropped() != 11 {
		t.Errorf("%d dropped after the end", l.Dropped())
	}
}

// What callers and targets send can neither forge a line nor drive a terminal,
// and is bounded.
func TestLogInjection(t *testing.T) {
	nasty := "a\r\n{\"request_id\":\"forged\"}\x00\x1b[2J\x7f\u009b31m\u202etxt\u2028\u2029\xff\xfe\ufeff" + strings.Repeat("é", 1<<20)
	r := full()
	for _, field := range []*string{
		&r.ID, &r.Route, &r.Key, &r.Asked, (*string)(&r.Operation), (*string)(&r.Dialect), &r.Policy, (*string)(&r.Outcome), &r.ErrorType, &r.ErrorMessage, &r.Refused, &r.Target,
		&r.Candidates[0].Target, &r.Skipped[0].Target, &r.Skipped[0].Why, &r.Rescue.How, &r.Rescue.From, &r.Rescue.To,
		&r.Attempts[0].Target, &r.Attempts[0].Model, (*string)(&r.Attempts[0].Dialect), (*string)(&r.Attempts[0].Why), (*string)(&r.Attempts[0].Outcome),
		&r.Attempts[0].ErrorType, &r.Attempts[0].ErrorMessage, (*string)(&r.Attempts[0].Clock), &r.Attempts[0].RequestID,
	} {
		*field = nasty
	}
	for range 1000 {
		r.Attempts, r.Candidates, r.Skipped = append(r.Attempts, journal.Attempt{}), append(r.Candidates, journal.Candidate{}), append(r.Skipped, journal.Skip{})
	}
	path := filepath.Join(t.TempDir(), "log")
	l := open(t, journal.Options{Path: path})
	l.Add(&r)
	l.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b, []byte("\n")); n != 1 || len(b) > 100_000 || !utf8.Valid(b) {
		t.Errorf("%d lines of %d bytes", n, len(b))
	}
	for _, c := range strings.TrimSuffix(string(b), "\n") {
		if unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			t.Errorf("%U is in the file", c)
		}
	}
	got := lines(t, path)[0]
	if len(got.Attempts) != 64 || len(got.Candidates) != 64 || len(got.Skipped) != 64 || len(got.ErrorMessage) > 512 || !strings.HasPrefix(got.ErrorMessage, "a\r\n{") {
		t.Errorf("%+v", got)
	}
}

func TestManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := open(t, journal.Options{Keep: 10, Path: path, Buffer: 8})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				l.Add(&journal.Record{ID: fmt.Sprint(i, j)})
				l.Get(fmt.Sprint(i, j))
				l.Recent(3)
			}
		})
	}
	all.Go(func() { l.Reopen() })
	all.Wait()
	l.Close()
	if got := uint64(len(lines(t, path))) + l.Dropped(); got != 400 {
		t.Errorf("%d written or counted, want 400", got)
	}
}

func BenchmarkAdd(b *testing.B) {
	l, err := journal.Open(journal.Options{Path: os.DevNull})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	b.ReportAllocs()
	for b.Loop() {
		r := full()
		l.Add(&r)
	}
}

// full has every field.
func full() journal.Record {
	ms := func(n int) weir.Span { return weir.SpanOf(time.Duration(n) * time.Millisecond) }
	usage := weir.Usage{Prompt: weir.Some(100), Cached: weir.Some(10), CacheWrite: weir.Some(5), Completion: weir.Some(50), Reasoning: weir.Some(20)}
	at := time.Date(2026, 12, 1, 1, 2, 3, 456789, time.UTC)
	return journal.Record{
		ID: "01KBCDEFGHJKMNPQRSTVWXYZ00", At: at, Route: "chat", Key: "ci", Asked: "chat", Operation: journal.Chat, Dialect: weir.OpenAIChat, Stream: true,
		InputTokens: weir.Some(98), Policy: "slo",
		Candidates: []journal.Candidate{{Target: "north", FirstOutput: ms(2000), Stall: ms(10_000)}, {Target: "south", Probe: true}},
		Skipped:    []journal.Skip{{Target: "east", Why: "open", Until: weir.Some(at.Add(time.Minute))}},
		Attempts: []journal.Attempt{{
			Target: "north", Model: "llama", Dialect: weir.OpenAIChat, Why: journal.First, Started: weir.Dur(time.Millisecond), End: ms(2001),
			Outcome: weir.TimeoutFirstOutput, ErrorType: "first_output", ErrorMessage: "no output within 2 s", Clock: journal.FirstOutputClock,
		}, {
			Target: "south", Model: "claude", Dialect: weir.Anthropic, Why: journal.Failover, Started: weir.Dur(2002 * time.Millisecond),
			Header: ms(2100), FirstEvent: ms(2101), FirstOutput: ms(2200), End: ms(3000), Outcome: weir.Truncated, Status: weir.Some(200), RetryAfter: ms(1000),
			Committed: true, Broken: 1, RequestID: "req_1", Usage: usage, Cost: weir.Some(0.0123),
		}},
		Outcome: weir.OK, ErrorType: "none", ErrorMessage: "nothing", Refused: "rpm", Status: weir.Some(200), Target: "south",
		Held: ms(2200), Early: true, TTFT: ms(2201), TPOT: ms(16), End: ms(3001), Gateway: ms(1), Backpressure: ms(2),
		Usage: usage, UsageEstimated: true, Cost: weir.Some(0.0123), DuplicateRisk: 1, RetryBudgetSpent: true,
		Rescue: &journal.Seam{How: "match", From: "south", To: "west", At: ms(3000), Sent: 100, Same: 100, OK: true},
	}
}
