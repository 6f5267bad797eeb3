package report

import (
	"bytes"
	"encoding/json"
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

// Compare puts runs beside each other, in the order given. Runs of different
// workloads are refused, and so is one that is named twice.
func Compare(runs []Named) (*Comparison, error) {
	if err := checkComparable(runs); err != nil {
		return nil, err
	}
	c := &Comparison{Schema: ComparisonSchema, MetricsVersion: weir.MetricsVersion, WorkloadID: runs[0].Run.Settings.WorkloadID}
	for _, one := range runs {
		c.Runs = append(c.Runs, ComparedRun{one.Name, Summarise(one.Run)})
	}
	from, to, ok := overlap(runs)
	if !ok {
		c.Why = notBeside
		return c, nil
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
	return c, nil
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
	parts := append([]string{bold.Render(models(rows)), count(len(c.Runs), "run"), asked(s), paced(rows)}, texts(s)...)
	p.lines(strings.Join(parts, " · "))
	p.table(table(rows))
	for i := range rows.Targets {
		p.lines(troubles(rows, &rows.Targets[i])...)
	}
	if !s.Stream {
		p.lines(wholeLine)
	}
	if c.Overlap.Known() {
		p.lines(sentences(rows)...)
	} else {
		p.lines(c.Why)
		p.lines(c.unpaired()...)
	}
	p.lines(priceLine(rows))
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
	return fmt.Sprintf("%s: %s, %s, seed %d; %s", bold.Render(r.Name), r.Started.Format(clockForm), took(r.Summary), r.Settings.Seed, clientLine(r.Client))
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
	text := speed(q)
	if ci := between(q.CI50, throughput); ci != "" && q.P50.Known() {
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

// checkComparable tells why runs may not stand beside each other: figures of
// different workloads are never ranked or merged.
func checkComparable(runs []Named) error {
	of := map[string]int{} // a request, and the run it is of
	for i, one := range runs {
		for k := range one.Run.Samples {
			id := one.Run.Samples[k].ID
			if j, twice := of[id]; twice && id != "" && i != j {
				return &weir.Error{
					Code: "run_twice", Message: fmt.Sprintf("%s and %s hold the same request %s", runs[j].Name, one.Name, id),
					Hint: "name each run once",
				}
			}
			of[id] = i
		}
		if err := sameWork(runs[0], one); err != nil {
			return err
		}
	}
	return nil
}

func sameWork(a, b Named) error {
	left, right := &a.Run.Settings, &b.Run.Settings
	if left.WorkloadID == right.WorkloadID {
		return nil
	}
	what, err := differing(left, right)
	if err != nil {
		return err
	}
	if what == "" {
		what = fmt.Sprintf("workload_id %s and %s, in something that the settings do not hold", left.WorkloadID, right.WorkloadID)
	}
	return &weir.Error{
		Code: "workloads_differ", Message: fmt.Sprintf("%s and %s are of different workloads: %s", a.Name, b.Name, what),
		Hint: "only runs of the same work under the same load are compared or merged",
	}
}

// differing is the first setting of the workload in which two runs differ, with
// both values: "input_tokens 256 and 1000".
func differing(a, b *Settings) (string, error) {
	left, order, err := flatten(a)
	if err != nil {
		return "", err
	}
	right, more, err := flatten(b)
	if err != nil {
		return "", err
	}
	for _, name := range append(order, more...) {
		if x, y := left[name], right[name]; x != y {
			return fmt.Sprintf("%s %s and %s", name, orNone(x), orNone(y)), nil
		}
	}
	return "", nil
}

func orNone(text string) string {
	const most = 60
	switch {
	case text == "":
		return "none"
	case len(text) > most:
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// flatten is what of the settings makes the workload, by the names in JSON.
func flatten(s *Settings) (values map[string]string, order []string, err error) {
	work := *s // not of whom, how often, from which seed, or until when
	work.Targets, work.Requests, work.Warmup, work.Seed, work.WorkloadID, work.SLO, work.Until = nil, 0, 0, 0, "", "", ""
	work.Limits, work.Work.Salt = LimitSettings{}, ""
	b, err := json.Marshal(work)
	if err != nil {
		return nil, nil, fmt.Errorf("settings: %w", err)
	}
	values = map[string]string{}
	var walk func(prefix string, raw json.RawMessage) error
	walk = func(prefix string, raw json.RawMessage) error {
		if !bytes.HasPrefix(raw, []byte("{")) {
			values[prefix] = string(raw)
			order = append(order, prefix)
			return nil
		}
		return members(raw, func(name string, value json.RawMessage) error {
			if prefix != "" {
				name = prefix + "." + name
			}
			return walk(name, value)
		})
	}
	return values, order, walk("", b)
}

// members yields an object's in their order.
func members(object json.RawMessage, yield func(name string, value json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := yield(fmt.Sprint(name), value); err != nil {
			return err
		}
	}
	return nil
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
