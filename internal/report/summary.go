package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/stats"
)

// Schema names the form of the JSON that a run is written in.
const Schema = "weir.dev/run/2"

// Settings are what a run was asked to do. They hold no secret.
type Settings struct {
	Targets      []weir.Target              `json:"targets"`
	Load         string                     `json:"load,omitempty"`       // an open loop, in words; empty: a closed loop
	Shape        string                     `json:"load_shape,omitempty"` // all of the load that is not a plain closed loop, as in the workload's identity
	Concurrency  int                        `json:"concurrency"`          // slots of each target
	Requests     int                        `json:"requests"`             // measured requests of each target
	Warmup       int                        `json:"warmup"`
	InputTokens  int                        `json:"input_tokens"`  // asked for, on average; 0: the texts were given
	OutputTokens int                        `json:"output_tokens"` // most, on average
	Work         WorkSettings               `json:"work"`
	Prompt       string                     `json:"prompt,omitempty"`
	System       string                     `json:"system,omitempty"`
	Temperature  weir.Opt[float64]          `json:"temperature"`
	Reasoning    string                     `json:"reasoning_effort,omitempty"`
	IgnoreEOS    bool                       `json:"ignore_eos"`
	Stream       bool                       `json:"stream"`
	Extra        map[string]json.RawMessage `json:"extra,omitempty"`
	Until        string                     `json:"until,omitempty"` // how well a figure was to be known
	SLO          string                     `json:"slo,omitempty"`   // objectives, as weir.ParseSLO has them
	Seed         uint64                     `json:"seed"`
	WorkloadID   string                     `json:"workload_id"`
	Limits       LimitSettings              `json:"limits"`
}

// LimitSettings are the clocks of every call.
type LimitSettings struct {
	Connect     weir.Dur  `json:"connect_ms"`
	FirstOutput weir.Dur  `json:"first_output_ms"`
	Stall       weir.Dur  `json:"stall_ms"`
	Total       weir.Span `json:"total_ms"` // null: none
}

// Run is what was measured.
type Run struct {
	Version     string // of weir
	Settings    Settings
	Started     time.Time
	Duration    time.Duration
	Interrupted bool
	Budget      bool // no more was sent, since the budget was reached
	Enough      bool // no more was sent, since Settings.Until held
	Samples     []weir.Sample
	Notes       []TargetNote // one a target, in the order of Settings.Targets
	GCPauses    weir.Span
	WakeUps     []time.Duration // how late this process woke up, sampled during the run

	// Of a stored run, whose wake-ups are not kept.
	StampErrorP99 weir.Opt[float64]
	StampErrorMax weir.Opt[float64]
	Lost          []string
	Merged        []MergedRun
}

// MergedRun is one of the runs that were pooled into one.
type MergedRun struct {
	Name     string    `json:"name"`
	Started  time.Time `json:"started"`
	Duration weir.Dur  `json:"duration_ms"`
	Seed     uint64    `json:"seed"`
}

// TargetNote is what is known of a target beside its samples.
type TargetNote struct {
	Unsent    int
	GaveUp    bool
	Learned   []string
	Lengths   *LengthFit // nil where the texts were given
	Missed    int        // of the unsent, those that were due and could not start before the end
	SlotWaits int        // starts of an open loop that had to wait for a slot

	// Requests per second of an open loop: asked for, as the seed drew them, sent.
	Asked, Drawn, Achieved weir.Opt[float64]

	QuotaRefused int           // calls that were refused for a quota
	QuotaWaited  time.Duration // for so long something was ready and might not go out
	QuotaLimits  []string      // which quota, as far as the provider said
}

// Summary is a run in figures.
type Summary struct {
	Schema         string            `json:"schema"`
	MetricsVersion int               `json:"metrics_version"`
	Version        string            `json:"weir_version"`
	Started        time.Time         `json:"started"`
	Duration       weir.Dur          `json:"duration_ms"`
	Interrupted    bool              `json:"interrupted"`
	Budget         bool              `json:"budget_reached"`
	Enough         bool              `json:"until_reached"`
	Settings       Settings          `json:"settings"`
	Targets        []TargetSummary   `json:"targets"`
	Spread         weir.Opt[float64] `json:"spread"`  // (max - min)/max of median output speeds, as a fraction
	Verdict        *Verdict          `json:"verdict"` // null with one target
	Client         Client            `json:"client"`
	Lost           []string          `json:"lost,omitempty"`   // of a stored run: what its folder lacks
	Merged         []MergedRun       `json:"merged,omitempty"` // the runs that were pooled into this one, in order of time
	Requests       []weir.Sample     `json:"requests,omitempty"`
}

