package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"weir.dev/weir"
)

// The files of a run's folder.
const (
	SettingsFile = "settings.json"
	TracesFile   = "traces.jsonl"
	SummaryFile  = "summary.json"
	PageFile     = "report.html"
)

// SettingsSchema names the form of settings.json.
const SettingsSchema = "weir.dev/settings/1"

// Opening is what settings.json holds: what was asked, and by whom it was
// begun to be measured.
type Opening struct {
	Schema         string `json:"schema"`
	MetricsVersion int    `json:"metrics_version"`
	Version        string `json:"weir_version"`
	Settings
}

// Folder keeps a run: its settings at once, each raw trace as it ends, the
// summary and the HTML report at the end. What was measured before a crash is
// there.
type Folder struct {
	dir     string
	traces  *os.File
	content []*os.File // one a target; none: it is not kept
	goesOn  bool       // it holds the part of a run already
	streams *Exemplars

	mu   sync.Mutex
	line bytes.Buffer
	err  error // the first
}

// CreateFolder makes the folder, which must be new or empty, for a run of this
// version of weir. Close ends it.
func CreateFolder(dir, version string, s Settings) (*Folder, error) {
	if err := newFolder(dir); err != nil {
		return nil, err
	}
	if err := writeJSON(filepath.Join(dir, SettingsFile), Opening{SettingsSchema, weir.MetricsVersion, version, s}); err != nil {
		return nil, err
	}
	traces, err := os.OpenFile(filepath.Join(dir, TracesFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	return &Folder{dir: dir, traces: traces, streams: NewExemplars(s.Targets)}, nil
}

// ContinueFolder opens the folder of a run that was stopped, to add to it; kept
// are the streams of the part so far. The end of a line that was cut off goes,
// and that part's summary.
func ContinueFolder(dir string, kept *Exemplars) (*Folder, error) {
	if err := os.Remove(filepath.Join(dir, SummaryFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	traces, err := os.OpenFile(filepath.Join(dir, TracesFile), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	if err := cutTail(traces); err != nil {
		return nil, errors.Join(fmt.Errorf("run folder: %s: %w", TracesFile, err), traces.Close())
	}
	return &Folder{dir: dir, traces: traces, streams: kept, goesOn: true}, nil
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

// newFolder makes a folder that is new or empty.
func newFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return &weir.Error{Code: "run_exists", Message: fmt.Sprintf("the folder %s is not empty", dir), Hint: "name a new one: a run is never written over"}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("run folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	return nil
}

// Add writes a trace and releases it. An error is kept for Close: the run goes
// on without its folder.
func (f *Folder) Add(t *weir.Trace) {
	defer t.Release()
	f.streams.Add(t)
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

// Streams are the exemplars of the traces so far.
func (f *Folder) Streams() []Streams { return f.streams.Streams() }

// Close writes the summary, which may be nil, and the report; it says what went
// wrong.
func (f *Folder) Close(s *Summary) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(f.traces.Close(), f.closeContent()); f.err == nil {
		f.err = err
	}
	if s != nil {
		bare := *s
		bare.Requests = nil // traces.jsonl has them whole
		err := errors.Join(
			writeJSON(filepath.Join(f.dir, SummaryFile), &bare),
			writePage(f.dir, func(w io.Writer) error { return HTML(w, s, f.Streams()) }),
		)
		if f.err == nil {
			f.err = err
		}
	}
	if f.err != nil {
		return &weir.Error{Code: "run_not_saved", Message: "the run could not be kept in " + f.dir, Hint: "what was measured is printed; is the disk full?", Err: f.err}
	}
	return nil
}

func writePage(dir string, write func(io.Writer) error) error {
	file, err := os.Create(filepath.Join(dir, PageFile))
	if err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	return errors.Join(write(file), file.Close())
}

func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	if err := os.WriteFile(path, append(b, '\n'), 0o666); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	return nil
}
