package main

import (
	"fmt"
	"slices"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/stored"
)

// earlier is the part of a run that was kept before it was stopped. Its folder is
// claimed, so that no other process goes on with it, until release.
type earlier struct {
	*stored.Run
	claim *stored.Claim
}

func (e *earlier) release() {
	if e != nil {
		_ = e.claim.Release() // the process's end does it, too
	}
}

// earlier reads it; nil without --resume. The seed is that of the run.
func (c *benchCmd) earlier() (before *earlier, err error) {
	if !c.Resume {
		return nil, nil //nolint:nilnil // there is none
	}
	if c.Save == nil {
		return nil, usage("--resume goes on with the run in the folder of --save: name that too")
	}
	if c.open() || c.Duration > 0 {
		return nil, usage("--resume: a run by --rate, --trace or --duration cannot go on, since its time went on; start a new one")
	}
	if _, err := stored.Open(*c.Save); err != nil { // a folder that is none is not written to
		return nil, unusable(err)
	}
	claim, err := stored.NewClaim(*c.Save)
	if err != nil {
		return nil, usage("--resume: %v", err)
	}
	defer func() {
		if err != nil {
			_ = claim.Release()
		}
	}()
	folder, err := stored.Open(*c.Save)
	switch {
	case err != nil:
		return nil, unusable(err)
	case folder.Run == nil || c.Sweep != nil:
		return nil, usage("--resume: a sweep cannot go on; start a new one")
	case folder.Run.Kept != nil:
		return nil, usage("--resume: %s has lost its traces.jsonl", *c.Save)
	}
	kept := folder.Run.Settings
	if c.Seed != 0 && c.Seed != kept.Seed {
		return nil, usage("--resume: --seed %d, and the run has %d: leave it out", c.Seed, kept.Seed)
	}
	c.Seed = kept.Seed
	return &earlier{folder.Run, claim}, nil
}

// measured is how many requests of a target there are already.
func (e *earlier) measured(target string) int {
	n := 0
	for i := range e.Samples {
		if s := &e.Samples[i]; s.Target == target && !s.Warmup {
			n++
		}
	}
	return n
}

// goOn makes the configuration that of what is left.
func (e *earlier) goOn(cfg *bench.Config) error {
	kept := &e.Settings
	cfg.Salt = kept.Work.Salt
	same := func(a, b weir.Target) bool {
		return a.Name == b.Name && a.URL == b.URL && a.Dialect == b.Dialect && a.Model == b.Model
	}
	switch {
	case !slices.EqualFunc(cfg.Targets, kept.Targets, same):
		return usage("--resume: the run was of other targets: give the command that began it")
	case cfg.Requests != kept.Requests:
		return usage("--resume: --requests %d, and the run has %d", cfg.Requests, kept.Requests)
	case cfg.ID() != kept.WorkloadID || cfg.Concurrency != kept.Concurrency:
		return usage("--resume: the run asked something else, or under another load: give the command that began it")
	}
	used, laps := 0, 0
	for _, t := range kept.Targets {
		used = max(used, e.measured(t.Name))
	}
	for i := range e.Samples {
		laps = max(laps, e.Samples[i].Block.Or(-1)+1)
	}
	used = (used + cfg.Concurrency - 1) / cfg.Concurrency * cfg.Concurrency // what was under way may be in a cache
	if used >= kept.Requests {
		return usage("--resume: all %d requests of the run were sent; weir report shows it", kept.Requests)
	}
	cfg.Before = bench.Before{Begun: e.Started, Laps: laps, Requests: used}
	cfg.Requests = kept.Requests - used
	return nil
}

// join puts both parts together.
func (e *earlier) join(r report.Run) report.Run {
	r.Settings = e.Settings
	if !e.Started.IsZero() { // else it was stopped before anything had ended
		r.Started, r.Duration = e.Started, time.Since(e.Started)
	}
	r.Samples = slices.Concat(e.Samples, r.Samples)
	for i, t := range r.Settings.Targets {
		n := 0
		for k := range r.Samples {
			if s := &r.Samples[k]; s.Target == t.Name && !s.Warmup {
				n++
			}
		}
		r.Notes[i].Unsent = max(0, r.Settings.Requests-n)
	}
	return r
}

// folder is where a run is kept; nil without --save.
func (o *outputFlags) folder(cfg *bench.Config, settings report.Settings, before *earlier) (folder *stored.Writer, err error) {
	switch {
	case o.Save == nil:
		return nil, nil //nolint:nilnil // nothing is kept
	case *o.Save == "":
		return nil, usage("--save is empty: name a new folder")
	case before != nil:
		folder, err = stored.Continue(before.claim)
	default:
		folder, err = stored.Create(*o.Save, version(), settings)
	}
	if err != nil {
		return nil, usage("--save: %v", err)
	}
	cfg.OnTrace = folder.Add
	return folder, o.keepContent(cfg, folder)
}

// says tells how far the run was.
func (e *earlier) says(cfg *bench.Config) string {
	if e.Started.IsZero() {
		return fmt.Sprintf("weir: going on with a run of which nothing was kept: all %d requests each are left", cfg.Requests)
	}
	return fmt.Sprintf("weir: going on with the run of %s: %d of %d requests each are left", e.Started.Format(time.DateTime), cfg.Requests, e.Settings.Requests)
}
