package plan

import (
	"fmt"
	"strings"

	"weir.dev/weir"
)

// attained is the share of requests that must meet the objectives of a request,
// where the SLO does not say it (slo_attainment).
const attained = 0.95

// DefaultSLO is what a chat needs: METRICS.md, "fit".
const DefaultSLO = "ttft_p95<=500ms,output_speed_p50>=20"

// CheckSLO finds objectives that a simulation has no figure for.
func CheckSLO(slo weir.SLO) error {
	for _, o := range slo {
		if of(o.Metric) == nil && ofRun(o.Metric) == nil {
			return bad("ttft, tpot, e2e, stall, output_speed, e2e_speed, request_rate, output_rate, total_token_rate, goodput or slo_attainment",
				"objective %s: a simulation has no %s", o, o.Metric)
		}
	}
	return nil
}

// ofRun is a figure that only a run has.
func ofRun(metric string) func(*Outcome, weir.SLO) Figure {
	switch metric {
	case "request_rate":
		return func(o *Outcome, _ weir.SLO) Figure { return o.Requests() }
	case "output_rate":
		return func(o *Outcome, _ weir.SLO) Figure { return o.Output() }
	case "total_token_rate":
		return func(o *Outcome, _ weir.SLO) Figure { return o.mean(func(r run) float64 { return r.in + r.out }) }
	case "goodput":
		return func(o *Outcome, slo weir.SLO) Figure {
			return o.mean(func(r run) float64 { return r.ended * r.attainment(slo) })
		}
	case "slo_attainment":
		return func(o *Outcome, slo weir.SLO) Figure {
			return o.mean(func(r run) float64 { return r.attainment(slo) })
		}
	}
	return nil
}

// attainment is the share of requests that meet every objective of a request.
func (r run) attainment(slo weir.SLO) float64 {
	requests, _ := slo.Split()
	met := 0
	for _, q := range r.requests {
		if q.meets(requests) {
			met++
		}
	}
	return float64(met) / float64(max(1, len(r.requests)))
}

// meets tells of one request. What an answer of one token cannot have passes.
func (q request) meets(slo weir.SLO) bool {
	for _, o := range slo {
		if v := of(o.Metric)(q); v == v && !o.Holds(v) {
			return false
		}
	}
	return true
}

// Verdict says how an outcome stands to an SLO.
type Verdict struct {
	Met    bool   // by its figures
	Surely bool   // whatever the truth is within their intervals
	Never  bool   // not met, whatever the truth is within them
	Why    string // the first objective that is not met, and the figure; empty: all are
}

// Judge holds an outcome against an SLO. A load that is not carried meets none.
func (o *Outcome) Judge(slo weir.SLO) Verdict {
	if !o.KeepsUp() {
		return Verdict{Never: true, Why: "the queue grows without end"}
	}
	v := Verdict{Met: true, Surely: true}
	requests, whole := slo.Split()
	if len(requests) > 0 && !strings.Contains(slo.String(), "slo_attainment") {
		share, err := weir.ParseObjective(fmt.Sprintf("slo_attainment>=%g", attained))
		if err != nil {
			return Verdict{Never: true, Why: err.Error()}
		}
		whole = append(whole, share)
	}
	for _, objective := range whole {
		v.add(objective, o.figure(objective, slo))
	}
	return v
}

func (o *Outcome) figure(objective weir.Objective, slo weir.SLO) Figure {
	if p, ok := objective.P.Get(); ok {
		return o.At(objective.Metric, p)
	}
	return ofRun(objective.Metric)(o, slo)
}

func (v *Verdict) add(o weir.Objective, f Figure) {
	value, known := f.Value.Get()
	lo, hi := f.Interval.Lo.Or(value), f.Interval.Hi.Or(value)
	met := known && o.Holds(value)
	if !met && v.Met {
		v.Met, v.Why = false, fmt.Sprintf("%s, it is %.4g", o, value)
	}
	v.Surely = v.Surely && known && o.Holds(lo) && o.Holds(hi)
	v.Never = v.Never || !known || !o.Holds(lo) && !o.Holds(hi)
}
