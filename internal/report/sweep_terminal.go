package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weir.dev/weir"
)

// text has a table for each target, with a row for each point. A figure that is
// not known is "-".
func (s *Sweep) text() (p text) {
	if len(s.Points) == 0 {
		return p
	}
	p.lines(s.Headline())
	for _, point := range s.Points {
		for _, line := range lostLines(point.Summary) {
			p.lines(fmt.Sprintf("%s (at %s)", line, PointName(s.Over, point.Point)))
		}
	}
	for i := range s.Points[0].Targets {
		p.table(sweepTable(s, i))
		p.lines(s.troubles(i)...)
		p.lines(s.SaturationLine(i))
	}
	if !s.Points[0].Settings.Stream {
		p.lines(WholeLine)
	}
	p.lines(s.CostLine())
	p.lines(s.ClientLines()...)
	return p
}

// Headline is what was asked over which points, in the terminal's styles.
func (s *Sweep) Headline() string {
	first := s.Points[0].Summary
	c := first.Settings
	var points []string
	for _, p := range s.Asked {
		points = append(points, strconv.FormatFloat(p, 'g', -1, 64))
	}
	over := "concurrency " + strings.Join(points, ", ") + " per target"
	if s.Over == OverRate {
		over = strings.Join(points, ", ") + " req/s per target"
		if c.Concurrency > 0 {
			over += fmt.Sprintf(", at most %d under way", c.Concurrency)
		}
	}
	parts := []string{bold.Render(first.Models()), Count(len(first.Targets), "target"), c.Asked(), over, sweepTook(s)}
	if c.Warmup > 0 {
		parts = append(parts, fmt.Sprintf("%d warm-up", c.Warmup))
	}
	parts = append(parts, c.Texts()...)
	return strings.Join(parts, " · ") + faint.Render(fmt.Sprintf(" · seed %d", c.Seed))
}

func sweepTook(s *Sweep) string {
	d := duration(s.Duration.Duration().Seconds())
	where := fmt.Sprintf("in point %d of %d", len(s.Points), len(s.Asked))
	switch {
	case s.Interrupted:
		return red.Render(fmt.Sprintf("interrupted after %s, %s; these are the requests that ended before", d, where))
	case s.Budget:
		return red.Render(fmt.Sprintf("stopped after %s, %s, since the budget was reached", d, where))
	}
	least, most := s.Points[0].Settings.Requests, 0
	for _, p := range s.Points {
		least, most = min(least, p.Settings.Requests), max(most, p.Settings.Requests)
	}
	switch {
	case least == 0: // as many as the time gave
		return "in " + d
	case least < most:
		return fmt.Sprintf("%d to %d requests at each in %s", least, most, d)
	}
	return fmt.Sprintf("%s at each in %s", Count(most, "request"), d)
}

// sweepTable has one row a point.
func sweepTable(s *Sweep, target int) [][]string {
	head := s.Over
	if s.Over == OverRate {
		head = "req/s asked"
	}
	name, speedHead := s.Points[0].Targets[target].Name, "speed p50"
	if !s.Points[0].Settings.Stream {
		speedHead = "whole speed p50"
	}
	rows := [][]string{{"", head, "n", "ttft p50", "p95", speedHead, "e2e p50", "out tok/s", "req/s", "errors"}}
	for _, p := range s.Points {
		t := &p.Targets[target]
		point := strconv.FormatFloat(p.Point, 'g', -1, 64)
		if p.Partial {
			point = "partial " + point
		}
		fast := t.Speed
		if !p.Settings.Stream {
			fast = t.WholeRate
		}
		rows = append(rows, []string{
			name, point, answered(t),
			orDash(Latency(t.TTFT, 0.5)), orDash(Latency(t.TTFT, 0.95)),
			orDash(Speed(fast)), orDash(Latency(t.E2E, 0.5)),
			carried(t.Steady.OutputRate, t.Steady.OutputError), carried(t.Steady.RequestRate, t.Steady.RequestError), failedAs(t),
		})
		name = ""
	}
	return rows
}

// answered is how many of the requests were answered well, and how many more
// there should have been.
func answered(t *TargetSummary) string {
	n := fmt.Sprintf("%d/%d", t.Outcomes[weir.OK], t.Requests)
	if t.Unsent > 0 {
		n += fmt.Sprintf(" of %d", t.Requests+t.Unsent)
	}
	return n
}

func orDash(cell string) string {
	if strings.HasPrefix(cell, "n/a") {
		return "-"
	}
	return cell
}

// carried is a rate and its error.
func carried(rate, off weir.Opt[float64]) string {
	r, ok := rate.Get()
	if !ok {
		return "-"
	}
	text := Throughput(r)
	if e, ok := off.Get(); ok {
		text += fmt.Sprintf(" ±%.0f %%", 100*e)
	}
	return text
}

