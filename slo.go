package weir

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SLO is a list of objectives, all of which are to be met. It is written as
// "ttft<=200ms, tpot<=25ms" for each request, or as "ttft_p95<=200ms,
// success>=99%" for a run or a window: METRIC[_pNN] OP VALUE, OP one of <= < >=
// >. The same grammar serves flags, the config, --fail-if and alerts.
type SLO []Objective

// Objective is one condition.
type Objective struct {
	Metric string       // a name of METRICS.md
	P      Opt[float64] // the percentile, from 0 to 1; empty: of each request, or a figure of a run that has none
	Op     string       // <= < >= >
	Value  float64      // ms for times, a fraction for shares, else as the metric has it
	text   string       // as it was written
}

// unit is what a metric's values are given in.
type unit int

const (
	unitMS    unit = iota // 200ms, 1.5s
	unitRate              // 40, 40/s, 40tok/s
	unitShare             // 99%, 0.99
	unitCount             // 12
	unitUSD               // 2, 2usd
)

// perRequest are the metrics that each request has, with their unit.
var perRequest = map[string]unit{
	"ttft": unitMS, "ttft_sent": unitMS, "ttfat": unitMS, "tpot": unitMS, "e2e": unitMS, "stall": unitMS, "trailer": unitMS,
	"server_wait": unitMS, "lateness": unitMS, "output_speed": unitRate, "e2e_speed": unitRate, "chars_per_second": unitRate,
	"smooth_speed": unitRate, "stalls_per_1k": unitCount, "length_share": unitShare, "cache_share": unitShare, "tokens_per_event": unitCount,
}

// perRun are the metrics that only a run or a window has.
var perRun = map[string]unit{
	"success": unitShare, "rate_limited_share": unitShare, "slo_attainment": unitShare, "spread": unitShare,
	"request_rate": unitRate, "output_rate": unitRate, "total_token_rate": unitRate, "goodput": unitRate,
	"cost_usd": unitUSD,
}

var (
	objectiveForm  = regexp.MustCompile(`^([a-z0-9_]+?)(?:_p(\d{1,2}(?:\.\d{1,3})?))?\s*(<=|>=|<|>)\s*(.+)$`)
	quantityForm   = regexp.MustCompile(`^(\d+(?:\.\d+)?|\.\d+)\s*([a-z/%$]*)$`)
	maxObjectives  = 20
	maxObjectiveLn = 200
)

// ParseSLO reads objectives, separated by commas, or the name of a preset:
// mlperf:MODEL or mlperf:MODEL:interactive.
func ParseSLO(text string) (SLO, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "mlperf:") {
		return mlperf(strings.TrimSpace(text))
	}
	parts := strings.Split(text, ",")
	if len(parts) > maxObjectives {
		return nil, badSLO(fmt.Sprintf("an SLO of %d objectives", len(parts)), fmt.Sprintf("at most %d", maxObjectives))
	}
	var slo SLO
	for _, part := range parts {
		o, err := ParseObjective(part)
		if err != nil {
			return nil, err
		}
		slo = append(slo, o)
	}
	return slo, nil
}

// ParseObjective reads one condition.
func ParseObjective(text string) (Objective, error) {
	text = strings.TrimSpace(text)
	what := fmt.Sprintf("objective %.*q", maxObjectiveLn, text)
	m := objectiveForm.FindStringSubmatch(strings.ToLower(text))
	if m == nil || len(text) > maxObjectiveLn {
		return Objective{}, badSLO(what, "METRIC OP VALUE, such as ttft<=200ms for each request or ttft_p95<=200ms for a run")
	}
	o := Objective{Metric: m[1], Op: m[3], text: strings.ReplaceAll(text, " ", "")}
	u, each := perRequest[o.Metric]
	if !each {
		var known bool
		if u, known = perRun[o.Metric]; !known {
			return Objective{}, badSLO(fmt.Sprintf("%s: no metric %q", what, o.Metric), "one of "+strings.Join(metricNames(), ", "))
		}
	}
	if m[2] != "" {
		p, err := strconv.ParseFloat(m[2], 64)
		if err != nil || p <= 0 || !each {
			return Objective{}, badSLO(what, "p1 to p99.9 of a figure that each request has, such as ttft_p95")
		}
		o.P = Some(p / 100)
	}
	var err error
	if o.Value, err = quantity(m[4], u); err != nil {
		return Objective{}, badSLO(what+": "+err.Error(), u.hint())
	}
	return o, nil
}

// quantity reads a value with or without its unit.
func quantity(text string, u unit) (float64, error) {
	m := quantityForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, fmt.Errorf("%q is no value", text)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, err
	}
	factor, ok := u.factors()[m[2]]
	if !ok {
		if m[2] == "" {
			return 0, fmt.Errorf("%q has no unit", text)
		}
		return 0, fmt.Errorf("%q is not its unit", m[2])
	}
	return v * factor, nil
}

func (u unit) factors() map[string]float64 {
	switch u {
	case unitMS:
		return map[string]float64{"us": 1e-3, "ms": 1, "s": 1000, "m": 60_000}
	case unitRate:
		return map[string]float64{"": 1, "/s": 1, "tok/s": 1, "req/s": 1, "chars/s": 1}
	case unitShare:
		return map[string]float64{"": 1, "%": 0.01}
	case unitUSD:
		return map[string]float64{"": 1, "usd": 1, "$": 1}
	}
	return map[string]float64{"": 1}
}

