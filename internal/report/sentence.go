package report

import (
	"fmt"
	"slices"
	"strings"

	"weir.dev/weir/internal/stats"
)

// sentences are the verdict as people read it.
func sentences(s *Summary) (lines []string) {
	v := s.Verdict
	if v == nil {
		return nil
	}
	if v.Why != "" {
		line := "no verdict: " + v.Why
		if len(v.Metrics) > 0 {
			line += fmt.Sprintf(": %d of the %d that it takes; ask for more requests", v.Metrics[0].Duels[0].Blocks, stats.MinBlocks)
		}
		return append(lines, line+spreadWords(s))
	}
	if len(v.Metrics[0].Duels) == 1 {
		return append(lines, v.pair()+spreadWords(s))
	}
	for i := range v.Metrics {
		lines = append(lines, v.Metrics[i].ranking())
	}
	lines[len(lines)-1] += v.over()
	return append(lines, strings.TrimPrefix(spreadWords(s), "; "))
}

// pair is the verdict on two targets.
func (v *Verdict) pair() string {
	var found, missed []string
	subject, p := "", 0.0
	for i := range v.Metrics {
		m := &v.Metrics[i]
		d := &m.Duels[0]
		if !d.Differs {
			missed = append(missed, "no difference found in "+words[m.Metric]+power(d))
			continue
		}
		p = max(p, d.Adjusted)
		l := m.lead(d)
		says := l.String()
		if l.who != subject {
			says = l.who + " is " + says
		}
		subject = l.who
		found = append(found, says)
	}
	line := strings.Join(found, " and ")
	if len(found) > 0 {
		line += ", " + chance(p)
	}
	if len(missed) > 0 {
		if line != "" {
			line += "; "
		}
		line += strings.Join(missed, "; ")
	}
	return line + v.over()
}

var words = map[string]string{"output_speed": "output speed", "ttft": "time to first token", "e2e": "e2e"}

// lead is who is ahead of the other in a figure, and by how much.
type lead struct{ who, amount, interval, what string }

func (l lead) String() string { return l.amount + " " + l.what + " " + l.interval }

func (m *MetricResult) lead(d *DuelResult) lead {
	ratio, ci := d.Ratio.Or(1), d.Interval
	if m.Metric == speedMetric.name {
		who := d.B
		if ratio < 1 {
			who, ratio = d.A, 1/ratio
			ci = stats.Between(1/ci.Hi.Or(1), 1/ci.Lo.Or(1))
		}
		return lead{who, factor(ratio) + "x", between(ci, factor), "faster in output speed"}
	}
	who := d.B
	ms, delta := d.DeltaMS.Or(0), d.DeltaCI
	if ms > 0 {
		who = d.A
	} else {
		ms, delta = -ms, stats.Interval{Lo: signed(delta.Hi, -1), Hi: signed(delta.Lo, -1)}
	}
	show, _ := scale(ms)
	what := "quicker to the first token"
	if m.Metric == e2eMetric.name {
		what = "quicker to the end"
	}
	return lead{who, millis(ms), between(delta, show), what}
}

func factor(v float64) string { return fmt.Sprintf("%.2f", v) }

// power says what would have been seen.
func power(d *DuelResult) string {
	v, ok := d.Detectable.Get()
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (one of %.2g %% would have been seen with 80 %% power)", 100*v)
}

func chance(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.2g", p)
}

// over is how much the verdict stands on.
func (v *Verdict) over() string {
	s := fmt.Sprintf(" over %d blocks", v.Metrics[0].Duels[0].Blocks)
	if v.Short {
		s += ", during these " + spanWords(v.Span.Duration().Minutes())
	} else {
		s += " in " + spanWords(v.Span.Duration().Minutes())
	}
	return s
}

func spanWords(minutes float64) string {
	switch {
	case minutes < 1.5:
		return fmt.Sprintf("%.0f seconds", 60*minutes)
	case minutes < 100:
		return fmt.Sprintf("%.0f minutes", minutes)
	}
	return fmt.Sprintf("%.1f hours", minutes/60)
}

// spreadWords is how far apart the targets' output speeds are.
func spreadWords(s *Summary) string {
	value, ok := s.Spread.Get()
	if !ok {
		return ""
	}
	for i := range s.Verdict.Metrics {
		m := &s.Verdict.Metrics[i]
		chance, ok := m.Spread.Chance.Get()
		if m.Metric == speedMetric.name && ok {
			return fmt.Sprintf("; spread across targets %.0f %% (chance alone %.0f %%)", 100*m.Spread.Value.Or(value), 100*chance)
		}
	}
	return fmt.Sprintf("; spread across targets %.0f %%", 100*value)
}

// ranking is the order of more than two targets; those whose places overlap are
// a tie.
func (m *MetricResult) ranking() string {
	ranks := slices.Clone(m.Ranks)
	slices.SortStableFunc(ranks, func(a, b RankResult) int { return (a.Best + a.Worst) - (b.Best + b.Worst) })
	parts := make([]string, len(ranks))
	for i, r := range ranks {
		place := fmt.Sprint(r.Best)
		if r.Worst > r.Best {
			place = fmt.Sprintf("%d-%d", r.Best, r.Worst)
		}
		parts[i] = place + ". " + r.Target
	}
	return "places in " + words[m.Metric] + ": " + strings.Join(parts, ", ")
}