// failedAs counts what was not answered well by its outcome.
func failedAs(t *TargetSummary) string {
	var parts []string
	for _, o := range slices.SortedFunc(maps.Keys(t.Outcomes), func(a, b weir.Outcome) int {
		return cmp.Or(cmp.Compare(t.Outcomes[b], t.Outcomes[a]), cmp.Compare(a, b))
	}) {
		if o != weir.OK {
			parts = append(parts, fmt.Sprintf("%d %s", t.Outcomes[o], o))
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, ", ")
}

// SaturationLine says where the target of this number saturates, or why that is not
// told, in the terminal's styles.
func (s *Sweep) SaturationLine(target int) string {
	return saturationLine(s.Over, s.Saturation[target])
}

func saturationLine(over string, s Saturation) string {
	name := bold.Render(s.Target)
	point, ok := s.Point.Get()
	if !ok {
		return fmt.Sprintf("%s: where it saturates is not told: %s", name, s.Why)
	}
	unit := "req/s"
	if s.Throughput == "output_rate" {
		unit = "tok/s"
	}
	line := fmt.Sprintf("%s saturates at %s: %s %s", name, PointName(over, point), Throughput(s.Rate.Or(0)), unit)
	if best := s.BestPoint.Or(point); best != point {
		line += fmt.Sprintf(", within 5 %% of the best seen (%s at %s)", Throughput(s.BestRate.Or(0)), PointName(over, best))
	} else {
		line += ", the best seen"
	}
	smallest := s.Smallest.Or(point)
	if smallest == point {
		return line + "; it is the smallest point"
	}
	if ratio, ok := s.TTFTRatio.Get(); ok {
		line += fmt.Sprintf("; ttft p50 is %s times that at %s", times(ratio), PointName(over, smallest))
	}
	return line
}

func times(ratio float64) string {
	if ratio >= 9.95 {
		return fmt.Sprintf("%.0f", ratio)
	}
	return fmt.Sprintf("%.1f", ratio)
}

// troubles are the lines about one target: failures of all points by class, and
// oddities.
func (s *Sweep) troubles(target int) []string {
	all := s.Pooled(target)
	return fold([]string{all.Name}, [][]string{append(failureLines(s.Points[0].Summary, all), s.Remarks(target)...)})
}

// Pooled is a target with the requests and the failures of all points; it has no
// other figure.
func (s *Sweep) Pooled(target int) *TargetSummary {
	all := &TargetSummary{Name: s.Points[0].Targets[target].Name}
	for _, p := range s.Points {
		all.add(&p.Targets[target])
	}
	return all
}

// Remarks are those on a target, as a Summary has them, with the points at which
// they hold.
func (s *Sweep) Remarks(target int) (lines []string) {
	points := map[string][]string{}
	for _, p := range s.Points {
		t := p.Targets[target]
		if sent := t.Achieved.Or(0); t.SlotWaits == 0 && sent >= nearBest*t.Asked.Or(0) {
			t.Asked = weir.None[float64]() // the table has it
		}
		for _, line := range p.Summary.Remarks(&t) {
			if points[line] == nil {
				lines = append(lines, line)
			}
			points[line] = append(points[line], PointName(s.Over, p.Point))
		}
	}
	for i, line := range lines {
		if len(points[line]) < len(s.Points) {
			lines[i] += " (at " + strings.Join(points[line], ", ") + ")"
		}
	}
	return lines
}

// add joins what failed at another point.
func (out *TargetSummary) add(t *TargetSummary) {
	out.Requests += t.Requests
	out.Warmup += t.Warmup
	out.Unsent += t.Unsent
	out.GaveUp = out.GaveUp || t.GaveUp
	for _, f := range t.Failures {
		i := slices.IndexFunc(out.Failures, func(g Failure) bool {
			return g.Outcome == f.Outcome && g.Status == f.Status && g.ErrorType == f.ErrorType
		})
		if i < 0 {
			out.Failures = append(out.Failures, f)
			continue
		}
		out.Failures[i].Count += f.Count
		if f.RetryAfter.Or(0) > out.Failures[i].RetryAfter.Or(0) {
			out.Failures[i].RetryAfter = f.RetryAfter
		}
	}
}

// CostLine is what all points cost; empty where no cost is known.
func (s *Sweep) CostLine() string {
	sum, known, uncosted := 0.0, false, 0
	for _, p := range s.Points {
		for _, t := range p.Targets {
			v, ok := t.Cost.Get()
			sum, known, uncosted = sum+v, known || ok, uncosted+t.Uncosted
		}
	}
	if !known {
		return ""
	}
	line := fmt.Sprintf("the sweep cost %.4f $", sum)
	if uncosted > 0 {
		line += fmt.Sprintf(", and what %s cost whose usage did not come", Count(uncosted, "request"))
	}
	if about := s.Points[0].Summary.PriceLine(); about != "" {
		line += "; " + about
	}
	return line
}

// ClientLines say at which points this machine was the limit, in the terminal's
// styles.
func (s *Sweep) ClientLines() (lines []string) {
	late := weir.None[float64]()
	for _, p := range s.Points {
		if v, ok := p.Client.LatenessP99.Get(); ok && v >= late.Or(0) {
			late = weir.Some(v)
		}
		if p.Client.Limited {
			lines = append(lines, red.Render(fmt.Sprintf("client-limited at %s: %s", PointName(s.Over, p.Point), p.Client.Why)))
		}
	}
	v, ok := late.Get()
	switch {
	case len(lines) > 0:
		return lines
	case !ok:
		return []string{faint.Render("client: nothing was measured")}
	}
	return []string{fmt.Sprintf("client: lateness p99 at most %.2f ms; not client-limited at any point.", v)}
}
