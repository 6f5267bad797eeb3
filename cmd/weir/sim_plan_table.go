package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine/plan"
)

// planTable is what is shown.
type planTable struct {
	Model   string         `json:"model"`
	Load    string         `json:"load"`
	Lengths string         `json:"lengths"`
	SLO     string         `json:"slo"`
	Seed    uint64         `json:"seed"`
	Answers []*plan.Answer `json:"deployments"`
}

func (t planTable) write(p *process) error {
	first := t.Answers[0]
	fmt.Fprintf(p.out, "%s, %s weights, %s KV, %s; %s of %s tokens\n\n", t.Model, first.Weights, first.KV, first.Engine, t.Load, t.Lengths)
	if err := writeColumns(p, t.rows()); err != nil {
		return err
	}
	fmt.Fprintln(p.out)
	t.notes(p)
	for _, a := range t.Answers {
		if a.Explain != nil {
			if err := writeExplanation(p, a); err != nil {
				return err
			}
		}
	}
	told := map[string]bool{}
	for _, a := range t.Answers {
		for _, doubt := range a.Doubts {
			if !a.Problem.Known() && !told[doubt] {
				fmt.Fprintln(p.err, "weir: in doubt: "+doubt)
			}
			told[doubt] = true
		}
	}
	return nil
}

// rows are figures, a column for each deployment.
func (t planTable) rows() [][]string {
	var rows [][]string
	add := func(name string, cell func(*plan.Answer) string) {
		row := []string{name}
		some := false
		for _, a := range t.Answers {
			text := ""
			if !a.Problem.Known() {
				text = cell(a)
			}
			some = some || text != ""
			row = append(row, cmp.Or(text, "n/a"))
		}
		if some {
			rows = append(rows, row)
		}
	}
	header := []string{""}
	for _, a := range t.Answers {
		header = append(header, deploymentName(a))
	}
	rows = append(rows, header)
	for _, d := range []struct {
		name, unit string
		of         func(*plan.Answer) plan.Distribution
	}{
		{"ttft", " ms", func(a *plan.Answer) plan.Distribution { return a.TTFT }},
		{"itl", " ms", func(a *plan.Answer) plan.Distribution { return a.ITL }},
		{"output speed", " tok/s", func(a *plan.Answer) plan.Distribution { return a.Speed }},
		{"e2e", " ms", func(a *plan.Answer) plan.Distribution { return a.E2E }},
	} {
		add(d.name+" p50", func(a *plan.Answer) string { return figure(d.of(a).P50, d.unit) })
		add(d.name+" p95", func(a *plan.Answer) string { return figure(d.of(a).P95, d.unit) })
		add(d.name+" p99", func(a *plan.Answer) string { return figure(d.of(a).P99, d.unit) })
	}
	add("requests/s", func(a *plan.Answer) string { return figure(a.Rate, "") })
	add("output tokens/s", func(a *plan.Answer) string { return figure(a.Output, "") })
	add("under way", func(a *plan.Answer) string { return figure(a.UnderWay, "") })
	add("carries the load", func(a *plan.Answer) string { return yesNo(a.KeepsUp) })
	add("meets the SLO", func(a *plan.Answer) string { return yesNo(a.MeetsSLO) })
	t.limits(add)
	return rows
}

// limits are the rows of the most that is within the SLO, and of costs.
func (t planTable) limits(add func(string, func(*plan.Answer) string)) {
	add("most within the SLO", func(a *plan.Answer) string {
		if a.Limit == nil {
			return ""
		}
		return limitText(a.Limit)
	})
	add("  users under way then", func(a *plan.Answer) string {
		if a.Limit == nil || a.Limit.Of == "users" {
			return ""
		}
		return figure(a.Limit.Users, "")
	})
	add("  output tokens/s then", func(a *plan.Answer) string {
		if a.Limit == nil {
			return ""
		}
		return figure(a.Limit.Output, "")
	})
	for _, c := range []struct {
		name string
		of   func(*plan.Answer) *plan.Cost
	}{
		{"at this load", func(a *plan.Answer) *plan.Cost { return a.Cost }},
		{"at the most", func(a *plan.Answer) *plan.Cost { return a.Best }},
	} {
		add("USD per 1M output tokens, "+c.name, func(a *plan.Answer) string {
			return money(c.of(a), func(x *plan.Cost) weir.Opt[float64] { return x.Output })
		})
		add("  input / output by time", func(a *plan.Answer) string {
			in := money(c.of(a), func(x *plan.Cost) weir.Opt[float64] { return x.InputShare })
			if in == "" {
				return ""
			}
			return in + " / " + money(c.of(a), func(x *plan.Cost) weir.Opt[float64] { return x.OutputShare })
		})
	}
}

