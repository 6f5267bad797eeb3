package page

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"weir.dev/weir/internal/chart"

	"weir.dev/weir/internal/report"
)

// sweepView is what only a sweep has.
type sweepView struct {
	Over    string
	Told    []note // where each target saturates, or why that is not told
	Charts  []curves
	Head    []heading
	Targets []sweepTarget
	Cost    string
}

type sweepTarget struct {
	Target label
	Rows   []sweepRow
}

type sweepRow struct {
	Point string
	Mark  bool // where it saturates
	Cells []cell
}

// WriteSweep writes a sweep as one page, as Write does a run.
func WriteSweep(w io.Writer, s *report.Sweep) error {
	if len(s.Points) == 0 {
		return nil
	}
	first := s.Points[0].Summary
	names := labels(first)
	view := &sweepView{Over: s.Over, Cost: cut(s.CostLine(), mostText)}
	p := page{
		Title: "weir bench: " + short(first.Models()), Names: names, Sweep: view,
		Facts:    []string{cut(ansi.Strip(s.Headline()), mostText)},
		Settings: sweepSettings(s), Measured: sweepMeasured(s), Terms: append(terms(first.Settings.Stream), saturationTerm),
	}
	if s.Interrupted {
		p.Alerts = append(p.Alerts, "This sweep was interrupted: the figures are of the points and requests that ended before.")
	} else if s.Budget {
		p.Alerts = append(p.Alerts, "This sweep was stopped when its budget was reached: the figures are of what was sent.")
	}
	view.fill(s, names)
	p.sweepFailures(s, names)
	p.Headline = sweepPhrases(s)
	return p.write(w)
}

func (v *sweepView) fill(s *report.Sweep, names []label) {
	stream := s.Points[0].Settings.Stream
	v.Head = []heading{{"", s.Over, ""}, {"first token", "p50", "ttft"}, {"", "p95", "ttft"}, {"output speed", "p50, tok/s", "output_speed"}, {"carried", "tok/s", "output_rate"}, {"carried", "req/s", "output_rate"}, {"success", "", "success"}, {"n", "", ""}}
	if !stream {
		v.Head[1], v.Head[2], v.Head[3] = heading{"whole answer", "p50", "e2e"}, heading{"", "p95", "e2e"}, heading{"whole speed", "p50, tok/s", "whole_speed"}
	}
	for i, name := range names {
		told := strings.TrimPrefix(ansi.Strip(s.SaturationLine(i)), ansi.Strip(s.Points[0].Targets[i].Name)) // the label has it
		v.Told = append(v.Told, noteOf(name, strings.TrimPrefix(strings.TrimPrefix(told, ":"), " ")))
		one := sweepTarget{Target: name}
		for _, p := range s.Points {
			t := &p.Targets[i]
			at, sat := s.Saturation[i].Point.Get()
			row := sweepRow{Point: strconv.FormatFloat(p.Point, 'g', -1, 64), Mark: sat && at == p.Point}
			if p.Partial {
				row.Point += " (partial)"
			}
			row.Cells = []cell{latencyCell(&t.TTFT, 0.5), latencyCell(&t.TTFT, 0.95), speedCell(&t.Speed)}
			if !stream {
				row.Cells = []cell{latencyCell(&t.E2E, 0.5), latencyCell(&t.E2E, 0.95), speedCell(&t.WholeRate)}
			}
			requests := cell{Value: "-"}
			if t.Steady.RequestRate.Known() {
				requests = rateCell(t.Steady.RequestRate, t.Steady.RequestError)
			}
			row.Cells = append(row.Cells, rateCell(t.Steady.OutputRate, t.Steady.OutputError), requests, successCell(t), sentCell(t))
			one.Rows = append(one.Rows, row)
		}
		v.Targets = append(v.Targets, one)
	}
	v.Charts = sweepCharts(s, names)
}