// TargetSummary is one target's figures. Latencies are over eligible requests,
// those that failed included: a rank that was never reached is null, with
// "reached" telling how many were.
type TargetSummary struct {
	Name      string               `json:"name"`
	Model     string               `json:"model"`
	Router    bool                 `json:"router,omitempty"` // its figures are of no one provider
	Requests  int                  `json:"requests"`         // measured ones that were sent
	Warmup    int                  `json:"warmup"`
	Unsent    int                  `json:"unsent"`
	GaveUp    bool                 `json:"gave_up"`
	Missed    int                  `json:"missed"`     // of the unsent, those that were due and could not start before the end
	SlotWaits int                  `json:"slot_waits"` // starts of an open loop that had to wait for a slot
	Asked     weir.Opt[float64]    `json:"asked_rate"` // requests per second of an open loop
	Drawn     weir.Opt[float64]    `json:"drawn_rate"` // as this seed's schedule has it
	Achieved  weir.Opt[float64]    `json:"achieved_rate"`
	Fit       Fit                  `json:"fit"`
	SLO       *SLOResult           `json:"slo,omitempty"`
	Quota     QuotaSummary         `json:"quota"`
	Lengths   *LengthFit           `json:"length_fit,omitempty"`
	Cache     *CacheSummary        `json:"cache,omitempty"` // of cold and warm pairs; latencies are then the cold halves'
	Outcomes  map[weir.Outcome]int `json:"outcomes"`
	Eligible  int                  `json:"eligible"`
	Success   weir.Opt[float64]    `json:"success"` // ok / eligible
	SuccessCI stats.Interval       `json:"success_interval"`
	Limited   weir.Opt[float64]    `json:"rate_limited_share"`
	TTFT      Quantiles            `json:"ttft_ms"`
	TTFAT     Quantiles            `json:"ttfat_ms"`
	E2E       Quantiles            `json:"e2e_ms"`
	TPOT      Quantiles            `json:"tpot_ms"`
	Speed     Quantiles            `json:"output_speed"`
	E2EAtN    Quantiles            `json:"e2e_at_n_ms"`
	N         int                  `json:"e2e_at_n_tokens"`
	Steady    Steady               `json:"steady"`
	Whole     Quantiles            `json:"whole_ms"`    // due to the last byte of the body, of answers that are ok
	WholeRate Quantiles            `json:"whole_speed"` // where no stream was asked for: completion tokens / e2e, queue and prefill included
	Prompt    weir.Opt[float64]    `json:"prompt_tokens_mean"`
	Output    weir.Opt[float64]    `json:"completion_tokens_mean"`
	Length    weir.Opt[float64]    `json:"length_share_mean"` // of the output length that was asked for
	Cached    weir.Opt[float64]    `json:"cache_share_mean"`
	Reused    weir.Opt[float64]    `json:"conn_reused_share"`
	Cost      weir.Opt[float64]    `json:"cost_usd"` // of all requests whose usage came, warm-up included
	Uncosted  int                  `json:"cost_unknown_requests"`
	Assumed   []string             `json:"cost_assumed,omitempty"`
	Opened    int                  `json:"connections_opened"` // by measured requests
	Buffered  int                  `json:"buffered"`
	Unstamped int                  `json:"unstamped"` // answers that look buffered, and may have come in pieces that this client was too busy to stamp
	Doubted   *Doubted             `json:"implausible_usage,omitempty"`
	Learned   []string             `json:"learned,omitempty"`
	Failures  []Failure            `json:"failures,omitempty"`
	Warnings  map[string]int       `json:"warnings,omitempty"`
}

// QuotaSummary is how far the provider's quota held the run up.
type QuotaSummary struct {
	Refused int      `json:"refused"`
	Waited  weir.Dur `json:"waited_ms"`
	Limits  []string `json:"limits,omitempty"`
}

// Failure is one class of failed requests.
type Failure struct {
	Outcome    weir.Outcome `json:"outcome"`
	Status     int          `json:"http_status,omitempty"`
	ErrorType  string       `json:"error_type,omitempty"`
	Count      int          `json:"count"`
	Example    string       `json:"example,omitempty"`
	RetryAfter weir.Span    `json:"longest_retry_after_ms"`
}

