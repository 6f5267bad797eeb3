package stored

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// SweepWriter keeps a sweep: a Writer for each point, and an index that is
// written anew when a point begins and ends. What was done before a crash is
// there. It is not for concurrent use; the Writers are.
type SweepWriter struct {
	dir     string
	claim   *Claim
	version string // of weir
	index   SweepIndex
	at      int
	point   *Writer // nil: none is open
	err     error   // the first
}

// CreateSweep makes the folder, which must be new or empty, for a sweep of
// this version of weir.
func CreateSweep(dir, version, over string, points []float64) (*SweepWriter, error) {
	claim, err := newFolder(dir)
	if err != nil {
		return nil, err
	}
	f := &SweepWriter{dir: dir, claim: claim, version: version, index: SweepIndex{Schema: IndexSchema, Over: over}}
	for i, p := range points {
		f.index.Points = append(f.index.Points, IndexPoint{Point: p, Folder: fmt.Sprintf("%02d-%s-%v", i+1, over, p), State: PointWaiting})
	}
	if err := f.write(); err != nil {
		return nil, errors.Join(err, claim.Release())
	}
	return f, nil
}

// Begin makes the folder of the i-th point; nil where it cannot be made, which
// is kept for Close.
func (f *SweepWriter) Begin(i int, s report.Settings) *Writer {
	point, err := Create(filepath.Join(f.dir, f.index.Points[i].Folder), f.version, s)
	f.note(err)
	f.at, f.point = i, point
	f.state(PointRunning)
	return point
}

// End writes the summary and the page of the point that was begun.
func (f *SweepWriter) End(s *report.Summary, page func(io.Writer) error) {
	if f.point != nil {
		f.note(f.point.Close(s, page))
		f.point = nil
	}
	if s.Interrupted || s.Budget {
		f.state(PointPartial)
	} else {
		f.state(PointDone)
	}
}

// Close writes the page of the whole sweep, unless that is nil, and says what
// went wrong.
func (f *SweepWriter) Close(page func(io.Writer) error) error {
	f.note(errors.Join(writePage(f.dir, page), f.claim.Release()))
	if f.err == nil {
		return nil
	}
	return &weir.Error{Code: "run_not_saved", Message: "the sweep could not be kept in " + f.dir, Hint: "what was measured is printed; is the disk full?", Err: f.err}
}

func (f *SweepWriter) state(s string) {
	f.index.Points[f.at].State = s
	f.note(f.write())
}

func (f *SweepWriter) note(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *SweepWriter) write() error { return writeJSON(f.dir, SweepFile, f.index) }
