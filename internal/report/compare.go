package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"weir.dev/weir"
)

// ComparisonSchema names the form of the JSON that compared runs are written in.
const ComparisonSchema = "weir.dev/comparison/1"

// Comparison is several runs of one workload beside each other. It has a verdict
// only where the runs were measured at the same time: else what was different
// between them may be the hour, not the target.
type Comparison struct {
	Schema         string        `json:"schema"`
	MetricsVersion int           `json:"metrics_version"`
	WorkloadID     string        `json:"workload_id"`
	Overlap        weir.Span     `json:"overlap_ms"`           // in which all were measured; null: there is no such time
	Verdict        *Verdict      `json:"verdict"`              // over the overlap; its targets are named "TARGET (RUN)"
	Why            string        `json:"no_verdict,omitempty"` // why there is none
	Runs           []ComparedRun `json:"runs"`
}

// ComparedRun is one of them.
type ComparedRun struct {
	Name string `json:"run"`
	*Summary
}

// notBeside is why runs one after the other have no verdict.
const notBeside = "not side by side: load may differ; no verdict"

// Named is a run under the name it is spoken of by.
type Named struct {
	Name string
	Run  Run
}

// NewComparison puts runs beside each other, in the order given; there is at
// least one. They are of one workload, and none is there twice: stored.Compare
// sees to that.
func NewComparison(runs []Named) *Comparison {
	c := &Comparison{Schema: ComparisonSchema, MetricsVersion: weir.MetricsVersion, WorkloadID: runs[0].Run.Settings.WorkloadID}
	for _, one := range runs {
		c.Runs = append(c.Runs, ComparedRun{one.Name, Summarise(one.Run)})
	}
	from, to, ok := overlap(runs)
	if !ok {
		c.Why = notBeside
		return c
	}
	c.Overlap = weir.SpanOf(to.Sub(from))
	together := Run{Settings: c.rows().Settings}
	for _, one := range runs {
		for _, s := range one.Run.Samples {
			if s.Due.Before(from) || !s.Due.Before(to) {
				continue
			}
			s.Target, s.Block = rowName(s.Target, one.Name), weir.None[int]() // each run has laps of its own
			together.Samples = append(together.Samples, s)
		}
	}
	if c.Verdict = verdictOf(&together); c.Verdict != nil {
		c.Why = c.Verdict.Why
	}
	return c
}

// Answered tells whether any request of any run was answered well.
func (c *Comparison) Answered() bool {
	return slices.ContainsFunc(c.Runs, func(r ComparedRun) bool { return r.Summary.Answered() })
}

func rowName(target, run string) string { return fmt.Sprintf("%s (%s)", target, run) }

func (c *Comparison) runs() ([]string, []labelled) {
	var out []labelled
	for _, r := range c.Runs {
		out = append(out, labelled{[]string{r.Name}, r.Summary})
	}
	return []string{"run"}, out
}

// rows is all the runs as one, each of their targets a target of its own.
func (c *Comparison) rows() *Summary {
	all := &Summary{Settings: c.Runs[0].Settings, Verdict: c.Verdict}
	all.Settings.Targets = nil
	for _, r := range c.Runs {
		for i, t := range r.Targets {
			asked := r.Settings.Targets[i]
			asked.Name, t.Name = rowName(asked.Name, r.Name), rowName(t.Name, r.Name)
			all.Settings.Targets, all.Targets = append(all.Settings.Targets, asked), append(all.Targets, t)
		}
	}
	all.Spread = spread(all.Targets)
	return all
}

func (c *Comparison) text() (p text) {
	rows := c.rows()
	s := &rows.Settings
	parts := append([]string{bold.Render(rows.Models()), Count(len(c.Runs), "run"), s.Asked(), rows.Paced()}, s.Texts()...)
	p.lines(strings.Join(parts, " · "))
	p.table(table(rows))
	p.lines(troubles(rows)...)
	if !s.Stream {
		p.lines(WholeLine)
	}
	if c.Overlap.Known() {
		p.lines(rows.Sentences()...)
	} else {
		p.lines(c.Why)
		p.lines(c.unpaired()...)
	}
	p.lines(rows.PriceLine())
	for _, r := range c.Runs {
		p.lines(r.about())
		for _, l := range lostLines(r.Summary) {
			p.lines(bold.Render(r.Name) + ": " + l)
		}
	}
	p.lines(c.versions())
	return p
}

// about says when a run was, and how far its client can be trusted.
func (r *ComparedRun) about() string {
	return fmt.Sprintf("%s: %s, %s, seed %d; %s", bold.Render(r.Name), r.Started.Format(clockForm), r.Summary.Took(), r.Settings.Seed, clientLine(r.Client))
}

// unpaired are the medians of each target that more than one run has, with
// their intervals.
func (c *Comparison) unpaired() (lines []string) {
	ttfts, speeds := map[string][]string{}, map[string][]string{}
	var names []string
	for _, r := range c.Runs {
		for i := range r.Targets {
			t := &r.Targets[i]
			if ttfts[t.Name] == nil {
				names = append(names, t.Name)
			}
			wait, fast := t.TTFT, t.Speed
			if !r.Settings.Stream {
				wait, fast = t.E2E, t.WholeRate
			}
			ttfts[t.Name] = append(ttfts[t.Name], fmt.Sprintf("%s in %s", latencyBetween(wait), r.Name))
			speeds[t.Name] = append(speeds[t.Name], fmt.Sprintf("%s in %s", speedBetween(fast), r.Name))
		}
	}
	for _, name := range names {
		if len(ttfts[name]) < 2 {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: %s p50 %s; speed p50 %s", bold.Render(name), first(c.Runs[0].Summary),
			strings.Join(ttfts[name], ", "), strings.Join(speeds[name], ", ")))
	}
	return lines
}

func speedBetween(q Quantiles) string {
	text := Speed(q)
	if ci := Between(q.CI50, Throughput); ci != "" && q.P50.Known() {
		text += " " + ci
	}
	return text
}

// versions says where runs were measured by different versions of weir.
func (c *Comparison) versions() string {
	by := map[string][]string{}
	for _, r := range c.Runs {
		by[r.Version] = append(by[r.Version], r.Name)
	}
	if len(by) < 2 {
		return ""
	}
	var parts []string
	for _, v := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, fmt.Sprintf("%s by %s", strings.Join(by[v], ", "), v))
	}
	return "measured by different versions of weir: " + strings.Join(parts, "; ")
}

// overlap is the time in which all runs were measured.
func overlap(runs []Named) (from, to time.Time, ok bool) {
	for i := range runs {
		r := &runs[i].Run
		end := r.Started.Add(r.Duration)
		if i == 0 || r.Started.After(from) {
			from = r.Started
		}
		if i == 0 || end.Before(to) {
			to = end
		}
	}
	return from, to, from.Before(to)
}
