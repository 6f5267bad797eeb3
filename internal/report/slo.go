package report

import (
	"cmp"
	"fmt"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// SLOResult is how a target met the run's objectives.
type SLOResult struct {
	// Requests that met every objective of a request, failures and unsent ones
	// among those that did not.
	Met          int               `json:"met"`
	Scheduled    int               `json:"scheduled"`
	Attainment   weir.Opt[float64] `json:"slo_attainment"` // met / scheduled
	AttainmentCI stats.Interval    `json:"slo_attainment_interval"`
	Goodput      weir.Opt[float64] `json:"goodput"` // requests per second that met them, in the steady window
	Run          []ObjectiveResult `json:"run,omitempty"`
}

// ObjectiveResult is one objective of the run.
type ObjectiveResult struct {
	Objective string            `json:"objective"`
	Value     weir.Opt[float64] `json:"value"` // ms for times, a fraction for shares; null: not measured, which fails it
	Held      bool              `json:"held"`
}

// sloOf judges a target; nil without objectives.
func sloOf(slo weir.SLO, t *TargetSummary, mine []weir.Sample) *SLOResult {
	if len(slo) == 0 {
		return nil
	}
	requests, run := slo.Split()
	out := &SLOResult{Scheduled: t.Requests + t.Unsent}
	if len(requests) > 0 {
		for i := range mine {
			if requests.Met(&mine[i]) {
				out.Met++
			}
		}
		r := stats.Rate{K: out.Met, N: out.Scheduled}
		out.Attainment, out.AttainmentCI = r.Share(), r.Interval()
		switch rate, ok := t.Steady.RequestRate.Get(); {
		case ok && out.Met == 0:
			out.Goodput = weir.Some(0.0)
		case ok && t.Outcomes[weir.OK] > 0:
			out.Goodput = weir.Some(rate * float64(out.Met) / float64(t.Outcomes[weir.OK]))
		}
	}
	t.SLO = out
	for _, o := range run {
		v := figure(o, t, mine)
		value, ok := v.Get()
		out.Run = append(out.Run, ObjectiveResult{o.String(), v, ok && o.Holds(value)})
	}
	return out
}

// figure is what an objective of a run is about: null where it was not measured,
// or never reached.
func figure(o weir.Objective, t *TargetSummary, mine []weir.Sample) weir.Opt[float64] {
	if p, ok := o.P.Get(); ok {
		return quantileOf(o.Metric, p, mine)
	}
	switch o.Metric {
	case "success":
		return t.Success
	case "rate_limited_share":
		return t.Limited
	case "request_rate":
		return t.Steady.RequestRate
	case "output_rate":
		return t.Steady.OutputRate
	case "total_token_rate":
		return t.Steady.TokenRate
	case "cost_usd":
		return t.Cost
	}
	if t.SLO != nil {
		switch o.Metric {
		case "slo_attainment":
			return t.SLO.Attainment
		case "goodput":
			return t.SLO.Goodput
		}
	}
	return weir.None[float64]()
}

// quantileOf is any percentile of a figure that each request has.
func quantileOf(name string, p float64, mine []weir.Sample) weir.Opt[float64] {
	spans := map[string]func(*weir.Sample) weir.Span{
		"ttft": func(s *weir.Sample) weir.Span { return s.TTFT }, "ttfat": func(s *weir.Sample) weir.Span { return s.TTFAT },
		"ttft_sent": func(s *weir.Sample) weir.Span { return s.TTFTSent },
		"e2e":       answeredIn,
	}
	mine = cold(mine)
	if of, ok := spans[name]; ok {
		return stats.NewSurvival(waits(mine, of)).At(p)
	}
	sign := 1.0
	if weir.MoreIsBetter(name) {
		sign = -1
	}
	var values []float64
	for i := range mine {
		if v, ok := mine[i].Metric(name).Get(); ok && mine[i].Outcome == weir.OK {
			values = append(values, sign*v)
		}
	}
	return signed(settled{stats.NewQuantiles(values, 0)}.At(p), sign)
}

// Failed are the conditions of --fail-if that hold, for whatever target, or that
// cannot be judged.
func Failed(s *Summary, r *Run, conditions weir.SLO) (why []string) {
	for i := range s.Targets {
		t := &s.Targets[i]
		var mine []weir.Sample
		for _, one := range r.Samples {
			if one.Target == t.Name && !one.Warmup {
				mine = append(mine, one)
			}
		}
		for _, o := range conditions {
			v := figure(o, t, mine)
			if o.Metric == "spread" {
				v = s.Spread
			}
			value, ok := v.Get()
			switch {
			case !ok:
				why = append(why, fmt.Sprintf("%s: %s cannot be judged: it was not measured, or so few ever came", t.Name, o))
			case o.Holds(value):
				why = append(why, fmt.Sprintf("%s: %s holds: it is %.4g", t.Name, o, value))
			}
		}
	}
	return why
}

// sloLine is the objectives, for below the headline.
func sloLine(s *Summary) string {
	if s.Settings.SLO == "" {
		return ""
	}
	return "slo: " + s.Settings.SLO
}

// sloCells are the columns of objectives.
func sloCells(t *TargetSummary) (goodput, within string) {
	if t.SLO == nil || !t.SLO.Attainment.Known() {
		return "n/a", "n/a"
	}
	goodput = "n/a"
	if v, ok := t.SLO.Goodput.Get(); ok {
		goodput = fmt.Sprintf("%.3g/s", v)
	}
	return goodput, Percent(t.SLO.Attainment)
}

// objectives says which objectives of the run a target met.
func (r *SLOResult) objectives() string {
	var parts []string
	for _, o := range r.Run {
		word := "not met"
		if o.Held {
			word = "met"
		}
		value := "not measured"
		if v, ok := o.Value.Get(); ok {
			value = fmt.Sprintf("%.4g", v)
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s)", o.Objective, word, value))
	}
	return strings.Join(parts, ", ")
}

// chatLimit is the ttft that chat may take, in ms: the SLO's where it has one.
func chatLimit(slo weir.SLO) float64 {
	for _, o := range slo {
		if o.Metric == "ttft" && (o.Op == "<=" || o.Op == "<") && o.P.Or(0.95) >= 0.9 {
			return cmp.Or(o.Value, chatTTFT)
		}
	}
	return chatTTFT
}
