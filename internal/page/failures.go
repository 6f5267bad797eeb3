package page

import (
	"fmt"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// failuresView is what went wrong, class by class.
type failuresView struct {
	Rows []failureRow
	None string // what no failure means
}

type failureRow struct {
	Target  label
	Count   string
	Share   string
	Outcome string
	Detail  string
	Example string
	Hint    string
}

func failuresOf(s *report.Summary, names []label) (v failuresView) {
	eligible, ok := 0, 0
	for i := range s.Targets {
		t := &s.Targets[i]
		eligible, ok = eligible+t.Eligible, ok+t.Outcomes[weir.OK]
		v.Rows = append(v.Rows, failureRows(s, t, names[i])...)
	}
	switch {
	case eligible == 0:
		v.None = "Nothing was sent, so nothing failed."
	case len(v.Rows) == 0:
		v.None = fmt.Sprintf("No request failed: %d of %d were answered.", ok, eligible)
	}
	return v
}

func failureRows(s *report.Summary, t *report.TargetSummary, name label) (rows []failureRow) {
	total := t.Requests
	if total == 0 {
		total = t.Warmup
	}
	for _, f := range t.Failures {
		r := failureRow{
			Target: name, Count: fmt.Sprintf("%d of %d", f.Count, total), Outcome: string(f.Outcome),
			Example: cut(f.Example, mostText), Hint: cut(s.Hint(t.Name, f), mostText),
		}
		var detail []string
		if f.Status != 0 {
			detail = append(detail, fmt.Sprintf("HTTP %d", f.Status))
		}
		if f.ErrorType != "" {
			detail = append(detail, cut(f.ErrorType, mostName))
		}
		if f.Outcome == weir.Canceled {
			detail = append(detail, "by the interrupt")
		}
		if t.GaveUp {
			r.Hint = strings.TrimPrefix(r.Hint+fmt.Sprintf(" (given up: %s not sent)", report.Count(t.Unsent, "request")), " ")
		}
		r.Detail = strings.Join(detail, ", ")
		rows = append(rows, r)
	}
	return rows
}
