package report

import (
	"bufio"
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
	settingsFile = "settings.json"
	tracesFile   = "traces.jsonl"
	summaryFile  = "summary.json"
)

// Folder keeps a run: its settings at once, each raw trace as it ends, the
// summary at the end. What was measured before a crash is there.
type Folder struct {
	dir    string
	file   *os.File
	writer chan struct{} // closed when the writing goroutine is done

	mu    sync.Mutex
	wake  sync.Cond
	queue []*weir.Trace
	ended bool
	err   error
}

// CreateFolder makes the folder, which must be new or empty, and starts the
// writing. Close ends it.
func CreateFolder(dir string, s Settings) (*Folder, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return nil, &weir.Error{Code: "run_exists", Message: fmt.Sprintf("the folder %s is not empty", dir), Hint: "name a new one: a run is never written over"}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("run folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	if err := writeJSON(filepath.Join(dir, settingsFile), s); err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(dir, tracesFile))
	if err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	f := &Folder{dir: dir, file: file, writer: make(chan struct{})}
	f.wake.L = &f.mu
	go f.write()
	return f, nil
}

// Add takes over a trace. It never blocks: the writing goes on behind.
func (f *Folder) Add(t *weir.Trace) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = append(f.queue, t)
	f.wake.Signal()
}

func (f *Folder) write() {
	defer close(f.writer)
	out := bufio.NewWriterSize(f.file, 256<<10)
	for {
		batch, more := f.take()
		for _, t := range batch {
			f.keep(writeLine(out, t))
			t.Release()
		}
		f.keep(out.Flush())
		if !more {
			return
		}
	}
}

func (f *Folder) take() (batch []*weir.Trace, more bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.queue) == 0 && !f.ended {
		f.wake.Wait()
	}
	batch, f.queue = f.queue, nil
	return batch, len(batch) > 0 || !f.ended
}

func writeLine(w io.Writer, t *weir.Trace) error {
	b, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("trace %s: %w", t.ID, err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// keep remembers the first error; the run goes on without its folder.
func (f *Folder) keep(err error) {
	if err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

// Close writes what is left and the summary, which may be nil.
func (f *Folder) Close(s *Summary) error {
	f.mu.Lock()
	f.ended = true
	f.wake.Signal()
	f.mu.Unlock()
	<-f.writer
	f.keep(f.file.Close())
	if s != nil {
		bare := *s
		bare.Requests = nil // traces.jsonl has them whole
		f.keep(writeJSON(filepath.Join(f.dir, summaryFile), &bare))
	}
	if f.err != nil {
		return &weir.Error{Code: "run_not_saved", Message: "the run could not be kept in " + f.dir, Hint: "what was measured is printed; is the disk full?", Err: f.err}
	}
	return nil
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

// maxTraceLine bounds a line of traces.jsonl.
const maxTraceLine = 256 << 20

// ReadTraces reads traces.jsonl. A line cut short at the end, as a crash leaves
// it, is not an error; the number of such lines is returned.
func ReadTraces(r io.Reader) (traces []*weir.Trace, cut int, err error) {
	in := bufio.NewReaderSize(r, 256<<10)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if len(line) > 0 {
			t := new(weir.Trace)
			switch jsonErr := json.Unmarshal(line, t); {
			case jsonErr == nil && t.Outcome.Valid():
				traces = append(traces, t)
			case errors.Is(err, io.EOF):
				cut++
			case jsonErr == nil:
				return traces, cut, fmt.Errorf("line %d: unknown outcome %q", n, t.Outcome)
			default:
				return traces, cut, fmt.Errorf("line %d: %w", n, jsonErr)
			}
		}
		if errors.Is(err, io.EOF) {
			return traces, cut, nil
		}
		if err != nil {
			return traces, cut, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxTraceLine:
			return nil, fmt.Errorf("longer than %d bytes", maxTraceLine)
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}
