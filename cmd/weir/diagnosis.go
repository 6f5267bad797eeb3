package main

import (
	"fmt"
	"strings"

	"weir.dev/weir/internal/faults"
)

// diagnosis is what weir doctor prints.
type diagnosis struct {
	Version     int                    `json:"version"`
	Profile     faults.Profile         `json:"profile"`
	Config      string                 `json:"config"` // empty: the built-in one
	Interrupted bool                   `json:"interrupted"`
	Cells       []diagnosisCell        `json:"cells"` // of each fault the worst of all routes
	Summary     map[faults.Verdict]int `json:"summary"`
	Routes      []routeDiagnosis       `json:"routes"`
}

type diagnosisCell struct {
	faults.Fault
	Verdict faults.Verdict `json:"verdict"`
	Why     string         `json:"why"`
	Route   string         `json:"route"` // that it is the verdict of
}

type routeDiagnosis struct {
	Route     string            `json:"route"`
	Scorecard *faults.Scorecard `json:"scorecard"`
}

// add takes in what was found of one route.
func (d *diagnosis) add(route string, card *faults.Scorecard) {
	d.Routes = append(d.Routes, routeDiagnosis{route, card})
	d.Interrupted = d.Interrupted || card.Interrupted
	for _, c := range card.Cells {
		d.cell(diagnosisCell{c.Fault, c.Verdict, c.Why, route})
	}
	d.Summary = map[faults.Verdict]int{}
	for _, v := range faults.Verdicts() {
		d.Summary[v] = 0
	}
	for _, c := range d.Cells {
		d.Summary[c.Verdict]++
	}
}

func (d *diagnosis) cell(c diagnosisCell) {
	for i := range d.Cells {
		if d.Cells[i].ID == c.ID {
			if c.Verdict.Worse(d.Cells[i].Verdict) {
				d.Cells[i] = c
			}
			return
		}
	}
	d.Cells = append(d.Cells, c)
}

func (d *diagnosis) write(p *process, output string) error {
	if output == "json" {
		return writeJSON(p, d)
	}
	header := []string{"id"}
	for _, r := range d.Routes {
		header = append(header, careful(r.Route))
	}
	rows := [][]string{append(header, "fault", "what was seen")}
	for _, c := range d.Cells {
		row := []string{c.ID}
		for _, r := range d.Routes {
			row = append(row, verdictOf(r.Scorecard, c.ID))
		}
		rows = append(rows, append(row, c.What, careful(c.Why)))
	}
	if err := writeColumns(p, rows); err != nil {
		return err
	}
	for _, r := range d.Routes {
		if _, err := fmt.Fprintf(p.out, "%s: %s\n", careful(r.Route), sums(r.Scorecard)); err != nil {
			return err
		}
	}
	return nil
}

func verdictOf(card *faults.Scorecard, id string) string {
	for _, c := range card.Cells {
		if c.ID == id {
			return string(c.Verdict)
		}
	}
	return ""
}

// sums is a scorecard in a line.
func sums(card *faults.Scorecard) string {
	var parts []string
	for _, v := range faults.Verdicts() {
		if n := card.Summary[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return fmt.Sprintf("%s (profile %s, %.1f s)", strings.Join(parts, ", "), card.Profile, card.Duration.Duration().Seconds())
}
