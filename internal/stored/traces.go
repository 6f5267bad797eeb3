package stored

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"

	"weir.dev/weir"
)

const (
	maxLine    = 64 << 20 // bytes; two million events
	batchSize  = 1 << 20  // bytes of lines that one worker decodes at a time
	batchLines = 1000
	maxSamples = 5_000_000 // some 5 GB
)

// line is one of traces.jsonl: a sample, or why there is none.
type line struct {
	sample weir.Sample
	why    string
	cut    bool // it is the last, and its end is missing
}

// batch are lines that follow each other.
type batch struct {
	text  []byte
	ends  []int // of the lines in text
	cut   bool  // the last line has no end
	err   error // of reading on
	lines []line
	done  chan struct{}
}

// eachLine decodes a trace file and calls f for each line, in order, numbered
// from 1. The ticks are dropped once the sample is computed, so what is held is
// a few batches, however long the file is.
func eachLine(r io.Reader, f func(n int, l *line)) error {
	workers := runtime.GOMAXPROCS(0)
	work := make(chan *batch)
	order := make(chan *batch, workers) // bounds how far reading is ahead
	var all sync.WaitGroup
	defer all.Wait()
	for range workers {
		all.Go(func() {
			var t weir.Trace
			for b := range work {
				b.decode(&t)
				close(b.done)
			}
		})
	}
	all.Go(func() {
		defer close(order)
		defer close(work)
		in := bufio.NewReaderSize(r, 256<<10)
		for {
			b := nextBatch(in)
			order <- b
			work <- b
			if b.err != nil {
				return
			}
		}
	})
	n := 0
	var err error
	for b := range order {
		<-b.done
		for i := range b.lines {
			n++
			f(n, &b.lines[i])
		}
		err = b.err
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// nextBatch reads whole lines. One that is too long is left out but for its
// first bytes, which are no trace.
func nextBatch(in *bufio.Reader) *batch {
	b := &batch{text: make([]byte, 0, batchSize+batchSize/4), done: make(chan struct{})}
	start := 0
	for {
		part, err := in.ReadSlice('\n')
		if len(b.text)-start <= maxLine {
			b.text = append(b.text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			if len(b.text) > start {
				b.ends, b.cut = append(b.ends, len(b.text)), true
			}
			b.err = err
			return b
		}
		start = len(b.text)
		b.ends = append(b.ends, start)
		if start >= batchSize || len(b.ends) == batchLines {
			return b
		}
	}
}

// decode fills the lines; t is the worker's, for the room of its ticks.
func (b *batch) decode(t *weir.Trace) {
	b.lines = make([]line, len(b.ends))
	start := 0
	for i, end := range b.ends {
		b.lines[i] = decode(b.text[start:end], t)
		b.lines[i].cut = b.cut && i == len(b.ends)-1
		start = end
	}
	b.text = nil
}

func decode(text []byte, t *weir.Trace) line {
	if len(text) > maxLine {
		return line{why: fmt.Sprintf("longer than %d bytes", maxLine)}
	}
	*t = weir.Trace{Ticks: t.Ticks[:0]}
	switch err := t.UnmarshalJSON(text); {
	case err != nil:
		return line{why: err.Error()}
	case !t.Outcome.Valid():
		return line{why: fmt.Sprintf("unknown outcome %q", t.Outcome)}
	case t.Kind != weir.Bench:
		return line{why: fmt.Sprintf("a trace of kind %q", t.Kind)}
	case min(t.End.Or(0), t.StampError) < 0, len(t.Ticks) > 0 && t.Ticks[0].At < 0:
		return line{why: "a time below 0"}
	case t.Usage.Negative(), min(t.OutputChars, t.AskedTokens) < 0:
		return line{why: "a count below 0"}
	}
	return line{sample: t.Sample()}
}

// counts are the samples of each target that were read.
type counts map[string]int

// readTraces reads the run's samples, and notes what was lost on the way.
func (r *Run) readTraces(dir string) (counts, error) {
	f, err := openFile(dir, TracesFile, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	n := r.take(f)
	return n, f.Close()
}

func (r *Run) take(from io.Reader) counts {
	n := counts{}
	targets := map[string]*weir.Target{}
	for i := range r.Settings.Targets {
		targets[r.Settings.Targets[i].Name] = &r.Settings.Targets[i]
	}
	ids := map[string]bool{}
	var blocks [][]weir.Sample // one slice that grows would be copied, and held twice
	var damaged, foreign, over tally
	cut, twice, taken := false, 0, 0
	err := eachLine(from, func(number int, l *line) {
		s := &l.sample
		t, ours := targets[s.Target]
		switch {
		case l.why != "" && l.cut:
			cut = true
		case l.why != "":
			damaged.add(number, l.why)
		case !ours:
			foreign.add(number, fmt.Sprintf("target %q", s.Target))
		case s.WorkloadID != r.Settings.WorkloadID:
			foreign.add(number, fmt.Sprintf("workload_id %q", s.WorkloadID))
		case s.ID != "" && ids[s.ID]:
			twice++
		case taken == maxSamples:
			over.add(number, fmt.Sprintf("%d requests are taken", maxSamples))
		default:
			ids[s.ID] = true
			taken++
			s.Target, s.WorkloadID = t.Name, r.Settings.WorkloadID // one text for all
			if s.Model == t.Model {
				s.Model = t.Model
			}
			n[t.Name]++
			if k := len(blocks); k == 0 || len(blocks[k-1]) == batchLines {
				blocks = append(blocks, make([]weir.Sample, 0, batchLines))
			}
			blocks[len(blocks)-1] = append(blocks[len(blocks)-1], *s)
		}
	})
	r.Samples = slices.Concat(blocks...)
	if err != nil {
		r.lose("%s cannot be read on: %v", TracesFile, err)
	}
	r.tell("damaged", damaged)
	r.tell("of another run", foreign)
	r.tell("too many", over)
	if cut {
		r.lose("the last line of %s, which was cut while it was written", TracesFile)
	}
	if twice > 0 {
		r.lose("%d requests are in %s more than once, and count once", twice, TracesFile)
	}
	return n
}

func (r *Run) tell(what string, t tally) {
	switch t.n {
	case 0:
	case 1:
		r.lose("line %d of %s, which is %s: %s", t.first, TracesFile, what, t.why)
	default:
		r.lose("%d lines of %s, which are %s, from line %d on: %s", t.n, TracesFile, what, t.first, t.why)
	}
}

// tally counts lines, and knows the first.
type tally struct {
	n, first int
	why      string
}

func (t *tally) add(line int, why string) {
	if t.n++; t.n == 1 {
		t.first, t.why = line, why
	}
}
