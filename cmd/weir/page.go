package main

import (
	"io"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
	"weir.dev/weir/internal/page"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/stored"
)

// exemplars keep the streams that the page of a run shows event by event, those
// of the part before it included; nil where there will be no page.
func (o *outputFlags) exemplars(targets []weir.Target, before *earlier) (*page.Exemplars, error) {
	if o.Save == nil && o.Output != "html" {
		return nil, nil
	}
	kept := page.NewExemplars(targets)
	if before != nil {
		if err := stored.Each(*o.Save, kept.Add); err != nil {
			return nil, usage("--save: %v", err)
		}
	}
	return kept, nil
}

// look lets exemplars see each trace before whoever is to have it.
func look(cfg *bench.Config, kept *page.Exemplars) {
	owner := cfg.OnTrace
	if owner == nil {
		owner = (*weir.Trace).Release
	}
	cfg.OnTrace = func(t *weir.Trace) {
		kept.Add(t)
		owner(t)
	}
}

// runPage writes the page of a run.
func runPage(s *report.Summary, kept *page.Exemplars) func(io.Writer) error {
	return func(w io.Writer) error { return page.Write(w, s, kept.Streams()) }
}

// sweepPage writes the page of a sweep; nil where no point was begun.
func sweepPage(s *report.Sweep) func(io.Writer) error {
	if len(s.Points) == 0 {
		return nil
	}
	return func(w io.Writer) error { return page.WriteSweep(w, s) }
}
