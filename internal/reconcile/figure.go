package reconcile

import (
	"encoding/json"
	"slices"

	"weir.dev/weir"
)

// Figure is one figure of a tool beside ours.
type Figure struct {
	Name       string           // in the tool's words
	Ours       string           // our metric, by its JSON name
	Unit       Unit             // of all values
	Theirs     weir.Opt[Amount] // under their definition
	OurValue   weir.Opt[Amount] // under ours
	Difference weir.Opt[Amount] // theirs - ours; empty where one is
	Causes     []Cause          // they add up to Difference; those without effect are left out
	Why        string           // why there is no difference to tell
}

// Cause is a part of a difference.
type Cause struct {
	Name   string
	Effect Amount
}

// Figures are one trace under a tool's definitions.
type Figures struct {
	Tool    Tool     `json:"tool"`
	Figures []Figure `json:"figures"`
	Assumed []string `json:"assumed,omitempty"` // what the trace does not tell
}

type figureJSON struct {
	Name       string            `json:"figure"`
	Ours       string            `json:"our_metric"`
	Unit       Unit              `json:"unit"`
	Theirs     weir.Opt[float64] `json:"theirs"`
	OurValue   weir.Opt[float64] `json:"ours"`
	Difference weir.Opt[float64] `json:"difference"`
	Causes     []causeJSON       `json:"causes"`
	Why        string            `json:"why,omitempty"`
}

type causeJSON struct {
	Name   string  `json:"cause"`
	Effect float64 `json:"effect"`
}

// MarshalJSON writes values in the figure's unit.
func (f Figure) MarshalJSON() ([]byte, error) { return json.Marshal(f.json()) }

func (f Figure) json() figureJSON {
	out := figureJSON{
		Name: f.Name, Ours: f.Ours, Unit: f.Unit, Why: f.Why, Causes: []causeJSON{},
		Theirs: in(f.Theirs, f.Unit), OurValue: in(f.OurValue, f.Unit), Difference: in(f.Difference, f.Unit),
	}
	for _, c := range f.Causes {
		out.Causes = append(out.Causes, causeJSON{c.Name, c.Effect.In(f.Unit)})
	}
	return out
}

func in(a weir.Opt[Amount], u Unit) weir.Opt[float64] {
	if v, ok := a.Get(); ok {
		return weir.Some(v.In(u))
	}
	return weir.None[float64]()
}

// OfTrace applies the tool's definitions to one trace. A figure that is a list
// (gaps) is shown by its mean.
func OfTrace(tool Tool, t *weir.Trace) Figures {
	out := Figures{Tool: tool, Assumed: assumed(tool, []*weir.Trace{t})}
	for _, d := range definitions(tool) {
		c := d.chain(t)
		values := make([]weir.Opt[Amount], len(c.stages))
		for i, s := range c.stages {
			values[i] = mean(s.values)
		}
		out.Figures = append(out.Figures, d.figure(c.causes(), values, c.why))
	}
	return out
}

// figure turns the values of a chain, from ours to theirs, into differences.
func (d definition) figure(causes []string, values []weir.Opt[Amount], why string) Figure {
	f := Figure{Name: d.name, Ours: d.ours, Unit: d.unit, OurValue: values[0], Theirs: values[len(values)-1]}
	prev, ok := values[0].Get()
	ours := prev
	var parts []Cause
	for i := 1; ok && i < len(values); i++ {
		v, known := values[i].Get()
		parts = add(parts, Cause{causes[i], v - prev})
		prev, ok = v, known
	}
	if !ok {
		f.Why = why
		if why == "" {
			f.Why = "the difference cannot be split: a step between has no value"
		}
		return f
	}
	parts = slices.DeleteFunc(parts, func(c Cause) bool { return c.Effect == 0 })
	f.Difference, f.Causes = weir.Some(prev-ours), parts
	return f
}

// add adds an effect to the cause of the same name.
func add(parts []Cause, c Cause) []Cause {
	for i := range parts {
		if parts[i].Name == c.Name {
			parts[i].Effect += c.Effect
			return parts
		}
	}
	return append(parts, c)
}
