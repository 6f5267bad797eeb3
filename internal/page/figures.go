package page

import (
	"fmt"
	"slices"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/stats"
)

// figures are the table of all targets.
type figures struct {
	Head []heading
	Rows []figureRow
	Foot []string
}

type heading struct{ Text, Sub, Term string } // Term is where it is defined

type figureRow struct {
	Target label
	Fit    *fit
	Cells  []cell
}

// fit is what a target is good enough for.
type fit struct{ Text, Why string }

// cell is a figure with its doubt.
type cell struct {
	Value string
	Doubt string
	None  bool // there is no figure
}

func figuresOf(s *report.Summary, names []label) *figures {
	f := &figures{}
	row := streamedRow
	f.Head = []heading{
		{"first token", "p50", "ttft"},
		{"", "p95", "ttft"},
		{"", "p99", "ttft"},
		{"per token", "p50", "tpot"},
		{"output speed", "p50, tok/s", "output_speed"},
		{fmt.Sprintf("e2e@%d", s.Settings.OutputTokens), "p50", "e2e_at_n"},
	}
	if !s.Settings.Stream {
		row = wholeCells
		f.Head = []heading{{"whole answer", "p50", "e2e"}, {"", "p95", "e2e"}, {"", "p99", "e2e"}, {"whole speed", "p50, tok/s", "whole_speed"}}
		f.Foot = append(f.Foot, upper(report.WholeLine))
	}
	f.Head = append(f.Head, heading{"carried", "tok/s, all slots", "output_rate"}, heading{"success", "", "success"}, heading{"tokens", "in / out", "tokens"}, heading{"n", "", ""})
	priced := slices.ContainsFunc(s.Settings.Targets, func(t weir.Target) bool { return t.Price != nil })
	if priced {
		f.Head = append(f.Head, heading{"cost", "of this run", "cost"})
	}
	for i := range s.Targets {
		t := &s.Targets[i]
		r := figureRow{Target: names[i], Cells: append(row(t), rateCell(t.Steady.OutputRate, t.Steady.OutputError), successCell(t), tokensCell(t), sentCell(t))}
		if s.Settings.Stream {
			r.Fit = fitsOf(t)
		}
		if priced {
			r.Cells = append(r.Cells, costCell(t, s.Settings.Targets[i].Price))
		}
		f.Rows = append(f.Rows, r)
	}
	if line := s.PriceLine(); line != "" {
		f.Foot = append(f.Foot, cut(line, mostText))
	}
	return f
}

func streamedRow(t *report.TargetSummary) []cell {
	return []cell{
		latencyCell(&t.TTFT, 0.5), latencyCell(&t.TTFT, 0.95), latencyCell(&t.TTFT, 0.99),
		latencyCell(&t.TPOT, 0.5), speedCell(&t.Speed), latencyCell(&t.E2EAtN, 0.5),
	}
}

func wholeCells(t *report.TargetSummary) []cell {
	return []cell{latencyCell(&t.E2E, 0.5), latencyCell(&t.E2E, 0.95), latencyCell(&t.E2E, 0.99), speedCell(&t.WholeRate)}
}

func latencyCell(q *report.Quantiles, p float64) cell {
	v, ci := q.At(p)
	ms, ok := v.Get()
	if !ok {
		text := report.Latency(*q, p)
		if q.N > 0 && text[0] == 'n' {
			return cell{Value: "never", Doubt: fmt.Sprintf("%.0f %% came", 100*float64(q.Reached)/float64(q.N)), None: true}
		}
		return cell{Value: text, None: text == "n/a"}
	}
	show, _ := report.Scale(ms)
	return cell{Value: report.Millis(ms), Doubt: doubt95(ci, show, q.N)}
}

// doubt95 is an interval, or that there is none.
func doubt95(ci stats.Interval, show func(float64) string, n int) string {
	if s := report.Between(ci, show); s != "" {
		return s
	}
	lo, ok := ci.Lo.Get()
	switch {
	case ok:
		return "≥ " + show(lo)
	case ci.Hi.Known():
		return "≤ " + show(ci.Hi.Or(0))
	}
	return fmt.Sprintf("n = %d: open", n)
}

func speedCell(q *report.Quantiles) cell {
	v, ok := q.P50.Get()
	if !ok {
		return cell{Value: "n/a", None: true}
	}
	show := report.Throughput
	return cell{Value: show(v), Doubt: doubt95(q.CI50, show, q.N)}
}

// rateCell is a rate in the steady window with its error.
func rateCell(rate, off weir.Opt[float64]) cell {
	v, ok := rate.Get()
	if !ok {
		return cell{Value: "n/a", None: true}
	}
	c := cell{Value: report.Throughput(v)}
	if e, ok := off.Get(); ok {
		c.Doubt = fmt.Sprintf("±%.0f %%", 100*e)
	}
	return c
}

func successCell(t *report.TargetSummary) cell {
	if !t.Success.Known() {
		return cell{Value: "n/a", None: true}
	}
	return cell{Value: report.Percent(t.Success), Doubt: report.Between(t.SuccessCI, func(v float64) string { return fmt.Sprintf("%.1f", 100*v) })}
}

func tokensCell(t *report.TargetSummary) cell {
	if !t.Prompt.Known() && !t.Output.Known() {
		return cell{Value: "n/a", None: true}
	}
	return cell{Value: report.Tokens(t.Prompt) + " / " + report.Tokens(t.Output)}
}

func sentCell(t *report.TargetSummary) cell {
	c := cell{Value: fmt.Sprint(t.Requests), None: t.Requests == 0}
	if t.Unsent > 0 {
		c.Doubt = fmt.Sprintf("of %d", t.Requests+t.Unsent)
	}
	return c
}

func costCell(t *report.TargetSummary, price *weir.Price) cell {
	v, ok := t.Cost.Get()
	if !ok {
		return cell{Value: "n/a", None: true}
	}
	c := cell{Value: fmt.Sprintf("$%.4f", v)}
	if v >= 1 {
		c.Value = report.Dollars(v)
	}
	if out, ok := price.Output.Get(); ok {
		c.Doubt = fmt.Sprintf("%s /1M out", report.Dollars(out))
	}
	if t.Uncosted > 0 {
		c.Value += "+"
	}
	return c
}

// fitsOf is what a target is good enough for, in two lines at most.
func fitsOf(t *report.TargetSummary) *fit {
	if !t.Fit.Batch.Known() {
		return nil
	}
	f := &fit{Text: "chat " + report.YesNo(t.Fit.Chat) + " · batch " + report.YesNo(t.Fit.Batch), Why: t.Fit.Why}
	if f.Why == "" && t.TTFT.OpenEnded(0.95) {
		f.Why = fmt.Sprintf("as far as n = %d tells", t.TTFT.N)
	}
	return f
}
