package page

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/chart"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/stats"
)

// duelRow is one figure in which two targets were compared, as by how much the
// second is ahead of the first.
type duelRow struct {
	Metric string
	Value  string
	Doubt  string
	Tie    bool
	Chart  template.HTML // empty where the interval is open
}

// placesOf are the places in one figure.
type placesOf struct {
	Metric string
	Rows   []placeRow
}

type placeRow struct {
	Target label
	Place  string
	Chart  template.HTML
}

// verdict fills the top of the page.
func (p *page) verdict(s *report.Summary, names []label) {
	v := s.Verdict
	answered := slices.ContainsFunc(s.Targets, func(t report.TargetSummary) bool { return t.Outcomes[weir.OK] > 0 })
	switch {
	case !answered:
		p.Headline = []phrase{{Text: "Nothing was answered"}}
		p.Lines = []string{"No request succeeded, so there is no figure to compare. The failures below say why."}
		if len(p.Failures.Rows) == 0 {
			p.Lines = []string{"No request was answered, and none failed: nothing was sent, or the run ended before."}
		}
		return
	case v == nil:
		p.Headline, p.Lines = alone(s)
		return
	case v.Why != "":
		p.Headline = []phrase{{Text: "No verdict: " + v.Why}}
	case len(v.Metrics[0].Duels) == 1:
		p.Headline = pairHeadline(v)
	default:
		p.Headline = placesHeadline(v)
	}
	for _, line := range verdictLines(s) {
		if line = upper(line); len(p.Headline) > 1 || line != p.Headline[0].Text {
			p.Lines = append(p.Lines, strings.NewReplacer(" %", "\u00a0%", " ms", "\u00a0ms").Replace(line))
		}
	}
	if v.Why == "" && len(v.Metrics[0].Duels) == 1 {
		p.duels(v, names)
	} else if v.Why == "" {
		p.places(v, names)
	}
}

// shortened is the verdict with names as far as a page has room for them, each
// isolated: one that runs from right to left leaves the sentence as it is.
func shortened(v *report.Verdict) *report.Verdict {
	out := *v
	out.Metrics = slices.Clone(v.Metrics)
	for i := range out.Metrics {
		m := &out.Metrics[i]
		m.Duels, m.Ranks = slices.Clone(m.Duels), slices.Clone(m.Ranks)
		for k := range m.Duels {
			m.Duels[k].A, m.Duels[k].B = isolated(m.Duels[k].A), isolated(m.Duels[k].B)
		}
		for k := range m.Ranks {
			m.Ranks[k].Target = isolated(m.Ranks[k].Target)
		}
	}
	return &out
}

func isolated(name string) string { return "\u2068" + short(name) + "\u2069" }

// upper begins a sentence of ours with a capital; one that begins with a name
// stays.
func upper(s string) string {
	for _, ours := range []string{"no ", "not ", "all ", "places ", "spread "} {
		if strings.HasPrefix(s, ours) {
			return strings.ToUpper(s[:1]) + s[1:]
		}
	}
	return s
}

// Names that a headline and the lines below it have room for.
const (
	fewNames  = 3
	lineNames = 4
)

// lines are the verdict's sentences; where they would list many places, which
// the chart has, only what they stand on.
func verdictLines(s *report.Summary) []string {
	v := s.Verdict
	said := *s
	said.Verdict = shortened(v)
	if v.Why == "" && len(s.Targets) > lineNames {
		return []string{"Judged" + said.Basis()}
	}
	return said.Sentences()
}

// alone is the headline of a run of one target: its figures.
func alone(s *report.Summary) (head []phrase, lines []string) {
	t := &s.Targets[0]
	head = []phrase{{Name: true, Text: short(t.Name)}}
	wait, to, fast := t.TTFT, "to the first token", t.Speed
	if !s.Settings.Stream {
		wait, to, fast = t.E2E, "to the whole answer", t.WholeRate
	}
	text := ": " + report.Latency(wait, 0.5) + " " + to
	if fast.P50.Known() {
		text += ", " + report.Speed(fast)
	}
	head = append(head, phrase{Text: text})
	return head, []string{"Medians. One target has nothing to be compared with: name two or more for a verdict."}
}

func pairHeadline(v *report.Verdict) (head []phrase) {
	subject := ""
	for i := range v.Metrics {
		m := &v.Metrics[i]
		d := &m.Duels[0]
		if !d.Differs {
			continue
		}
		l := m.Lead(d)
		if l.Who == subject {
			head = append(head, phrase{Text: " and " + l.Amount + " " + l.What})
			continue
		}
		if len(head) > 0 {
			head = append(head, phrase{Text: "; "})
		}
		head = append(head, phrase{Name: true, Text: short(l.Who)}, phrase{Text: " is " + l.Amount + " " + l.What})
		subject = l.Who
	}
	if len(head) == 0 {
		return []phrase{{Text: "A tie: no difference found"}}
	}
	return head
}

