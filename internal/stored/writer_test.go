package stored

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

// aPage stands for what package page writes.
func aPage(w io.Writer) error {
	_, err := io.WriteString(w, "a page")
	return err
}

func TestFolderKeepsARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	f, err := Create(dir, "v0.0.0-test", handmade.Run().Settings)
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
			tr := handmade.Trace(fmt.Sprint(i))
			tr.OnRelease(func(tr *weir.Trace) { released <- tr.ID })
			f.Add(tr)
		})
	}
	all.Wait()
	s := report.Summarise(handmade.Run())
	s.Requests = []weir.Sample{handmade.Sample("north", time.Millisecond, time.Millisecond)}
	if err := f.Close(s, aPage); err != nil {
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
		want, _ := json.Marshal(handmade.Trace(tr.ID).Sample())
		got, _ := json.Marshal(tr.Sample())
		if string(want) != string(got) {
			t.Fatalf("kept %s, was %s", got, want)
		}
	}
	if len(seen) != 1000 {
		t.Errorf("%d different ones", len(seen))
	}
	if b, err := os.ReadFile(filepath.Join(dir, PageFile)); err != nil || string(b) != "a page" {
		t.Errorf("%s: %v, %q", PageFile, err, b)
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
	if f, err := Create(dir, "v0.0.0-test", report.Settings{}); err != nil {
		t.Errorf("an empty folder: %v", err)
	} else if err := f.Close(nil, nil); err != nil {
		t.Error(err)
	}
	_, err := Create(dir, "v0.0.0-test", report.Settings{})
	var e *weir.Error
	if !errors.As(err, &e) || e.Code != "run_exists" || !strings.Contains(e.Message, dir) || e.Hint == "" {
		t.Errorf("a folder with a run: %v", err)
	}
	if _, err := Create(filepath.Join(dir, SettingsFile), "v0.0.0-test", report.Settings{}); err == nil {
		t.Error("a file was taken for a folder")
	}
	if _, err := Create(filepath.Join(dir, SettingsFile, "below"), "v0.0.0-test", report.Settings{}); err == nil {
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
	f := &Writer{dir: dir, traces: full}
	released := 0
	var mu sync.Mutex
	const n = 5000
	for i := range n {
		tr := handmade.Trace(fmt.Sprint(i))
		tr.OnRelease(func(*weir.Trace) { mu.Lock(); released++; mu.Unlock() })
		f.Add(tr)
	}
	err = f.Close(report.Summarise(handmade.Run()), aPage)
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
