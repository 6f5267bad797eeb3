package report

import (
	"fmt"
	"slices"
	"strings"

	"weir.dev/weir/internal/stats"
)

// Sentences are the verdict as people read it; none without one.
func (s *Summary) Sentences() (lines []string) {
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
			missed = append(missed, "no difference found in "+m.InWords()+power(d))
			continue
		}
		p = max(p, d.Adjusted)
		l := m.Lead(d)
		says := l.String()
		if l.Who != subject {
			says = l.Who + " is " + says
		}
		subject = l.Who
		found = append(found, says)
	}
	line := strings.Join(found, " and ")
	if len(found) > 0 {
		line += ", " + Chance(p)
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

// Lead is who is ahead of the other in a figure, and by how much: "1.20x" and
// "faster in output speed", or "88 ms" and "quicker to the first token".
type Lead struct{ Who, Amount, Interval, What string }

// String is all of it but who.
func (l Lead) String() string { return l.Amount + " " + l.What + " " + l.Interval }

// InWords names the figure.
func (m *MetricResult) InWords() string { return words[m.Metric] }

// MoreIsBetter tells a speed from a wait.
func (m *MetricResult) MoreIsBetter() bool { return m.Metric == speedMetric.name }

// Lead tells who of two is ahead.
func (m *MetricResult) Lead(d *DuelResult) Lead {
	ratio, ci := d.Ratio.Or(1), d.Interval
	if m.MoreIsBetter() {
		who := d.B
		if ratio < 1 {
			who, ratio = d.A, 1/ratio
			ci = stats.Between(1/ci.Hi.Or(1), 1/ci.Lo.Or(1))
		}
		return Lead{who, factor(ratio) + "x", Between(ci, factor), "faster in output speed"}
	}
	who := d.B
	ms, delta := d.DeltaMS.Or(0), d.DeltaCI
	if ms > 0 {
		who = d.A
	} else {
		ms, delta = -ms, delta.Negated()
	}
	show, _ := Scale(ms)
	what := "quicker to the first token"
	if m.Metric == e2eMetric.name {
		what = "quicker to the end"
	}
	return Lead{who, Millis(ms), Between(delta, show), what}
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

// Basis is what a verdict stands on, to be said behind it: " over 30 blocks in
// 2.0 hours; spread across targets 12 %".
func (s *Summary) Basis() string { return s.Verdict.over() + spreadWords(s) }

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
		if m.MoreIsBetter() && ok {
			return fmt.Sprintf("; spread across targets %.0f %% (chance alone %.0f %%)", 100*m.Spread.Value.Or(value), 100*chance)
		}
	}
	return fmt.Sprintf("; spread across targets %.0f %%", 100*value)
}

// mostPlaces is how many places a line tells.
const mostPlaces = 12

// ranking is the order of more than two targets; those whose places overlap are
// a tie. Targets that may hold the same places stand together.
func (m *MetricResult) ranking() string {
	ranks := slices.Clone(m.Ranks)
	slices.SortStableFunc(ranks, func(a, b RankResult) int { return (a.Best + a.Worst) - (b.Best + b.Worst) })
	var parts []string
	told := 0
	for n := 0; told < len(ranks) && len(parts) < mostPlaces; told += n {
		r, together := ranks[told], []string(nil)
		for n = 0; told+n < len(ranks) && ranks[told+n].Best == r.Best && ranks[told+n].Worst == r.Worst; n++ {
			together = append(together, ranks[told+n].Target)
		}
		if n == len(ranks) && n > 2 {
			return fmt.Sprintf("all %d tie in %s", n, m.InWords())
		}
		place := fmt.Sprint(r.Best)
		if r.Worst > r.Best {
			place = fmt.Sprintf("%d-%d", r.Best, r.Worst)
		}
		if n > fewNames {
			together = []string{these(together, len(ranks))}
		}
		for _, who := range together {
			parts = append(parts, place+". "+who)
		}
	}
	if left := len(ranks) - told; left > 0 {
		parts = append(parts, Count(left, "target")+" more")
	}
	return "places in " + m.InWords() + ": " + strings.Join(parts, ", ")
}
