package report

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"weir.dev/weir"
)

func (s *Summary) text() (p text) {
	p.lines(headline(s), mergedLine(s))
	p.lines(lostLines(s)...)
	p.lines(sloLine(s))
	p.table(table(s))
	for _, t := range s.Targets {
		p.lines(troubles(s, &t)...)
	}
	if !s.Settings.Stream {
		p.lines(wholeLine)
	}
	p.lines(sentences(s)...)
	if s.Settings.Stream {
		p.lines(fitLine(s))
	}
	p.lines(priceLine(s), clientLine(s.Client))
	return p
}

// mergedLine names the runs that were pooled.
func mergedLine(s *Summary) string {
	var parts []string
	for _, m := range s.Merged {
		parts = append(parts, fmt.Sprintf("%s (%s, %s)", m.Name, m.Started.Format(clockForm), duration(m.Duration.Duration().Seconds())))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("merged from %s: %s", count(len(parts), "run"), strings.Join(parts, ", "))
}

// clockForm is how times of day are shown.
const clockForm = "2006-01-02 15:04 MST"

func lostLines(s *Summary) (lines []string) {
	for _, l := range s.Lost {
		lines = append(lines, red.Render("lost: "+l))
	}
	return lines
}

// priceLine says how old the prices are and what the costs assume.
func priceLine(s *Summary) string {
	var dates, assumed []string
	for i, t := range s.Settings.Targets {
		if t.Price == nil {
			continue
		}
		if d := t.Price.AsOf; d != "" && !slices.Contains(dates, d) {
			dates = append(dates, d)
		}
		for _, a := range s.Targets[i].Assumed {
			if !slices.Contains(assumed, a) {
				assumed = append(assumed, a)
			}
		}
	}
	var parts []string
	if len(dates) > 0 {
		parts = append(parts, "prices of "+strings.Join(dates, ", "))
	}
	if len(assumed) > 0 {
		parts = append(parts, "costs assume: "+strings.Join(assumed, "; "))
	}
	return strings.Join(parts, "; ")
}

var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	red   = lipgloss.NewStyle().Foreground(lipgloss.Red)
)

func headline(s *Summary) string {
	c := s.Settings
	parts := []string{
		bold.Render(models(s)), count(len(s.Targets), "target"), asked(&c),
		paced(s), took(s),
	}
	if c.Warmup > 0 {
		parts = append(parts, fmt.Sprintf("%d warm-up", c.Warmup))
	}
	parts = append(parts, texts(&c)...)
	line := strings.Join(parts, " · ") + faint.Render(fmt.Sprintf(" · seed %d", c.Seed))
	return line
}

// paced is the load: slots, or a rate that the slots cap.
func paced(s *Summary) string {
	switch c := s.Settings; {
	case c.Load == "":
		return fmt.Sprintf("concurrency %d per target", c.Concurrency)
	case c.Concurrency > 0:
		return fmt.Sprintf("%s, at most %d under way", c.Load, c.Concurrency)
	default:
		return c.Load
	}
}

func took(s *Summary) string {
	d := duration(s.Duration.Duration().Seconds())
	if s.Interrupted {
		return red.Render(fmt.Sprintf("interrupted after %s; these are the requests that ended before", d))
	}
	if s.Budget {
		return red.Render(fmt.Sprintf("stopped after %s, since the budget was reached", d))
	}
	if s.Enough {
		return fmt.Sprintf("%s reached after %s", s.Settings.Until, d)
	}
	if s.Settings.Requests == 0 { // as many as the time gave
		return "in " + d
	}
	if v := s.Verdict; v != nil && v.Laps {
		return fmt.Sprintf("%s each in %s over %s", count(s.Settings.Requests, "request"), count(v.Blocks, "lap"), d)
	}
	return fmt.Sprintf("%s each in %s", count(s.Settings.Requests, "request"), d)
}

