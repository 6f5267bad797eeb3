package stored

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// ended takes from the summary what no trace tells.
func (r *Run) ended(kept *report.Summary, n counts) {
	r.Started, r.Duration = kept.Started, kept.Duration.Duration()
	r.Interrupted, r.Budget, r.Enough = kept.Interrupted, kept.Budget, kept.Enough
	r.GCPauses, r.StampErrorP99, r.StampErrorMax = kept.Client.GCPauses, kept.Client.StampErrorP99, kept.Client.StampErrorMax
	byName := map[string]*report.TargetSummary{}
	for i := range kept.Targets {
		byName[kept.Targets[i].Name] = &kept.Targets[i]
	}
	for _, t := range r.Settings.Targets {
		s := byName[t.Name]
		if s == nil {
			r.Notes = append(r.Notes, report.TargetNote{})
			r.lose("%s says nothing of %s", SummaryFile, t.Name)
			continue
		}
		r.Notes = append(r.Notes, noteOf(s))
		if gone := s.Requests + s.Warmup - n[t.Name]; gone > 0 {
			r.lose("%d of the %d requests to %s, which %s counts", gone, s.Requests+s.Warmup, t.Name, SummaryFile)
		}
	}
}

// noteOf is what a target's figures say that its samples do not.
func noteOf(s *report.TargetSummary) report.TargetNote {
	return report.TargetNote{
		Unsent: s.Unsent, GaveUp: s.GaveUp, Learned: s.Learned, Lengths: s.Lengths, Missed: s.Missed, SlotWaits: s.SlotWaits,
		Asked: s.Asked, Drawn: s.Drawn, Achieved: s.Achieved,
		QuotaRefused: s.Quota.Refused, QuotaWaited: s.Quota.Waited.Duration(), QuotaLimits: s.Quota.Limits,
	}
}

// killed judges a run that has no summary by its traces alone.
func (r *Run) killed(missing bool, why string) {
	r.Interrupted = missing // a summary that is damaged had been written when all was over
	if missing {
		why += ": the run was killed, or goes on; these are the requests that had ended"
	}
	r.lose("%s. What the endpoints did not take, quotas, and the garbage collector's pauses are not known", why)
	var end time.Time
	measured := map[string]int{}
	for i := range r.Samples {
		s := &r.Samples[i]
		if r.Started.IsZero() || s.Due.Before(r.Started) {
			r.Started = s.Due
		}
		if at := s.Due.Add((s.Lateness + s.End.Or(0)).Duration()); at.After(end) {
			end = at
		}
		if !s.Warmup {
			measured[s.Target]++
		}
	}
	r.Duration = max(0, end.Sub(r.Started))
	for _, t := range r.Settings.Targets {
		r.Notes = append(r.Notes, report.TargetNote{Unsent: max(0, r.Settings.Requests-measured[t.Name])})
	}
}

// Named reads runs to be compared or merged. They are called by the last part of
// their folders' paths where that tells them apart, else by the paths.
func Named(dirs []string) ([]report.Named, error) {
	var out []report.Named
	seen := map[string]bool{}
	names := shortNames(dirs)
	for i, dir := range dirs {
		if seen[dir] {
			return nil, &weir.Error{Code: "run_twice", Message: dir + " is named twice", Hint: "name each run once"}
		}
		seen[dir] = true
		f, err := Open(dir)
		switch {
		case err != nil:
			return nil, err
		case f.Sweep != nil:
			return nil, &weir.Error{Code: "run_is_sweep", Message: dir + " is a sweep", Hint: "its points are compared: name their folders, such as " + fmt.Sprintf("%s/01-%s-%v", dir, f.Sweep.Over, f.Sweep.Asked[0])}
		case f.Run.Kept != nil:
			return nil, &weir.Error{Code: "run_damaged", Message: dir + " has lost its " + TracesFile, Hint: "runs are compared by their traces; this one can only be shown"}
		}
		out = append(out, report.Named{Name: names[i], Run: f.Run.Run})
	}
	return out, nil
}

func shortNames(dirs []string) []string {
	short := make([]string, len(dirs))
	for i, dir := range dirs {
		short[i] = filepath.Base(dir)
		if short[i] == "." || short[i] == ".." || slices.Contains(short[:i], short[i]) {
			return dirs
		}
	}
	return short
}
