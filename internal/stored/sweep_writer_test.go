package stored

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir/internal/report"

	"weir.dev/weir/internal/weirtest/handmade"
)

// TestSweepFolder: at every moment the index says what is there.
func TestSweepFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	f, err := CreateSweep(dir, "v0.0.0-test", report.OverRate, []float64{0.5, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	states := func(want ...string) {
		t.Helper()
		var index SweepIndex
		b, err := os.ReadFile(filepath.Join(dir, SweepFile))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &index); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range index.Points {
			got = append(got, p.Folder+" "+p.State)
		}
		if d := cmp.Diff(want, got); d != "" || index.Over != report.OverRate {
			t.Errorf("%s: %s", b, d)
		}
	}
	states("01-rate-0.5 waiting", "02-rate-1 waiting", "03-rate-2 waiting")
	f.Begin(0, handmade.Run().Settings).Add(handmade.Trace("1"))
	states("01-rate-0.5 running", "02-rate-1 waiting", "03-rate-2 waiting")
	f.End(report.Summarise(handmade.Run()), aPage)
	states("01-rate-0.5 done", "02-rate-1 waiting", "03-rate-2 waiting")
	for _, name := range []string{SettingsFile, TracesFile, SummaryFile, PageFile} {
		if info, err := os.Stat(filepath.Join(dir, "01-rate-0.5", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.Begin(1, handmade.Run().Settings)
	stopped := report.Summarise(handmade.Run())
	stopped.Interrupted = true
	f.End(stopped, aPage)
	states("01-rate-0.5 done", "02-rate-1 partial", "03-rate-2 waiting")
	if err := f.Close(aPage); err != nil {
		t.Error(err)
	}
	for _, page := range []string{PageFile, "01-rate-0.5/" + PageFile, "02-rate-1/" + PageFile} {
		if b, err := os.ReadFile(filepath.Join(dir, page)); err != nil || string(b) != "a page" {
			t.Errorf("%s: %v", page, err)
		}
	}
	if _, err := CreateSweep(dir, "v0.0.0-test", report.OverRate, []float64{1}); err == nil {
		t.Error("a folder that is not empty was taken")
	}
}

// TestSweepFolderThatFails: the sweep goes on, Close says what was lost.
func TestSweepFolderThatFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	f, err := CreateSweep(dir, "v0.0.0-test", report.OverRate, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "01-rate-1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if f.Begin(0, handmade.Run().Settings) != nil {
		t.Error("a file was taken for a folder")
	}
	f.End(report.Summarise(handmade.Run()), aPage)
	if err := f.Close(nil); err == nil || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
}
