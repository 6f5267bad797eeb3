package faults

import (
	"time"

	"weir.dev/weir"
)

// ScorecardVersion is that of a Scorecard's JSON form.
const ScorecardVersion = 1

// Scorecard is what Run found.
type Scorecard struct {
	Version     int             `json:"version"`
	URL         string          `json:"url"`
	Profile     Profile         `json:"profile"`
	Run         string          `json:"run"` // the mark that the wall's log has
	Started     time.Time       `json:"started"`
	Duration    weir.Dur        `json:"duration_ms"`
	Interrupted bool            `json:"interrupted"`
	Cells       []Cell          `json:"cells"` // in the order of the catalogue
	Summary     map[Verdict]int `json:"summary"`
}

// Cell is one fault's line.
type Cell struct {
	Fault
	Verdict Verdict `json:"verdict"` // the worst of its parts
	Why     string  `json:"why"`     // of that part
	Parts   []Part  `json:"parts"`
}

// Part is one case of a fault.
type Part struct {
	Variant  string    `json:"variant"` // empty: the plain one
	Verdict  Verdict   `json:"verdict"`
	Why      string    `json:"why"`
	Notes    []string  `json:"notes"`
	Caller   View      `json:"caller"`
	Attempts []Attempt `json:"attempts"`
}

// newCell sums the parts of a fault up.
func newCell(f fault, parts []Part) Cell {
	c := Cell{Fault: Fault{f.id, f.what, f.want}, Verdict: Skipped, Parts: parts}
	for i, p := range parts {
		if i == 0 || p.Verdict.Worse(c.Verdict) {
			c.Verdict, c.Why = p.Verdict, p.Why
			if p.Variant != "" {
				c.Why = p.Variant + ": " + p.Why
			}
		}
	}
	return c
}

func (s *Scorecard) sum() {
	s.Summary = map[Verdict]int{}
	for _, v := range Verdicts() {
		s.Summary[v] = 0
	}
	for _, c := range s.Cells {
		s.Summary[c.Verdict]++
	}
}
