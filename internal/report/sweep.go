package report

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"weir.dev/weir"
)

// SweepSchema names the form of the JSON that a sweep is written in.
const SweepSchema = "weir.dev/sweep/1"

// What a sweep goes over.
const (
	OverConcurrency = "concurrency" // slots of each target
	OverRate        = "rate"        // requests per second of each target
)

// Sweep is the same work at several loads, one after the other.
type Sweep struct {
	Schema         string       `json:"schema"`
	MetricsVersion int          `json:"metrics_version"`
	Version        string       `json:"weir_version"`
	Started        time.Time    `json:"started"`
	Duration       weir.Dur     `json:"duration_ms"`
	Interrupted    bool         `json:"interrupted"`
	Budget         bool         `json:"budget_reached"` // of the whole sweep
	Over           string       `json:"over"`           // concurrency or rate
	Asked          []float64    `json:"asked"`          // the points, in the order they were asked for
	Points         []SweepPoint `json:"points"`         // those that were begun
	Saturation     []Saturation `json:"saturation"`     // one a target
}

// SweepPoint is the run at one of a sweep's points.
type SweepPoint struct {
	Point   float64 `json:"point"`
	Partial bool    `json:"partial"` // it was interrupted, or the budget was reached in it
	*Summary
}

// NewSweep joins the runs at the first len(runs) of the points.
func NewSweep(over string, asked []float64, runs []*Summary) *Sweep {
	s := &Sweep{Schema: SweepSchema, MetricsVersion: weir.MetricsVersion, Over: over, Asked: asked}
	for i, run := range runs {
		s.Points = append(s.Points, SweepPoint{Point: asked[i], Partial: run.Interrupted || run.Budget, Summary: run})
		s.Interrupted = s.Interrupted || run.Interrupted
		s.Budget = s.Budget || run.Budget
	}
	if len(runs) == 0 {
		return s
	}
	first, last := runs[0], runs[len(runs)-1]
	s.Version, s.Started = first.Version, first.Started
	s.Duration = weir.Dur(last.Started.Sub(first.Started)) + last.Duration
	for i := range first.Targets {
		s.Saturation = append(s.Saturation, saturation(s.Over, s.Points, i))
	}
	return s
}

// PointName says which point it is.
func PointName(over string, point float64) string {
	if over == OverRate {
		return fmt.Sprintf("%v req/s", point)
	}
	return fmt.Sprintf("%s %v", over, point)
}

// Answered tells whether any request of the sweep was answered well.
func (s *Sweep) Answered() bool {
	return slices.ContainsFunc(s.Points, func(p SweepPoint) bool { return p.Summary.Answered() })
}

func (s *Sweep) runs() ([]string, []labelled) {
	var out []labelled
	for _, p := range s.Points {
		out = append(out, labelled{[]string{strconv.FormatFloat(p.Point, 'g', -1, 64)}, p.Summary})
	}
	return []string{"point"}, out
}