// Client is how far the measuring client can be trusted.
type Client struct {
	LatenessP50   weir.Opt[float64] `json:"lateness_p50_ms"`
	LatenessP99   weir.Opt[float64] `json:"lateness_p99_ms"`
	LatenessMax   weir.Opt[float64] `json:"lateness_max_ms"`
	Events        int               `json:"output_events"`
	BoundedShare  weir.Opt[float64] `json:"bounded_share"`      // output events whose arrival is only bounded
	Stamps        string            `json:"stamps"`             // whose clock stamped the events: kernel, user-space, mixed
	StampErrorMax weir.Opt[float64] `json:"stamp_error_max_ms"` // the longest that it slept when it was to wake up
	StampErrorP99 weir.Opt[float64] `json:"stamp_error_p99_ms"` // how late the client woke up for what had come, sampled during the run; kernel stamps are free of it
	GCPauses      weir.Span         `json:"gc_pauses_ms"`
	Limited       bool              `json:"client_limited"`
	Why           string            `json:"client_limited_by,omitempty"`
}

// Summarise computes a run's figures.
func Summarise(r Run) *Summary {
	s := &Summary{
		Schema: Schema, MetricsVersion: weir.MetricsVersion, Version: r.Version, Started: r.Started,
		Duration: weir.Dur(r.Duration), Interrupted: r.Interrupted, Budget: r.Budget, Enough: r.Enough, Settings: r.Settings, Requests: r.Samples,
		Lost: r.Lost, Merged: r.Merged,
	}
	for i, t := range r.Settings.Targets {
		note := TargetNote{}
		if i < len(r.Notes) {
			note = r.Notes[i]
		}
		s.Targets = append(s.Targets, summarise(t, note, r))
	}
	s.Spread = spread(s.Targets)
	s.Verdict = verdictOf(&r)
	s.Client = client(r, s.Targets)
	return s
}

// Answered tells whether any request was answered well.
func (s *Summary) Answered() bool {
	return slices.ContainsFunc(s.Targets, func(t TargetSummary) bool { return t.Outcomes[weir.OK] > 0 })
}

func summarise(t weir.Target, note TargetNote, r Run) TargetSummary {
	out := TargetSummary{
		Name: t.Name, Model: t.Model, Router: t.Router, Unsent: note.Unsent, GaveUp: note.GaveUp, Learned: note.Learned, Lengths: note.Lengths,
		Missed: note.Missed, SlotWaits: note.SlotWaits, Asked: note.Asked, Drawn: note.Drawn, Achieved: note.Achieved,
		Quota:    QuotaSummary{note.QuotaRefused, weir.Dur(note.QuotaWaited), note.QuotaLimits},
		Outcomes: map[weir.Outcome]int{}, N: r.Settings.OutputTokens, Warnings: map[string]int{},
	}
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Target == t.Name && s.Warmup {
			out.Warmup++
		} else if s.Target == t.Name {
			out.Requests++
		}
	}
	mine := make([]weir.Sample, 0, out.Requests)
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Target == t.Name && !s.Warmup {
			mine = append(mine, *s)
		}
	}
	for _, s := range mine {
		out.Outcomes[s.Outcome]++
		if s.Outcome.Eligible() {
			out.Eligible++
		}
		if s.Buffered {
			out.Buffered++
		}
		if s.Unstamped {
			out.Unstamped++
		}
		if reused, ok := s.ConnReused.Get(); ok && !reused {
			out.Opened++
		}
		for _, w := range s.Warnings {
			out.Warnings[w]++
		}
	}
	out.Doubted = doubted(mine)
	out.cost(t, r.Samples)
	success := stats.Rate{K: out.Outcomes[weir.OK], N: out.Eligible}
	out.Success, out.SuccessCI = success.Share(), success.Interval()
	out.Limited = share(out.Outcomes[weir.RateLimited], out.Requests)
	out.latencies(cold(mine))
	out.Cache = compareCaches(mine, t.Price)
	if !r.Settings.Stream {
		out.WholeRate = wholeSpeed(cold(mine))
	}
	out.Failures = failures(r.Samples, t.Name, len(mine) == 0)
	out.Prompt = mean(mine, func(s *weir.Sample) (float64, bool) { n, ok := s.Prompt.Get(); return float64(n), ok })
	out.Steady = steadyOf(mine, &r, out.Prompt)
	slo, _ := weir.ParseSLO(r.Settings.SLO) // it was read before the run
	out.Fit, out.SLO = fitOf(&out, chatLimit(slo)), sloOf(slo, &out, mine)
	out.Output = mean(mine, func(s *weir.Sample) (float64, bool) { n, ok := s.Completion.Get(); return float64(n), ok })
	out.Length = mean(mine, func(s *weir.Sample) (float64, bool) { return s.LengthShare.Get() })
	out.Cached = mean(mine, func(s *weir.Sample) (float64, bool) { return s.CacheShare.Get() })
	out.Reused = mean(mine, func(s *weir.Sample) (float64, bool) {
		reused, ok := s.ConnReused.Get()
		if reused {
			return 1, ok
		}
		return 0, ok
	})
	return out
}

