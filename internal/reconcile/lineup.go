package reconcile

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"weir.dev/weir"
	"weir.dev/weir/internal/imports"
)

// Comparison is a run of another tool beside one of ours, each figure under
// the tool's definition on both sides.
type Comparison struct {
	Tool    Tool        `json:"tool"` // empty: one of Candidates, the file does not say which
	Version string      `json:"version,omitempty"`
	Rows    []Beside    `json:"rows"`
	Apart   []Apart     `json:"not_comparable"`
	Unlike  []Condition `json:"unlike"` // what differs between the runs themselves
	Assumed []string    `json:"assumed,omitempty"`
	Notes   []string    `json:"notes,omitempty"` // of the import
}

// Beside is one statistic that can be compared: both sides by the tool's
// definition, summed up by the tool's rule from values of each request.
type Beside struct {
	Figure string
	Stat   Stat
	Unit   Unit
	Theirs Amount           // in their run
	OurRun Amount           // in our run, by their definition
	Own    weir.Opt[Amount] // in our run, by ours
	N      int              // requests in theirs
	OurN   int              // requests in ours
	Same   bool             // their definition gives what ours gives on our run
}

// MarshalJSON writes values in the row's unit.
func (b Beside) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Figure string            `json:"figure"`
		Stat   Stat              `json:"stat"`
		Unit   Unit              `json:"unit"`
		Theirs float64           `json:"theirs"`
		OurRun float64           `json:"ours_by_their_definition"`
		Own    weir.Opt[float64] `json:"ours_by_our_definition"`
		N      int               `json:"n_theirs"`
		OurN   int               `json:"n_ours"`
		Same   bool              `json:"same_definition"`
	}{b.Figure, b.Stat, b.Unit, b.Theirs.In(b.Unit), b.OurRun.In(b.Unit), in(b.Own, b.Unit), b.N, b.OurN, b.Same})
}

// Apart is a figure that cannot be compared, and why.
type Apart struct {
	Figure string `json:"figure"`
	Why    string `json:"why"`
}

// Condition is something in which the two runs differ.
type Condition struct {
	What   string `json:"what"`
	Theirs string `json:"theirs"`
	Ours   string `json:"ours"`
}

// Candidates are the definitions that a run may have been measured by: more
// than one where its file does not say.
func Candidates(run *imports.Run) []Tool {
	switch run.Tool {
	case imports.VLLM:
		return []Tool{VLLM, VLLM032}
	case imports.GuideLLM:
		return guidellmOf(run.Version.Or(""))
	case imports.AIPerf:
		return []Tool{AIPerf}
	}
	return nil
}

func guidellmOf(version string) []Tool {
	var major, minor, patch int
	if n, _ := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); n < 3 {
		return []Tool{GuideLLM, GuideLLM080}
	}
	if slices.Compare([]int{major, minor, patch}, []int{0, 8, 1}) < 0 {
		return []Tool{GuideLLM080}
	}
	return []Tool{GuideLLM}
}

// LineUp puts their run beside the traces of one target of ours. The tool may
// be empty: then a figure on which the candidates differ cannot be compared.
func LineUp(tool Tool, theirs *imports.Run, ours []*weir.Trace) (*Comparison, error) {
	candidates := Candidates(theirs)
	switch {
	case slices.Contains(candidates, tool):
		candidates = []Tool{tool}
	case tool != "" || len(candidates) == 0:
		return nil, &weir.Error{
			Code: "reconcile_tool", Message: fmt.Sprintf("%s is a run of %s, not of %s", theirs.File, theirs.Tool, tool),
			Hint: fmt.Sprintf("its definitions are one of %q", Candidates(theirs)),
		}
	}
	out := &Comparison{Version: theirs.Version.Or(""), Notes: theirs.Notes, Unlike: unlike(theirs, ours)}
	if len(candidates) == 1 {
		out.Tool = candidates[0]
	}
	runs := make([]Run, len(candidates))
	for i, c := range candidates {
		runs[i] = OfRun(c, ours)
		for _, a := range runs[i].Assumed {
			if !slices.Contains(out.Assumed, a) {
				out.Assumed = append(out.Assumed, a)
			}
		}
	}
	rules := definitions(candidates[0])
	for i, row := range runs[0].Rows {
		d := rules[i/len(statistics())]
		b, why := beside(d, row, theirs)
		if differ(runs, row.Name) {
			why = fmt.Sprintf("the file does not say which of %q it was measured by, and they differ here; name one", candidates)
		}
		if why != "" {
			out.apart(row.Name, why)
			continue
		}
		out.Rows = append(out.Rows, b)
	}
	return out, nil
}

func (c *Comparison) apart(figure, why string) {
	if a := (Apart{figure, why}); !slices.Contains(c.Apart, a) {
		c.Apart = append(c.Apart, a)
	}
}

// differ tells whether the candidates give the figure different values on our run.
func differ(runs []Run, figure string) bool {
	for i, row := range runs[0].Rows {
		if row.Name == figure && slices.ContainsFunc(runs, func(r Run) bool { return r.Rows[i].Theirs != row.Theirs }) {
			return true
		}
	}
	return false
}

// beside makes the row, or says why there is none.
func beside(d definition, row Row, theirs *imports.Run) (b Beside, why string) {
	values, n := imported(d.name, theirs)
	if len(values) == 0 {
		return b, "their file has no value of it"
	}
	v, ok := d.rule.of(row.Stat, values).Get()
	ourRun, have := row.Theirs.Get()
	switch {
	case !have && row.Why != "":
		return b, "our run has no value of it by their definition: " + row.Why
	case !have || !ok:
		return b, "our run has no value of it by their definition"
	}
	diff, told := row.Difference.Get()
	return Beside{row.Name, row.Stat, d.unit, v, ourRun, row.OurValue, n, row.N, told && diff == 0}, ""
}

// unlike lists what differs between the runs and would make their figures
// differ whatever the definition.
func unlike(theirs *imports.Run, ours []*weir.Trace) (out []Condition) {
	if m, ok := theirs.Model.Get(); ok && len(ours) > 0 && m != ours[0].Model {
		out = append(out, Condition{"model", m, ours[0].Model})
	}
	var theirIn, theirOut, ourIn, ourOut []Amount
	for _, r := range theirs.Requests {
		theirIn, theirOut = known(theirIn, r.Prompt), known(theirOut, r.Output)
	}
	for _, t := range ours {
		if !t.Warmup && t.Outcome == weir.OK {
			ourIn, ourOut = known(ourIn, t.Usage.Prompt), known(ourOut, t.Usage.Completion)
		}
	}
	for _, c := range []struct {
		what         string
		theirs, ours []Amount
	}{{"mean prompt tokens", theirIn, ourIn}, {"mean output tokens", theirOut, ourOut}} {
		a, ok1 := mean(c.theirs).Get()
		b, ok2 := mean(c.ours).Get()
		if ok1 && ok2 && math.Abs(float64(a-b)) > 0.1*float64(max(a, b)) {
			out = append(out, Condition{c.what, fmt.Sprint(a), fmt.Sprint(b)})
		}
	}
	return out
}

func known(to []Amount, n weir.Opt[int]) []Amount {
	if v, ok := n.Get(); ok {
		return append(to, Amount(v))
	}
	return to
}