func (u unit) hint() string {
	return [...]string{"a time such as 200ms or 1.5s", "a rate such as 40 or 40/s", "a share such as 99% or 0.99", "a number", "an amount such as 2usd"}[u]
}

func metricNames() []string {
	var names []string
	for name := range perRequest {
		names = append(names, name)
	}
	for name := range perRun {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// String is what ParseObjective reads.
func (o Objective) String() string { return o.text }

// String is what ParseSLO reads.
func (s SLO) String() string {
	parts := make([]string, len(s))
	for i, o := range s {
		parts[i] = o.text
	}
	return strings.Join(parts, ", ")
}

// OfRequest tells whether the objective is judged for each request.
func (o Objective) OfRequest() bool {
	_, each := perRequest[o.Metric]
	return each && !o.P.Known()
}

// Split separates the objectives of each request from those of a run.
func (s SLO) Split() (requests, run SLO) {
	for _, o := range s {
		if o.OfRequest() {
			requests = append(requests, o)
		} else {
			run = append(run, o)
		}
	}
	return requests, run
}

// Holds tells whether a value meets the objective.
func (o Objective) Holds(v float64) bool {
	switch o.Op {
	case "<=":
		return v <= o.Value
	case "<":
		return v < o.Value
	case ">=":
		return v >= o.Value
	}
	return v > o.Value
}

// Met tells whether a request met every objective of a request. One that failed
// met none. What was not measured fails its objective; but a tpot that cannot
// be, of an answer of one token, passes.
func (s SLO) Met(r *Sample) bool {
	if r.Outcome != OK {
		return false
	}
	for _, o := range s {
		if !o.OfRequest() {
			continue
		}
		v, ok := r.Metric(o.Metric).Get()
		if !ok && o.Metric == "tpot" && !r.Buffered {
			if seen, counted := r.NSeen.Get(); counted && seen <= 1 {
				continue
			}
		}
		if !ok || !o.Holds(v) {
			return false
		}
	}
	return true
}

// MoreIsBetter tells of a metric whether its p95 is what 95 % of the requests
// reach or exceed.
func MoreIsBetter(metric string) bool {
	u, each := perRequest[metric]
	return each && u != unitMS && u != unitCount
}

// Metric is a request's figure by its name: times in ms, shares as fractions.
func (s *Sample) Metric(name string) Opt[float64] {
	ms := func(v Span) Opt[float64] {
		if d, ok := v.Get(); ok {
			return Some(d.MS())
		}
		return None[float64]()
	}
	switch name {
	case "ttft":
		return ms(s.TTFT)
	case "ttft_sent":
		return ms(s.TTFTSent)
	case "ttfat":
		return ms(s.TTFAT)
	case "tpot":
		return ms(s.TPOT)
	case "e2e":
		return ms(s.E2E)
	case "stall":
		return ms(s.Stall)
	case "trailer":
		return ms(s.Trailer)
	case "server_wait":
		return ms(s.ServerWait)
	case "lateness":
		return Some(s.Lateness.MS())
	case "output_speed":
		return s.Speed
	case "smooth_speed":
		return s.Smooth
	case "stalls_per_1k":
		return s.Stalls
	case "e2e_speed":
		return s.E2ESpeed
	case "chars_per_second":
		return s.CharsPerSecond
	case "length_share":
		return s.LengthShare
	case "cache_share":
		return s.CacheShare
	case "tokens_per_event":
		return s.TokensPerEvent
	}
	return None[float64]()
}

// mlperfLimits are p99 ttft and tpot in ms, server and interactive, of MLPerf
// Inference's LLM benchmarks (MLCommons' inference rules and results pages, v5
// and v6). 0: there is no such scenario.
var mlperfLimits = map[string][2][2]float64{
	"llama3.1-8b":   {{2000, 100}, {500, 30}},
	"llama2-70b":    {{2000, 200}, {450, 40}},
	"llama3.1-405b": {{6000, 175}, {4500, 80}},
	"mixtral-8x7b":  {{2000, 200}, {}},
	"deepseek-r1":   {{2000, 80}, {1500, 15}},
	"gpt-oss-120b":  {{3000, 80}, {2000, 20}},
}

func mlperf(name string) (SLO, error) {
	model, scenario, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(name), "mlperf:"), ":")
	limits, ok := mlperfLimits[model]
	if !ok {
		var names []string
		for n := range mlperfLimits {
			names = append(names, n)
		}
		slices.Sort(names)
		return nil, badSLO(fmt.Sprintf("SLO %q: no such model", name), "one of "+strings.Join(names, ", "))
	}
	i := slices.Index([]string{"server", "interactive"}, cmp.Or(scenario, "server"))
	if i < 0 || limits[i][0] == 0 {
		return nil, badSLO(fmt.Sprintf("SLO %q: no such scenario", name), "server, or interactive where there is one")
	}
	at := func(ms float64) string { return (time.Duration(ms) * time.Millisecond).String() }
	return ParseSLO(fmt.Sprintf("ttft_p99<=%s,tpot_p99<=%s", at(limits[i][0]), at(limits[i][1])))
}

func badSLO(what, hint string) error {
	return &Error{Code: "bad_slo", Message: what, Hint: hint}
}
