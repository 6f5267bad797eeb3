package stored

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestReplaceKeepsTheOld: a page that cannot be written whole leaves the one
// before, and nothing beside it.
func TestReplaceKeepsTheOld(t *testing.T) {
	dir, full := t.TempDir(), errors.New("no space left on device")
	if err := writePage(dir, aPage); err != nil {
		t.Fatal(err)
	}
	err := writePage(dir, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half a pa")
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, PageFile)); err != nil || string(b) != "a page" {
		t.Errorf("%q, %v", b, err)
	}
}
