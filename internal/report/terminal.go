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
	p.lines(troubles(s)...)
	if !s.Settings.Stream {
		p.lines(WholeLine)
	}
	p.lines(s.Sentences()...)
	if s.Settings.Stream {
		p.lines(fitLine(s))
	}
	p.lines(s.PriceLine(), clientLine(s.Client))
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
	return fmt.Sprintf("merged from %s: %s", Count(len(parts), "run"), strings.Join(parts, ", "))
}

// clockForm is how times of day are shown.
const clockForm = "2006-01-02 15:04 MST"

func lostLines(s *Summary) (lines []string) {
	for _, l := range s.Lost {
		lines = append(lines, red.Render("lost: "+l))
	}
	return lines
}

// PriceLine says how old the prices are and what the costs assume; empty without a
// price.
func (s *Summary) PriceLine() string {
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
		bold.Render(s.Models()), Count(len(s.Targets), "target"), c.Asked(),
		s.Paced(), s.Took(),
	}
	if c.Warmup > 0 {
		parts = append(parts, fmt.Sprintf("%d warm-up", c.Warmup))
	}
	parts = append(parts, c.Texts()...)
	line := strings.Join(parts, " · ") + faint.Render(fmt.Sprintf(" · seed %d", c.Seed))
	return line
}

// Paced is the load: slots, or a rate that the slots cap.
func (s *Summary) Paced() string {
	switch c := s.Settings; {
	case c.Load == "":
		return fmt.Sprintf("concurrency %d per target", c.Concurrency)
	case c.Concurrency > 0:
		return fmt.Sprintf("%s, at most %d under way", c.Load, c.Concurrency)
	default:
		return c.Load
	}
}

// Took is how much was sent in which time, or why it ended early, in the terminal's
// styles.
func (s *Summary) Took() string {
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
		return fmt.Sprintf("%s each in %s over %s", Count(s.Settings.Requests, "request"), Count(v.Blocks, "lap"), d)
	}
	return fmt.Sprintf("%s each in %s", Count(s.Settings.Requests, "request"), d)
}

// Models names the one model, or says how many there are.
func (s *Summary) Models() string {
	names := map[string]bool{}
	for _, t := range s.Targets {
		names[t.Model] = true
	}
	if len(names) == 1 {
		return s.Targets[0].Model
	}
	return Count(len(names), "model")
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
			r[i] = Visible(cell)
			width[i] = max(width[i], lipgloss.Width(r[i]))
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
		latencyBetween(t.TTFT), Latency(t.TTFT, 0.95), Latency(t.TTFT, 0.99),
		Latency(t.TPOT, 0.5), Speed(t.Speed), Latency(t.E2EAtN, 0.5),
		Percent(t.Success), Tokens(t.Prompt), Tokens(t.Output), sent(t),
	}
}

// sent is how many measured requests went out, of how many.
func sent(t *TargetSummary) string {
	if t.Unsent > 0 {
		return fmt.Sprintf("%d of %d", t.Requests, t.Requests+t.Unsent)
	}
	return fmt.Sprint(t.Requests)
}

// latencyBetween is the median with its interval: "212 ms [205, 220]".
func latencyBetween(q Quantiles) string {
	s := Latency(q, 0.5)
	ms, ok := q.P50.Get()
	if !ok {
		return s
	}
	show, _ := Scale(ms)
	if ci := Between(q.CI50, show); ci != "" {
		s += " " + ci
	}
	return s
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
		late, c.Stamps, c.StampError(), 100*bounded, paused, verdict)
}

// StampError is how late the stamps are, to be said behind whose they are; empty
// where that was not sampled.
func (c Client) StampError() string {
	if off, ok := c.StampErrorP99.Get(); ok {
		if c.Stamps == "kernel" {
			return fmt.Sprintf(" (this process was late by p99 %.2f ms; they are not)", off)
		}
		return fmt.Sprintf(", late by p99 %.2f ms", off)
	}
	return ""
}
