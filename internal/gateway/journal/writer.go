package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"weir.dev/weir"
)

const (
	batch    = 64 << 10 // bytes that are written at once where records wait
	sayAgain = 10 * time.Second
)

// writer appends records to a file from a goroutine that alone has the file.
type writer struct {
	path    string
	records chan *Record    // full: the record is dropped, and counted
	reopens chan chan error // nothing waits in it
	done    chan struct{}   // closed by the goroutine, after the last write
	dropped *atomic.Uint64
	logger  *slog.Logger

	file    io.WriteCloser
	encoder encoder
	lines   bytes.Buffer // not written yet
	held    int          // records in lines
	torn    bool         // the file ends within a line
	said    uint64       // how many drops were spoken of
	when    time.Time    // and when
	err     error        // of closing
}

func newWriter(o Options, dropped *atomic.Uint64) (*writer, error) {
	file, err := openFile(o.Path)
	if err != nil {
		return nil, err
	}
	w := &writer{
		path: o.Path, records: make(chan *Record, o.Buffer), reopens: make(chan chan error), done: make(chan struct{}),
		dropped: dropped, logger: o.Logger, file: file,
	}
	if w.logger == nil {
		w.logger = slog.New(slog.DiscardHandler)
	}
	go w.run()
	return w, nil
}

func openFile(path string) (io.WriteCloser, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, &weir.Error{Code: "bad_log", Message: "cannot open the request log", Hint: "its folder must exist, and the file must be one that weir may append to", Err: err}
	}
	return file, nil
}

// run is the owner of the file.
func (w *writer) run() {
	defer close(w.done)
	for {
		select {
		case r, more := <-w.records:
			if !more {
				w.flush()
				w.err = w.file.Close()
				return
			}
			w.add(r)
			if len(w.records) == 0 || w.lines.Len() >= batch {
				w.flush()
			}
		case answer := <-w.reopens:
			answer <- w.swap()
		}
	}
}

func (w *writer) add(r *Record) {
	line, err := w.encoder.appendRecord(w.lines.AvailableBuffer(), r)
	if err != nil { // a time outside of years 0 to 9999, an infinite cost
		w.lose(1, err)
		return
	}
	w.lines.Write(append(line, '\n'))
	w.held++
}

// flush writes whole lines, in one write where the system takes them at once.
func (w *writer) flush() {
	defer w.say(nil)
	if w.held == 0 {
		return
	}
	out := w.lines.Bytes()
	if w.torn {
		out = append([]byte{'\n'}, out...)
	}
	n, err := w.file.Write(out)
	if err != nil {
		whole := bytes.Count(out[:n], []byte{'\n'})
		if w.torn && n > 0 {
			whole--
		}
		w.torn = n == 0 && w.torn || n > 0 && out[n-1] != '\n'
		w.lose(w.held-whole, err)
	} else {
		w.torn = false
	}
	w.lines.Reset()
	w.held = 0
}

func (w *writer) lose(n int, err error) {
	w.dropped.Add(uint64(n))
	w.say(err)
}

// say tells of losses, now and then.
func (w *writer) say(err error) {
	lost := w.dropped.Load()
	if lost == w.said || !w.when.IsZero() && time.Since(w.when) < sayAgain {
		return
	}
	attrs := []any{slog.String("path", w.path), slog.Uint64("lost", lost-w.said), slog.Uint64("lost_in_all", lost)}
	if err != nil {
		attrs = append(attrs, slog.Any("err", err))
	}
	w.logger.Warn("request log lost records", attrs...)
	w.said, w.when = lost, time.Now()
}

// swap changes to the file that now has the path. What was added before still
// goes to the old one.
func (w *writer) swap() error {
	for range len(w.records) {
		w.add(<-w.records)
	}
	w.flush()
	file, err := openFile(w.path)
	if err != nil {
		return err
	}
	old := w.file
	w.file, w.torn = file, false
	return old.Close()
}

func (w *writer) reopen() error {
	answer := make(chan error, 1) // the owner never waits for who asked
	select {
	case w.reopens <- answer:
		return <-answer
	case <-w.done:
		return nil
	}
}

// close ends the goroutine. Nothing may be sent to records after it has begun.
func (w *writer) close() error {
	close(w.records)
	<-w.done
	var broken error
	if lost := w.dropped.Load(); lost > 0 {
		broken = fmt.Errorf("the request log %s lacks %d records", w.path, lost)
	}
	return errors.Join(broken, w.err)
}