// notes say how the figures came about, and what is not in the table.
func (t planTable) notes(p *process) {
	n, seeds := 0, 0
	for _, a := range t.Answers {
		if why, ok := a.Problem.Get(); ok {
			fmt.Fprintf(p.out, "%s: %s\n", deploymentName(a), why)
			continue
		}
		n, seeds = max(n, a.Requests), max(seeds, a.Seeds)
		if carried, ok := a.KeepsUp.Get(); ok && !carried {
			fmt.Fprintf(p.out, "%s: %s are more than it carries: the queue grows without end, and waits have no distribution; the rates are those of full load\n", deploymentName(a), t.Load)
		}
		if len(a.Unsettled) > 0 {
			fmt.Fprintf(p.out, "%s: a run of %d requests does not settle %s; give --requests\n", deploymentName(a), a.Requests/max(1, a.Seeds), strings.Join(a.Unsettled, ", "))
		}
		if l := a.Limit; l != nil && l.Why != "" {
			fmt.Fprintf(p.out, "%s: above the most, %s\n", deploymentName(a), l.Why)
		}
	}
	if t.SLO != "" {
		fmt.Fprintf(p.out, "SLO: %s\n", t.SLO)
	}
	what := "full load"
	if n > 0 {
		what = fmt.Sprintf("%d requests", n)
	}
	fmt.Fprintf(p.out, "%s in %d seeds; in brackets the 95 %% interval over the seeds\n", what, seeds)
}

func writeExplanation(p *process, a *plan.Answer) error {
	fmt.Fprintf(p.out, "\n%s: what the time of a step hangs on\n", deploymentName(a))
	rows := [][]string{{"phase", "time", "binds", "compute", "bandwidth", "links", "CPU", "launches", "MFU", "MBU"}}
	for _, f := range a.Explain.Phases {
		s := f.Shares
		row := []string{f.Name, digits(f.Time) + " ms", f.Binds}
		for _, share := range []float64{s.Compute, s.Bandwidth, s.Links, s.CPU, s.Launches, f.MFU, f.MBU} {
			row = append(row, fmt.Sprintf("%.0f %%", 100*share))
		}
		rows = append(rows, row)
	}
	if err := writeColumns(p, rows); err != nil {
		return err
	}
	knee := "no knee: memory binds the matrices at any batch"
	if k, ok := a.Explain.Knee.Get(); ok {
		knee = fmt.Sprintf("knee at %d tokens in a step: below it, more are nearly free", k)
	}
	_, err := fmt.Fprintf(p.out, "%s; KV cache of %d tokens, %.1f requests of mean length\n", knee, a.Explain.KVTokens, a.Explain.KVUsers)
	return err
}

func deploymentName(a *plan.Answer) string {
	return fmt.Sprintf("%d x %s", a.TP, a.GPU)
}

// figure is a value with its interval, or empty.
func figure(f plan.Figure, unit string) string {
	v, ok := f.Value.Get()
	if !ok {
		return ""
	}
	s := digits(v) + unit
	lo, bounded := f.Interval.Lo.Get()
	hi, also := f.Interval.Hi.Get()
	if bounded && also {
		s += fmt.Sprintf(" [%s, %s]", digits(lo), digits(hi))
	}
	return s
}

func limitText(l *plan.Limit) string {
	unit := " users"
	if l.Of != "users" {
		unit = " requests/s"
	}
	if l.Value == 0 {
		return "none"
	}
	s := digits(l.Value) + unit
	if l.AtLeast {
		return "at least " + s
	}
	hi, bounded := l.Interval.Hi.Get()
	if !bounded {
		return s + " [" + digits(l.Interval.Lo.Or(0)) + ", ...]"
	}
	return fmt.Sprintf("%s [%s, %s]", s, digits(l.Interval.Lo.Or(0)), digits(hi))
}

// digits shows three of them, or all of a whole number's.
func digits(v float64) string {
	size := max(v, -v)
	switch {
	case size >= 100 || v == float64(int64(v)):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case size >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case size >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case size >= 0.001:
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

func money(c *plan.Cost, of func(*plan.Cost) weir.Opt[float64]) string {
	if c == nil {
		return ""
	}
	usd, ok := of(c).Get()
	if !ok {
		return ""
	}
	return digits(usd)
}

func yesNo(b weir.Opt[bool]) string {
	v, ok := b.Get()
	switch {
	case !ok:
		return ""
	case v:
		return "yes"
	}
	return "no"
}