// sweepCharts are throughput and waits against the load.
func sweepCharts(s *report.Sweep, names []label) []curves {
	stream := s.Points[0].Settings.Stream
	rate := chart.Loads{Label: "throughput against the load", ShowX: pointAxis, ShowY: rateAxis}
	wait := chart.Loads{Label: "median wait against the load", ShowX: pointAxis, ShowY: millisAxis}
	var keys []curveKey
	byTokens := true
	for i, name := range names {
		sat := &s.Saturation[i]
		tokens := sat.Throughput == "output_rate"
		byTokens = byTokens && tokens
		keys = append(keys, curveKey{Target: name})
		lines := [2]chart.LoadLine{{Class: name.Class, Title: name.Text, Mark: sat.Point.Or(math.NaN())}, {Class: name.Class, Title: name.Text, Mark: sat.Point.Or(math.NaN())}}
		for _, p := range s.Points {
			t := &p.Targets[i]
			r, off := t.Steady.RequestRate.Or(math.NaN()), t.Steady.RequestError.Or(0)
			if tokens {
				r, off = t.Steady.OutputRate.Or(math.NaN()), t.Steady.OutputError.Or(0)
			}
			lines[0].Loads = append(lines[0].Loads, chart.Load{X: p.Point, Lo: r * (1 - off), Y: r, Hi: r * (1 + off)})
			q := &t.TTFT
			if !stream {
				q = &t.E2E
			}
			v := q.P50.Or(math.NaN())
			lines[1].Loads = append(lines[1].Loads, chart.Load{X: p.Point, Lo: q.CI50.Lo.Or(v), Y: v, Hi: q.CI50.Hi.Or(v)})
		}
		for k := range lines {
			slices.SortStableFunc(lines[k].Loads, func(a, b chart.Load) int { return int(math.Copysign(1, a.X-b.X)) })
		}
		rate.Lines, wait.Lines = append(rate.Lines, lines[0]), append(wait.Lines, lines[1])
	}
	unit := "requests/s"
	if byTokens {
		unit = "output tokens/s"
	}
	what := "time to first token"
	if !stream {
		what = "time to the whole answer"
	}
	return []curves{
		{Title: "Throughput", Says: unit + " in the steady window, ± two standard errors", Chart: rate.Draw(), Keys: keys},
		{Title: "Median " + what, Says: "with its 95 % interval", Chart: wait.Draw(), Keys: keys},
	}
}

func pointAxis(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// sweepPhrases is the headline.
func sweepPhrases(s *report.Sweep) (head []phrase) {
	if !s.Answered() {
		return []phrase{{Text: "Nothing was answered"}}
	}
	for i := range s.Saturation {
		sat := &s.Saturation[i]
		if point, ok := sat.Point.Get(); ok {
			if len(head) > 0 {
				head = append(head, phrase{Text: "; "})
			}
			head = append(head, phrase{Name: true, Text: short(sat.Target)}, phrase{Text: " saturates at " + report.PointName(s.Over, point)})
		}
	}
	if len(head) == 0 {
		return []phrase{{Text: "Where it saturates is not told"}}
	}
	return head
}

// sweepFailures joins the failures and oddities of all points.
func (p *page) sweepFailures(s *report.Sweep, names []label) {
	for i := range names {
		all := s.Pooled(i)
		p.Failures.Rows = append(p.Failures.Rows, failureRows(s.Points[0].Summary, all, names[i])...)
		for _, line := range s.Remarks(i) {
			p.Notes = append(p.Notes, noteOf(names[i], line))
		}
	}
	if len(p.Failures.Rows) == 0 {
		p.Failures.None = "No request failed at any point."
	}
}

func sweepSettings(s *report.Sweep) []fact {
	points := make([]string, len(s.Asked))
	for i, v := range s.Asked {
		points[i] = pointAxis(v)
	}
	out := []fact{{"sweep", s.Over + " " + strings.Join(points, ", ")}}
	for _, f := range settingFacts(&s.Points[0].Settings) {
		if f.Name != "load" && f.Name != "at most under way" && f.Name != "requests" {
			out = append(out, f)
		}
	}
	return out
}

func sweepMeasured(s *report.Sweep) []fact {
	out := []fact{
		{"started", s.Started.UTC().Format("2006-01-02 15:04:05 MST")},
		{"took", fmt.Sprint(s.Duration.Duration())},
		{"weir", fmt.Sprintf("%s, metrics version %d", cut(s.Version, mostName), s.MetricsVersion)},
	}
	for _, line := range s.ClientLines() {
		out = append(out, fact{"client", cut(strings.TrimPrefix(ansi.Strip(line), "client: "), mostText)})
	}
	return out
}

var saturationTerm = term{"saturation", "saturation", "the smallest point whose throughput is within 5 % of the best that was seen. It is told only where three points or more count, the best and the point before are further apart than their errors, the throughputs are known to 10 %, and it is not the largest point."}
