package stored

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"weir.dev/weir"
)

// LockFile is in a folder while a process writes to it, with the number of that
// process. The lock is the system's: a process that was killed holds none, though
// the file is there.
const LockFile = "run.lock"

// Claim is the right to write to a folder, which one process has at a time. Who
// reads needs none.
type Claim struct {
	dir  string
	lock *flock.Flock // nil: it was released, or this file system knows no locks
}

// NewClaim takes the folder, which is there. Where another process has it the
// error names that one.
func NewClaim(dir string) (*Claim, error) {
	path := filepath.Join(dir, LockFile)
	for range 10 { // each time another process had it, and took the file away
		lock := flock.New(path, flock.SetPermissions(0o666))
		mine, err := lock.TryLock()
		switch {
		case errors.Is(err, errors.ErrUnsupported): // a network's file system, say
			return &Claim{dir: dir}, nil
		case err != nil:
			return nil, fmt.Errorf("run folder: %w", err)
		case !mine:
			return nil, taken(dir)
		case isAt(lock, path):
			c := &Claim{dir, lock}
			c.sign()
			return c, nil
		}
		_ = lock.Close()
	}
	return nil, taken(dir)
}

// isAt tells whether the file that is locked is still the one that others find.
func isAt(lock *flock.Flock, path string) bool {
	mine, err1 := lock.Stat()
	found, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(mine, found)
}

// sign writes the number of this process, which serves a message only. It begins
// at the second byte: on Windows the first is locked, and no one can read it.
func (c *Claim) sign() {
	f, err := os.OpenFile(filepath.Join(c.dir, LockFile), os.O_WRONLY, 0)
	if err != nil {
		return
	}
	_, _ = f.WriteAt(fmt.Appendf(nil, "%-20d\n", os.Getpid()), 1)
	_ = f.Close()
}

// Release gives the folder up. It may be called more than once, and of nil.
func (c *Claim) Release() error {
	if c == nil || c.lock == nil {
		return nil
	}
	lock := c.lock
	c.lock = nil
	gone := os.Remove(lock.Path()) // while it is locked: who finds a new file has the folder
	if err := lock.Close(); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	if gone != nil && !errors.Is(gone, fs.ErrNotExist) { // Windows removes no file that is open
		_ = os.Remove(lock.Path())
	}
	return nil
}

// taken says who writes to the folder.
func taken(dir string) error {
	who := "another process"
	if f, err := os.Open(filepath.Join(dir, LockFile)); err == nil {
		b, _ := io.ReadAll(io.NewSectionReader(f, 1, 20))
		_ = f.Close()
		if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil {
			who = fmt.Sprintf("process %d", pid)
		}
	}
	return &weir.Error{
		Code: "run_busy", Message: fmt.Sprintf("%s writes to the folder %s", who, dir),
		Hint: "a run has one writer: wait for its end, or stop it; weir report shows what there is already",
	}
}
