package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"weir.dev/weir"
)

func trace(id string) *weir.Trace {
	at := time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)
	return &weir.Trace{
		ID: id, Kind: weir.Bench, Target: "north", Model: "m", Due: at, Sent: at.Add(100 * time.Microsecond), Outcome: weir.OK, Status: 200,
		Ticks: weir.Ticks{
			{At: 50 * time.Millisecond, Lo: 50 * time.Millisecond, Kind: weir.TickText, Bytes: 4},
			{At: 60 * time.Millisecond, Lo: 59 * time.Millisecond, Kind: weir.TickText, Bytes: 4},
		},
		Usage: weir.Usage{Prompt: weir.Some(9), Completion: weir.Some(2)}, TokenSource: weir.TokensFromUsage, End: weir.SpanOf(61 * time.Millisecond),
	}
}

func TestFolderKeepsARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	f, err := CreateFolder(dir, "v0.0.0-test", handMade().Settings)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, SettingsFile)); err != nil {
		t.Errorf("settings are not there before the run: %v", err)
	}
	var all sync.WaitGroup
	released := make(chan string, 1000)
	for i := range 1000 {
		all.Go(func() {
			tr := trace(fmt.Sprint(i))
			tr.OnRelease(func(tr *weir.Trace) { released <- tr.ID })
			f.Add(tr)
		})
	}
	all.Wait()
	s := Summarise(handMade())
	s.Requests = []weir.Sample{sample("north", time.Millisecond, time.Millisecond)}
	if err := f.Close(s); err != nil {
		t.Fatal(err)
	}
	if len(s.Requests) != 1 {
		t.Error("Close changed the summary")
	}
	if len(released) != 1000 {
		t.Errorf("%d of 1000 traces were released", len(released))
	}
	kept, err := os.ReadFile(filepath.Join(dir, TracesFile))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for text := range bytes.Lines(kept) {
		tr := new(weir.Trace)
		if err := json.Unmarshal(text, tr); err != nil {
			t.Fatal(err)
		}
		seen[tr.ID] = true
		want, _ := json.Marshal(trace(tr.ID).Sample())
		got, _ := json.Marshal(tr.Sample())
		if string(want) != string(got) {
			t.Fatalf("kept %s, was %s", got, want)
		}
	}
	if len(seen) != 1000 {
		t.Errorf("%d different ones", len(seen))
	}
	for _, name := range []string{SettingsFile, SummaryFile} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !json.Valid(b) || !strings.HasSuffix(string(b), "}\n") {
			t.Errorf("%s: %v\n%s", name, err, b)
		}
	}
}

func TestFolderRefusesWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	if f, err := CreateFolder(dir, "v0.0.0-test", Settings{}); err != nil {
		t.Errorf("an empty folder: %v", err)
	} else if err := f.Close(nil); err != nil {
		t.Error(err)
	}
	_, err := CreateFolder(dir, "v0.0.0-test", Settings{})
	var e *weir.Error
	if !errors.As(err, &e) || e.Code != "run_exists" || !strings.Contains(e.Message, dir) || e.Hint == "" {
		t.Errorf("a folder with a run: %v", err)
	}
	if _, err := CreateFolder(filepath.Join(dir, SettingsFile), "v0.0.0-test", Settings{}); err == nil {
		t.Error("a file was taken for a folder")
	}
	if _, err := CreateFolder(filepath.Join(dir, SettingsFile, "below"), "v0.0.0-test", Settings{}); err == nil {
		t.Error("a folder was made below a file")
	}
}

// TestFolderSurvivesAWriteError: the run goes on, every trace is still taken
// and released, and Close says what went wrong.
func TestFolderSurvivesAWriteError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("only Linux has a device that is always full")
	}
	dir := t.TempDir()
	f := &Folder{dir: dir, traces: full, streams: NewExemplars(nil)}
	released := 0
	var mu sync.Mutex
	const n = 5000
	for i := range n {
		tr := trace(fmt.Sprint(i))
		tr.OnRelease(func(*weir.Trace) { mu.Lock(); released++; mu.Unlock() })
		f.Add(tr)
	}
	err = f.Close(Summarise(handMade()))
	var e *weir.Error
	if !errors.As(err, &e) || e.Code != "run_not_saved" || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("%v", err)
	}
	if released != n {
		t.Errorf("%d of %d traces were released", released, n)
	}
	if _, err := os.Stat(filepath.Join(dir, SummaryFile)); err != nil {
		t.Errorf("the summary, which could be written, was not: %v", err)
	}
}