// placesHeadline is who is first in each figure, or that there is a tie.
func placesHeadline(v *report.Verdict) (head []phrase) {
	before := "" // who was first alone
	for i := range v.Metrics {
		m := &v.Metrics[i]
		var first []string
		for _, r := range m.Ranks {
			if r.Best == 1 {
				first = append(first, short(r.Target))
			}
		}
		in := " in " + m.InWords()
		if len(first) == 1 && first[0] == before {
			head = append(head, phrase{Text: " and" + in})
			continue
		}
		if i > 0 {
			head = append(head, phrase{Text: "; "})
		}
		switch before = ""; {
		case len(first) == 1:
			before = first[0]
			head = append(head, phrase{Name: true, Text: first[0]}, phrase{Text: " is first" + in})
		case len(first) == len(m.Ranks):
			tie := "all tie" + in
			if i == 0 {
				tie = upper(tie)
			}
			head = append(head, phrase{Text: tie})
		case len(first) <= fewNames:
			for k, name := range first {
				if k > 0 {
					head = append(head, phrase{Text: " and "})
				}
				head = append(head, phrase{Name: true, Text: name})
			}
			head = append(head, phrase{Text: " tie for the first place" + in})
		default:
			head = append(head, phrase{Text: fmt.Sprintf("%d tie for the first place%s", len(first), in)})
		}
	}
	return head
}

// duels draws by how much the second target is ahead in each figure, all on one
// axis: 1 is a tie, and further to the right is better for the second.
func (p *page) duels(v *report.Verdict, names []label) {
	lo, hi := 0.9, 1/0.9
	all := make([]ahead, len(v.Metrics))
	for i := range v.Metrics {
		m := &v.Metrics[i]
		d := &m.Duels[0]
		r, ci := d.Ratio, d.Interval
		if !m.MoreIsBetter() {
			r, ci = inverse(r), stats.Interval{Lo: inverse(ci.Hi), Hi: inverse(ci.Lo)}
		}
		a := ahead{r.Or(math.NaN()), ci.Lo.Or(math.NaN()), ci.Hi.Or(math.NaN())}
		if !math.IsNaN(a.ratio + a.lo + a.hi) {
			lo, hi = min(lo, a.lo), max(hi, a.hi)
		}
		all[i] = a
	}
	scale := chart.Ratio(1.05 * max(hi, 1/lo))
	for i, a := range all {
		m := &v.Metrics[i]
		p.Duels = append(p.Duels, duelRowOf(m, a, names, scale))
	}
	p.DuelEnds = [2]label{names[0], names[1]}
	p.DuelAxis = chart.Axis(scale, func(v float64) string {
		if math.Abs(v-1) < 1e-9 {
			return "tie"
		}
		return fmt.Sprintf("%.3gx", max(v, 1/v))
	})
}

// ahead is by how many times the second target is better than the first.
type ahead struct{ ratio, lo, hi float64 }

func duelRowOf(m *report.MetricResult, a ahead, names []label, scale chart.Scale) duelRow {
	d := &m.Duels[0]
	row := duelRow{Metric: m.InWords(), Tie: !d.Differs, Doubt: report.Chance(d.Adjusted)}
	if math.IsNaN(a.ratio + a.lo + a.hi) {
		row.Value = "not bounded"
		return row
	}
	class := names[1].Class
	switch seen, ok := d.Detectable.Get(); {
	case row.Tie && ok:
		class, row.Value, row.Doubt = "tie", "tie", fmt.Sprintf("%.2g %% would have been seen", 100*seen)
	case row.Tie:
		class, row.Value = "tie", "tie"
	default:
		if a.ratio < 1 {
			class = names[0].Class
		}
		l := m.Lead(d)
		row.Value, row.Doubt = l.Amount, l.Interval+", "+report.Chance(d.Adjusted)
	}
	title := fmt.Sprintf("%s: %.3g times, 95 %% interval %.3g to %.3g", m.InWords(), a.ratio, a.lo, a.hi)
	row.Chart = chart.Interval{Class: class, Title: title, Lo: a.lo, At: a.ratio, Hi: a.hi}.Draw(scale, 1)
	return row
}

func inverse(v weir.Opt[float64]) weir.Opt[float64] {
	if f, ok := v.Get(); ok && f > 0 {
		return weir.Some(1 / f)
	}
	return weir.None[float64]()
}

// places draws which places each target may hold.
func (p *page) places(v *report.Verdict, names []label) {
	for i := range v.Metrics {
		m := &v.Metrics[i]
		one := placesOf{Metric: m.InWords()}
		order := make([]int, len(m.Ranks))
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return m.Ranks[a].Best + m.Ranks[a].Worst - m.Ranks[b].Best - m.Ranks[b].Worst
		})
		for _, k := range order {
			r := m.Ranks[k]
			place := fmt.Sprint(r.Best)
			if r.Worst > r.Best {
				place = fmt.Sprintf("%d–%d", r.Best, r.Worst)
			}
			title := fmt.Sprintf("%s: place %s of %d", names[k].Text, place, len(order))
			one.Rows = append(one.Rows, placeRow{names[k], place, chart.Places(names[k].Class, title, r.Best, r.Worst, len(order))})
		}
		p.Places = append(p.Places, one)
	}
}
