package stored

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"weir.dev/weir"
)

// maxTicks bounds the events that whole traces may hold in memory, some 500 MB.
const maxTicks = 10_000_000

// Traces reads the measured traces of a run's folder with all their events, in
// the order in which they ended; of every target, or of the one that is named.
func Traces(dir, target string) (out []*weir.Trace, err error) {
	ticks := 0
	err = eachTrace(dir, func() *weir.Trace { return new(weir.Trace) }, func(t *weir.Trace) error {
		if t.Warmup || target != "" && t.Target != target {
			return nil
		}
		if ticks += len(t.Ticks); ticks > maxTicks {
			return bad("run_too_long", fmt.Sprintf("%s has more than %d events", dir, maxTicks), "take a shorter run", nil)
		}
		out = append(out, t)
		return nil
	})
	return out, err
}

// Each reads all the traces of a run's folder, with all their events. Of a file of
// any length one trace is held at a time: it is f's until f returns.
func Each(dir string, f func(*weir.Trace)) error {
	one := new(weir.Trace)
	next := func() *weir.Trace {
		*one = weir.Trace{Ticks: one.Ticks[:0]}
		return one
	}
	return eachTrace(dir, next, func(t *weir.Trace) error {
		f(t)
		return nil
	})
}

// eachTrace reads a folder's traces into what next gives. Lines that hold none
// are passed over: Open says what was lost.
func eachTrace(dir string, next func() *weir.Trace, f func(*weir.Trace) error) error {
	file, err := openFile(dir, TracesFile, os.O_RDONLY)
	if err != nil {
		return bad("run_traces", dir+" has no "+TracesFile, "the events of each request are in it", err)
	}
	defer func() { _ = file.Close() }()
	for in := bufio.NewReaderSize(file, 256<<10); ; {
		b := nextBatch(in)
		start := 0
		for _, end := range b.ends {
			t, text := next(), b.text[start:end]
			start = end
			if t.UnmarshalJSON(text) != nil {
				continue
			}
			if err := f(t); err != nil {
				return err
			}
		}
		if errors.Is(b.err, io.EOF) {
			return nil
		}
		if b.err != nil {
			return bad("run_traces", dir+" cannot be read on", "", b.err)
		}
	}
}

func bad(code, what, hint string, err error) error {
	return &weir.Error{Code: code, Message: what, Hint: hint, Err: err}
}
