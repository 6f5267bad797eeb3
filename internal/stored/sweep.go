package stored

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

const maxPoints = 1000

// openSweep reads the points that were begun.
func openSweep(dir string, b []byte) (*Sweep, error) {
	path := filepath.Join(dir, SweepFile)
	damaged := func(format string, args ...any) error {
		return &weir.Error{
			Code: "run_damaged", Message: path + ": " + fmt.Sprintf(format, args...),
			Hint: "each folder beside it that holds settings.json is a run of its own: report those",
		}
	}
	var form form
	if err := json.Unmarshal(b, &form); err != nil {
		return nil, damaged("%v", err)
	}
	if err := form.check(path, IndexSchema); err != nil {
		return nil, err
	}
	var index SweepIndex
	if err := json.Unmarshal(b, &index); err != nil {
		return nil, damaged("%v", err)
	}
	switch {
	case index.Over != report.OverConcurrency && index.Over != report.OverRate:
		return nil, damaged("over is %q", index.Over)
	case len(index.Points) == 0 || len(index.Points) > maxPoints:
		return nil, damaged("%d points", len(index.Points))
	}
	s := &Sweep{Over: index.Over}
	waiting := false
	for i, p := range index.Points {
		s.Asked = append(s.Asked, p.Point)
		switch p.State {
		case PointWaiting:
			waiting = true
			continue
		case PointRunning, PointPartial, PointDone:
		default:
			return nil, damaged("point %d is %q", i+1, p.State)
		}
		if waiting || !filepath.IsLocal(p.Folder) || strings.ContainsAny(p.Folder, `/\`) {
			return nil, damaged("point %d, in folder %q, is out of order", i+1, p.Folder)
		}
		r, err := openRun(filepath.Join(dir, p.Folder))
		if err != nil {
			return nil, err
		}
		if len(s.Runs) > 0 && !sameNames(s.Runs[0], r) {
			return nil, damaged("point %d has other targets than the first", i+1)
		}
		s.Runs = append(s.Runs, r)
	}
	if len(s.Runs) == 0 {
		return nil, &weir.Error{Code: "run_empty", Message: dir + ": no point of the sweep was begun", Hint: "run it again"}
	}
	return s, nil
}

// sameNames tells whether two points have the same targets.
func sameNames(a, b *Run) bool {
	if len(a.Settings.Targets) != len(b.Settings.Targets) {
		return false
	}
	for i := range a.Settings.Targets {
		if a.Settings.Targets[i].Name != b.Settings.Targets[i].Name {
			return false
		}
	}
	return true
}
