package stored

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// maxTicks bounds the events that whole traces may hold in memory, some 500 MB.
const maxTicks = 10_000_000

// Traces reads the measured traces of a run's folder with all their events, in
// the order in which they ended; of every target, or of the one that is named.
// Lines that hold none are passed over: Open says what was lost.
func Traces(dir, target string) ([]*weir.Trace, error) {
	f, err := os.Open(filepath.Join(dir, report.TracesFile))
	if err != nil {
		return nil, bad("run_traces", dir+" has no "+report.TracesFile, "the events of each request are in it", err)
	}
	defer func() { _ = f.Close() }()
	var out []*weir.Trace
	ticks := 0
	for in := bufio.NewReaderSize(f, 256<<10); ; {
		b := nextBatch(in)
		start := 0
		for _, end := range b.ends {
			t := new(weir.Trace)
			text := b.text[start:end]
			start = end
			if t.UnmarshalJSON(text) != nil || t.Warmup || target != "" && t.Target != target {
				continue
			}
			if ticks += len(t.Ticks); ticks > maxTicks {
				return nil, bad("run_too_long", fmt.Sprintf("%s has more than %d events", dir, maxTicks), "take a shorter run", nil)
			}
			out = append(out, t)
		}
		if errors.Is(b.err, io.EOF) {
			return out, nil
		}
		if b.err != nil {
			return nil, bad("run_traces", dir+" cannot be read on", "", b.err)
		}
	}
}

func bad(code, what, hint string, err error) error {
	return &weir.Error{Code: code, Message: what, Hint: hint, Err: err}
}
