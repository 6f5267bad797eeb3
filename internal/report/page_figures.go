package report

import (
	"fmt"
	"slices"

	"weir.dev/weir"
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

func figuresOf(s *Summary, names []label) *figures {
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
		f.Foot = append(f.Foot, upper(wholeLine))
	}
	f.Head = append(f.Head, heading{"carried", "tok/s, all slots", "output_rate"}, heading{"success", "", "success"}, heading{"tokens", "in / out", "tokens"}, heading{"n", "", ""})
	priced := slices.ContainsFunc(s.Settings.Targets, func(t weir.Target) bool { return t.Price != nil })
	if priced {
		f.Head = append(f.Head, heading{"cost", "of this run", "cost"})
	}
	for i := range s.Targets {
		t := &s.Targets[i]
		r := figureRow{Target: names[i], Cells: append(row(t), carriedCell(t), successCell(t), tokensCell(t), sentCell(t))}
		if s.Settings.Stream {
			r.Fit = fitsOf(t)
		}
		if priced {
			r.Cells = append(r.Cells, costCell(t, s.Settings.Targets[i].Price))
		}
		f.Rows = append(f.Rows, r)
	}
	if line := priceLine(s); line != "" {
		f.Foot = append(f.Foot, cut(line, mostText))
	}
	return f
}

func streamedRow(t *TargetSummary) []cell {
	return []cell{
		latencyCell(&t.TTFT, 0.5), latencyCell(&t.TTFT, 0.95), latencyCell(&t.TTFT, 0.99),
		latencyCell(&t.TPOT, 0.5), speedCell(&t.Speed), latencyCell(&t.E2EAtN, 0.5),
	}
}

func wholeCells(t *TargetSummary) []cell {
	return []cell{latencyCell(&t.E2E, 0.5), latencyCell(&t.E2E, 0.95), latencyCell(&t.E2E, 0.99), speedCell(&t.WholeRate)}
}

func latencyCell(q *Quantiles, p float64) cell {
	v, ci := q.at(p)
	ms, ok := v.Get()
	if !ok {
		text := latency(*q, p)
		if q.N > 0 && text[0] == 'n' {
			return cell{Value: "never", Doubt: fmt.Sprintf("%.0f %% came", 100*float64(q.Reached)/float64(q.N)), None: true}
		}
		return cell{Value: text, None: text == "n/a"}
	}
	show, _ := scale(ms)
	return cell{Value: millis(ms), Doubt: doubt95(ci, show, q.N)}
}

// doubt95 is an interval, or that there is none.
func doubt95(ci stats.Interval, show func(float64) string, n int) string {
	if s := between(ci, show); s != "" {
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

func speedCell(q *Quantiles) cell {
	v, ok := q.P50.Get()
	if !ok {
		return cell{Value: "n/a", None: true}
	}
	show := throughput
	return cell{Value: show(v), Doubt: doubt95(q.CI50, show, q.N)}
}

func carriedCell(t *TargetSummary) cell {
	v, ok := t.Steady.OutputRate.Get()
	if !ok {
		return cell{Value: "n/a", None: true}
	}
	c := cell{Value: throughput(v)}
	if off, ok := t.Steady.OutputError.Get(); ok {
		c.Doubt = fmt.Sprintf("±%.0f %%", 100*off)
	}
	return c
}

func successCell(t *TargetSummary) cell {
	if !t.Success.Known() {
		return cell{Value: "n/a", None: true}
	}
	return cell{Value: percent(t.Success), Doubt: between(t.SuccessCI, func(v float64) string { return fmt.Sprintf("%.1f", 100*v) })}
}

func tokensCell(t *TargetSummary) cell {
	if !t.Prompt.Known() && !t.Output.Known() {
		return cell{Value: "n/a", None: true}
	}
	return cell{Value: tokens(t.Prompt) + " / " + tokens(t.Output)}
}

func sentCell(t *TargetSummary) cell {
	c := cell{Value: fmt.Sprint(t.Requests), None: t.Requests == 0}
	if t.Unsent > 0 {
		c.Doubt = fmt.Sprintf("of %d", t.Requests+t.Unsent)
	}
	return c
}

func costCell(t *TargetSummary, price *weir.Price) cell {
	v, ok := t.Cost.Get()
	if !ok {
		return cell{Value: "n/a", None: true}
	}
	c := cell{Value: fmt.Sprintf("$%.4f", v)}
	if v >= 1 {
		c.Value = dollars(v)
	}
	if out, ok := price.Output.Get(); ok {
		c.Doubt = fmt.Sprintf("%s /1M out", dollars(out))
	}
	if t.Uncosted > 0 {
		c.Value += "+"
	}
	return c
}

// fitsOf is what a target is good enough for, in two lines at most.
func fitsOf(t *TargetSummary) *fit {
	if !t.Fit.Batch.Known() {
		return nil
	}
	f := &fit{Text: "chat " + yes(t.Fit.Chat) + " · batch " + yes(t.Fit.Batch), Why: t.Fit.Why}
	if f.Why == "" && t.TTFT.mark(0.95) != "" {
		f.Why = fmt.Sprintf("as far as n = %d tells", t.TTFT.N)
	}
	return f
}