// cost adds up what the target charged, by its price and the usage it reported.
func (out *TargetSummary) cost(t weir.Target, samples []weir.Sample) {
	if t.Price == nil {
		return
	}
	sum, known := 0.0, 0
	for i := range samples {
		s := &samples[i]
		if s.Target != t.Name {
			continue
		}
		usd, assumed := t.Price.Cost(s.Usage)
		v, ok := usd.Get()
		switch {
		case ok:
			sum += v
			known++
		case s.Outcome == weir.OK || s.OutputEvents > 0: // an answer that is surely billed
			out.Uncosted++
		}
		for _, a := range assumed {
			if !slices.Contains(out.Assumed, a) {
				out.Assumed = append(out.Assumed, a)
			}
		}
	}
	if known > 0 {
		out.Cost = weir.Some(sum)
	}
}

// latencies fills the quantiles.
func (out *TargetSummary) latencies(mine []weir.Sample) {
	good := func(of func(*weir.Sample) (float64, bool)) []float64 { return goodOnes(mine, of) }
	out.TTFT = ttfts(mine)
	out.TTFAT = latencies(mine, func(s *weir.Sample) weir.Span { return s.TTFAT })
	out.E2E = latencies(mine, answeredIn)
	out.TPOT = observed(good(func(s *weir.Sample) (float64, bool) { v, ok := s.TPOT.Get(); return v.MS(), ok }), false)
	out.Whole = observed(good(func(s *weir.Sample) (float64, bool) {
		end, ok := s.End.Get()
		return s.Lateness.MS() + end.MS(), ok
	}), false)
	out.Speed = observed(good(speedMetric.of), true)
	out.E2EAtN = observed(good(func(s *weir.Sample) (float64, bool) {
		ttft, ok1 := s.TTFT.Get()
		tpot, ok2 := s.TPOT.Get()
		return ttft.MS() + float64(out.N-1)*tpot.MS(), ok1 && ok2
	}), false)
}

// goodOnes are a figure's values in good answers.
func goodOnes(mine []weir.Sample, of func(*weir.Sample) (float64, bool)) (values []float64) {
	for i := range mine {
		if v, ok := of(&mine[i]); ok && mine[i].Outcome == weir.OK {
			values = append(values, v)
		}
	}
	return values
}

// answeredIn is how long a good answer took to its last output.
func answeredIn(s *weir.Sample) weir.Span {
	if s.Outcome != weir.OK {
		return weir.Span{} // its last output was not the answer's last
	}
	return s.E2E
}

func ttfts(mine []weir.Sample) Quantiles {
	return latencies(mine, func(s *weir.Sample) weir.Span { return s.TTFT })
}

// failures classes what went wrong; the warm-up's failures only where there is
// nothing else to say.
func failures(samples []weir.Sample, target string, warmup bool) []Failure {
	var out []Failure
	for _, s := range samples {
		if s.Target != target || s.Warmup != warmup || s.Outcome == weir.OK {
			continue
		}
		f := Failure{Outcome: s.Outcome, Status: s.Status.Or(0), ErrorType: s.ErrorType}
		if f.Status == 200 {
			f.Status = 0
		}
		i := slices.IndexFunc(out, func(g Failure) bool {
			return g.Outcome == f.Outcome && g.Status == f.Status && g.ErrorType == f.ErrorType
		})
		if i < 0 {
			f.Example = s.ErrorText
			out, i = append(out, f), len(out)
		}
		out[i].Count++
		if d, ok := s.RetryAfter.Get(); ok && d >= out[i].RetryAfter.Or(0) {
			out[i].RetryAfter = s.RetryAfter
		}
	}
	slices.SortStableFunc(out, func(a, b Failure) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

func share(k, n int) weir.Opt[float64] {
	if n == 0 {
		return weir.None[float64]()
	}
	return weir.Some(float64(k) / float64(n))
}

func mean(samples []weir.Sample, of func(*weir.Sample) (float64, bool)) weir.Opt[float64] {
	sum, n := 0.0, 0
	for i := range samples {
		if v, ok := of(&samples[i]); ok {
			sum += v
			n++
		}
	}
	if n == 0 {
		return weir.None[float64]()
	}
	return weir.Some(sum / float64(n))
}

// spread compares the targets' median output speeds, where there are at least
// two that have one. The verdict has its interval and what chance alone gives.
func spread(targets []TargetSummary) weir.Opt[float64] {
	var speeds []float64
	for _, t := range targets {
		if v, ok := t.Speed.P50.Get(); ok {
			speeds = append(speeds, v)
		}
	}
	if len(speeds) < 2 {
		return weir.None[float64]()
	}
	fastest := slices.Max(speeds)
	return weir.Some((fastest - slices.Min(speeds)) / fastest)
}
