package stored

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOpenWaitsForNoPipe: what is no file is refused, and not waited for.
func TestOpenWaitsForNoPipe(t *testing.T) {
	pipe := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			remove(name)(t, dir)
			if err := unix.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		damage func(*testing.T, string)
		says   string
	}{
		"traces are a pipe": {pipe(TracesFile), "traces.jsonl is a named pipe"},
		"traces are a folder": {func(t *testing.T, dir string) {
			remove(TracesFile)(t, dir)
			if err := os.Mkdir(filepath.Join(dir, TracesFile), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "traces.jsonl is a folder"},
		"traces are a device": {func(t *testing.T, dir string) {
			remove(TracesFile)(t, dir)
			if err := os.Symlink("/dev/zero", filepath.Join(dir, TracesFile)); err != nil {
				t.Fatal(err)
			}
		}, "traces.jsonl is a device"},
		"the index is a pipe": {func(t *testing.T, dir string) {
			if err := unix.Mkfifo(filepath.Join(dir, SweepFile), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "sweep.json is a named pipe"},
	} {
		dir, _ := kept(t)
		c.damage(t, dir)
		_, err := Open(dir)
		if refused(t, err, "run_damaged", c.says); t.Failed() {
			t.Errorf("%s", name)
		}
	}
	dir, _ := kept(t)
	pipe(SettingsFile)(t, dir)
	if f, err := Open(dir); err != nil || len(f.Run.Lost) == 0 {
		t.Errorf("settings that are a pipe, and a whole summary: %v", err)
	}
	dir, _ = kept(t)
	pipe(TracesFile)(t, dir)
	if err := Each(dir, nil); err == nil {
		t.Error("Each read a pipe")
	}
}
