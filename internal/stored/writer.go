package stored

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// Writer keeps a run in a folder: its settings at once, each raw trace as it ends,
// the summary and the HTML report at the end. What was measured before a crash
// is there.
type Writer struct {
	dir     string
	claim   *Claim
	traces  *os.File
	content []*os.File // one a target; none: it is not kept
	goesOn  bool       // it holds the part of a run already

	mu   sync.Mutex
	line bytes.Buffer
	err  error // the first
}

// Create makes the folder, which must be new or empty, for a run of this
// version of weir. Close ends it.
func Create(dir, version string, s report.Settings) (*Writer, error) {
	claim, err := newFolder(dir)
	if err != nil {
		return nil, err
	}
	if err := writeJSON(dir, SettingsFile, Opening{SettingsSchema, weir.MetricsVersion, version, s}); err != nil {
		return nil, errors.Join(err, claim.Release())
	}
	traces, err := os.OpenFile(filepath.Join(dir, TracesFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o666)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("run folder: %w", err), claim.Release())
	}
	return &Writer{dir: dir, claim: claim, traces: traces}, nil
}

// Continue opens the folder of a run that was stopped, to add to it. It is to be
// claimed before it is read, since its end may be another's beginning; the claim
// is the Writer's. The end of a line that was cut off goes, and that part's summary.
func Continue(claim *Claim) (*Writer, error) {
	dir := claim.dir
	if err := os.Remove(filepath.Join(dir, SummaryFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	traces, err := openFile(dir, TracesFile, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	if err := cutTail(traces); err != nil {
		return nil, errors.Join(fmt.Errorf("run folder: %s: %w", TracesFile, err), traces.Close())
	}
	return &Writer{dir: dir, claim: claim, traces: traces, goesOn: true}, nil
}

// cutTail takes off what follows the last line's end, and leaves the file there.
func cutTail(f *os.File) error {
	at, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	for buf := make([]byte, 64<<10); at > 0; {
		n := min(int64(len(buf)), at)
		if _, err := f.ReadAt(buf[:n], at-n); err != nil {
			return err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			at += int64(i) + 1 - n
			break
		}
		at -= n
	}
	if err := f.Truncate(at); err != nil {
		return err
	}
	_, err = f.Seek(at, io.SeekStart)
	return err
}

// newFolder makes a folder that is new or empty, and claims it.
func newFolder(dir string) (*Claim, error) {
	if err := isEmpty(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	claim, err := NewClaim(dir)
	if err != nil {
		return nil, err
	}
	if err := isEmpty(dir); err != nil { // another was faster
		return nil, errors.Join(err, claim.Release())
	}
	return claim, nil
}

// isEmpty refuses a folder that holds more than a lock.
func isEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil:
		return fmt.Errorf("run folder: %w", err)
	case slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != LockFile }):
		return &weir.Error{Code: "run_exists", Message: fmt.Sprintf("the folder %s is not empty", dir), Hint: "name a new one: a run is never written over"}
	}
	return nil
}

// Add writes a trace and releases it. An error is kept for Close: the run goes
// on without its folder.
func (f *Writer) Add(t *weir.Trace) {
	defer t.Release()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return
	}
	f.line.Reset()
	if err := json.NewEncoder(&f.line).Encode(t); err != nil {
		f.err = fmt.Errorf("trace %s: %w", t.ID, err)
		return
	}
	_, f.err = f.traces.Write(f.line.Bytes())
}

// Close writes the summary and, by what page does, the HTML report; either may be
// nil. It says what went wrong.
func (f *Writer) Close(s *report.Summary, page func(io.Writer) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(f.traces.Close(), f.closeContent()); f.err == nil {
		f.err = err
	}
	if err := errors.Join(f.writeSummary(s), writePage(f.dir, page), f.claim.Release()); f.err == nil {
		f.err = err
	}
	if f.err != nil {
		return &weir.Error{Code: "run_not_saved", Message: "the run could not be kept in " + f.dir, Hint: "what was measured is printed; is the disk full?", Err: f.err}
	}
	return nil
}

func (f *Writer) writeSummary(s *report.Summary) error {
	if s == nil {
		return nil
	}
	bare := *s
	bare.Requests = nil // traces.jsonl has them whole
	return writeJSON(f.dir, SummaryFile, &bare)
}
