package reconcile

import (
	"encoding/json"

	"weir.dev/weir"
)

// Row is one statistic of one figure over a run.
type Row struct {
	Figure
	Stat   Stat
	N      int // requests in their value
	OurN   int // requests in ours, those that failed included where they keep a rank
	Failed int // of OurN, those that never got there
}

// MarshalJSON writes the figure's fields and the row's own.
func (r Row) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Stat Stat `json:"stat"`
		figureJSON
		N      int `json:"n_theirs"`
		OurN   int `json:"n_ours"`
		Failed int `json:"n_ours_never_reached"`
	}{r.Stat, r.json(), r.N, r.OurN, r.Failed})
}

// Run is a run of one target under a tool's definitions.
type Run struct {
	Tool    Tool     `json:"tool"`
	Rows    []Row    `json:"rows"`
	Assumed []string `json:"assumed,omitempty"`
}

// The causes that only a run has.
const (
	leftOut = "requests they leave out: failed, or without a value of theirs"
	onlyHad = "requests we give no value for"
	fastEnd = "their p99 of a speed is the fast end, ours the slow one"
)

// OfRun applies the tool's definitions to the traces of one target. Warm-up is
// left out, as in our own figures. Theirs are over the answers that are ok.
func OfRun(tool Tool, traces []*weir.Trace) Run {
	var measured []*weir.Trace
	for _, t := range traces {
		if !t.Warmup {
			measured = append(measured, t)
		}
	}
	out := Run{Tool: tool, Assumed: assumed(tool, measured)}
	for _, d := range definitions(tool) {
		p := gather(d, measured)
		for _, s := range statistics() {
			out.Rows = append(out.Rows, p.row(d, s))
		}
	}
	return out
}

// pool is the values of one figure over a run.
type pool struct {
	ours   []Amount // as our report counts them
	never  int      // eligible calls that never got there
	ourN   int
	both   []*chain // answers that are ok and have every stage
	theirs []weighted
	n      int // requests in theirs
	causes []string
	why    string
}

func gather(d definition, traces []*weir.Trace) pool {
	p := pool{why: "no answer is ok"}
	if len(traces) == 0 {
		p.why = "no request was measured"
	}
	for _, t := range traces {
		c := d.chain(t)
		p.causes = c.causes()
		p.count(t, c)
		if t.Outcome != weir.OK {
			continue
		}
		if len(c.last()) > 0 {
			p.theirs = append(p.theirs, c.weigh(c.last())...)
			p.n++
		}
		if c.whole() {
			p.both = append(p.both, c)
		} else {
			p.why = c.why
		}
	}
	return p
}

// count adds a trace to our side. A latency is over eligible calls, the failed
// ones included; anything else over answers that are ok (METRICS.md, "Failures
// are data").
func (p *pool) count(t *weir.Trace, c *chain) {
	ok := t.Outcome == weir.OK
	switch {
	case c.measure != latency:
		if ok && len(c.first()) > 0 {
			p.ours = append(p.ours, c.first()...)
			p.ourN++
		}
	case !t.Outcome.Eligible():
	case len(c.first()) > 0 && (ok || !c.toEnd):
		p.ours = append(p.ours, c.first()...)
		p.ourN++
	case !ok && t.Outcome != weir.NotStreamed:
		p.never++
		p.ourN++
	}
}

func (c *chain) weigh(values []Amount) []weighted {
	out := make([]weighted, len(values))
	for i, v := range values {
		out[i] = weighted{v, c.weight}
	}
	return out
}

func (p pool) row(d definition, s Stat) Row {
	ours := s.ofOurs
	if d.unit == Speed {
		ours = s.ofOurSpeeds
	}
	causes := []string{"", leftOut}
	values := []weir.Opt[Amount]{ours(p.ours, p.never), ours(p.stage(0), 0)}
	for i := 1; i < len(p.causes); i++ {
		causes = append(causes, p.causes[i])
		values = append(values, ours(p.stage(i), 0))
	}
	var both []weighted
	for _, c := range p.both {
		both = append(both, c.weigh(c.last())...)
	}
	causes = append(causes, fastEnd, d.rule.cause(), onlyHad)
	values = append(values, s.ofOurs(p.stage(len(p.causes)-1), 0), d.rule.of(s, both), d.rule.of(s, p.theirs))
	why := p.why
	if !values[0].Known() && p.never > 0 {
		why = "ours was never reached: that rank failed"
	}
	return Row{Figure: d.figure(causes, values, why), Stat: s, N: p.n, OurN: p.ourN, Failed: p.never}
}

// stage is the values that the requests with all stages have at one.
func (p pool) stage(i int) (at []Amount) {
	for _, c := range p.both {
		at = append(at, c.stages[i].values...)
	}
	return at
}
