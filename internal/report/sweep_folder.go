package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"weir.dev/weir"
)

// A sweep's index, and the name of its form.
const (
	SweepFile   = "sweep.json"
	IndexSchema = "weir.dev/sweep-index/1"
)

// How far a point of a sweep is.
const (
	PointWaiting = "waiting"
	PointRunning = "running"
	PointPartial = "partial" // interrupted, or the budget was reached in it
	PointDone    = "done"
)

// SweepIndex is what sweep.json holds: which folder has which point.
type SweepIndex struct {
	Schema string       `json:"schema"`
	Over   string       `json:"over"`
	Points []IndexPoint `json:"points"`
}

// IndexPoint is one point of a sweep in its index.
type IndexPoint struct {
	Point  float64 `json:"point"`
	Folder string  `json:"folder"` // beside the index
	State  string  `json:"state"`  // waiting, running, partial or done
}

// SweepFolder keeps a sweep: a run's Folder for each point, and an index that is
// written anew when a point begins and ends. What was done before a crash is
// there. It is not for concurrent use; the Folders are.
type SweepFolder struct {
	dir     string
	version string // of weir
	index   SweepIndex
	at      int
	point   *Folder // nil: none is open
	err     error   // the first
}

// CreateSweepFolder makes the folder, which must be new or empty, for a sweep of
// this version of weir.
func CreateSweepFolder(dir, version, over string, points []float64) (*SweepFolder, error) {
	if err := newFolder(dir); err != nil {
		return nil, err
	}
	f := &SweepFolder{dir: dir, version: version, index: SweepIndex{Schema: IndexSchema, Over: over}}
	for i, p := range points {
		f.index.Points = append(f.index.Points, IndexPoint{Point: p, Folder: fmt.Sprintf("%02d-%s-%v", i+1, over, p), State: PointWaiting})
	}
	if err := f.write(); err != nil {
		return nil, err
	}
	return f, nil
}

// Begin makes the folder of the i-th point; nil where it cannot be made, which
// is kept for Close.
func (f *SweepFolder) Begin(i int, s Settings) *Folder {
	point, err := CreateFolder(filepath.Join(f.dir, f.index.Points[i].Folder), f.version, s)
	f.note(err)
	f.at, f.point = i, point
	f.state(PointRunning)
	return point
}

// End writes the summary of the point that was begun.
func (f *SweepFolder) End(s *Summary) {
	if f.point != nil {
		f.note(f.point.Close(s))
		f.point = nil
	}
	if s.Interrupted || s.Budget {
		f.state(PointPartial)
	} else {
		f.state(PointDone)
	}
}

// Close writes the report of the whole sweep, and says what went wrong.
func (f *SweepFolder) Close(s *Sweep) error {
	if len(s.Points) > 0 {
		f.note(writePage(f.dir, func(w io.Writer) error { return SweepHTML(w, s) }))
	}
	if f.err == nil {
		return nil
	}
	return &weir.Error{Code: "run_not_saved", Message: "the sweep could not be kept in " + f.dir, Hint: "what was measured is printed; is the disk full?", Err: f.err}
}

func (f *SweepFolder) state(s string) {
	f.index.Points[f.at].State = s
	f.note(f.write())
}

func (f *SweepFolder) note(err error) {
	if f.err == nil {
		f.err = err
	}
}

// write replaces the index in one step, so that there always is a whole one.
func (f *SweepFolder) write() error {
	path := filepath.Join(f.dir, SweepFile)
	if err := writeJSON(path+".new", f.index); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	return nil
}