// models names the one model, or says how many there are.
func models(s *Summary) string {
	names := map[string]bool{}
	for _, t := range s.Targets {
		names[t.Model] = true
	}
	if len(names) == 1 {
		return s.Targets[0].Model
	}
	return count(len(names), "model")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func duration(seconds float64) string {
	if seconds < 90 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.1f min", seconds/60)
}

// table has one row a target, names to the left and figures to the right.
func table(s *Summary) [][]string {
	rows := [][]string{{"", "ttft p50 [95 %]", "p95", "p99", "tpot p50", "speed p50", fmt.Sprintf("e2e@%d", s.Settings.OutputTokens), "ok", "in", "out", "n"}}
	row := row
	if !s.Settings.Stream {
		rows[0], row = wholeHead(), wholeRow
	}
	priced := slices.ContainsFunc(s.Settings.Targets, func(t weir.Target) bool { return t.Price != nil })
	if priced {
		rows[0] = append(rows[0], "$/1M out", "cost $")
	}
	each := slices.ContainsFunc(s.Targets, func(t TargetSummary) bool { return t.SLO != nil && t.SLO.Attainment.Known() })
	if each {
		rows[0] = append(rows[0], "goodput", "within slo")
	}
	for i := range s.Targets {
		r := row(&s.Targets[i])
		if priced {
			r = append(r, charged(s.Settings.Targets[i].Price), costed(&s.Targets[i]))
		}
		if each {
			goodput, within := sloCells(&s.Targets[i])
			r = append(r, goodput, within)
		}
		rows = append(rows, r)
	}
	return rows
}

// align writes rows below their heads, the first column to the left, the others
// to the right.
func align(rows [][]string) string {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			width[i] = max(width[i], lipgloss.Width(cell))
		}
	}
	var b strings.Builder
	for n, r := range rows {
		for i, cell := range r {
			pad := strings.Repeat(" ", width[i]-lipgloss.Width(cell))
			switch {
			case n == 0:
				cell = pad + faint.Render(cell)
			case i == 0:
				cell = bold.Render(cell) + pad
			default:
				cell = pad + cell
			}
			if i > 0 {
				b.WriteString("  ")
			}
			b.WriteString(cell)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func charged(p *weir.Price) string {
	if p == nil {
		return "n/a"
	}
	if v, ok := p.Output.Get(); ok {
		return fmt.Sprintf("%.2f", v)
	}
	return "n/a"
}

func costed(t *TargetSummary) string {
	v, ok := t.Cost.Get()
	if !ok {
		return "n/a"
	}
	mark := ""
	if t.Uncosted > 0 {
		mark = "+"
	}
	return fmt.Sprintf("%.4f", v) + mark
}

func row(t *TargetSummary) []string {
	name := t.Name
	if t.Router {
		name += " (router)"
	}
	return []string{
		name,
		latencyBetween(t.TTFT), latency(t.TTFT, 0.95), latency(t.TTFT, 0.99),
		latency(t.TPOT, 0.5), speed(t.Speed), latency(t.E2EAtN, 0.5),
		percent(t.Success), tokens(t.Prompt), tokens(t.Output), sent(t),
	}
}

// sent is how many measured requests went out, of how many.
func sent(t *TargetSummary) string {
	if t.Unsent > 0 {
		return fmt.Sprintf("%d of %d", t.Requests, t.Requests+t.Unsent)
	}
	return fmt.Sprint(t.Requests)
}

// millis shows a latency with three digits that count, and its unit.
func millis(ms float64) string {
	show, unit := scale(ms)
	return show(ms) + " " + unit
}

// scale is how to show latencies about as long as ms.
func scale(ms float64) (show func(float64) string, unit string) {
	number := func(format string, by float64) func(float64) string {
		return func(v float64) string { return fmt.Sprintf(format, v/by) }
	}
	switch {
	case ms >= 9_995:
		return number("%.1f", 1000), "s"
	case ms >= 995:
		return number("%.2f", 1000), "s"
	case ms >= 99.5:
		return number("%.0f", 1), "ms"
	case ms >= 9.95:
		return number("%.1f", 1), "ms"
	}
	return number("%.2f", 1), "ms"
}

// latencyBetween is the median with its interval: "212 ms [205, 220]".
func latencyBetween(q Quantiles) string {
	s := latency(q, 0.5)
	ms, ok := q.P50.Get()
	if !ok {
		return s
	}
	show, _ := scale(ms)
	if ci := between(q.CI50, show); ci != "" {
		s += " " + ci
	}
	return s
}

func speed(q Quantiles) string {
	v, ok := q.P50.Get()
	switch {
	case !ok:
		return "n/a"
	case v >= 99.5:
		return fmt.Sprintf("%.0f tok/s", v)
	}
	return fmt.Sprintf("%.1f tok/s", v)
}

func percent(v weir.Opt[float64]) string {
	f, ok := v.Get()
	switch {
	case !ok:
		return "n/a"
	case f == 1:
		return "100 %"
	}
	return fmt.Sprintf("%.1f %%", 100*f)
}

func tokens(v weir.Opt[float64]) string {
	f, ok := v.Get()
	if !ok {
		return "n/a"
	}
	return fmt.Sprintf("%.0f", f)
}

func clientLine(c Client) string {
	late, ok := c.LatenessP99.Get()
	if !ok {
		return faint.Render("client: nothing was measured")
	}
	bounded, _ := c.BoundedShare.Get()
	verdict := "not client-limited"
	if c.Limited {
		verdict = red.Render("client-limited: " + c.Why)
	}
	paused := ""
	if ms, ok := c.GCPauses.Get(); ok {
		paused = fmt.Sprintf(" garbage collector paused %.1f ms;", ms.MS())
	}
	return fmt.Sprintf("client: lateness p99 %.2f ms; %s stamps%s, %.2f %% bounded;%s %s.",
		late, c.Stamps, stampError(c), 100*bounded, paused, verdict)
}

func stampError(c Client) string {
	if off, ok := c.StampErrorP99.Get(); ok {
		if c.Stamps == "kernel" {
			return fmt.Sprintf(" (this process was late by p99 %.2f ms; they are not)", off)
		}
		return fmt.Sprintf(", late by p99 %.2f ms", off)
	}
	return ""
}
