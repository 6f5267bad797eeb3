package imports

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"weir.dev/weir"
)

// guidellmReport is GenerativeBenchmarksReport, as far as it is read.
type guidellmReport struct {
	Metadata struct {
		Version  *int   `json:"version"` // of the report's form
		GuideLLM string `json:"guidellm_version"`
	} `json:"metadata"`
	Benchmarks []guidellmBenchmark `json:"benchmarks"`
}

type guidellmBenchmark struct {
	Config struct {
		Strategy struct {
			Type    string   `json:"type_"`
			Streams *int     `json:"streams"`
			Rate    *float64 `json:"rate"`
		} `json:"strategy"`
		Backend struct {
			Target string `json:"target"`
			Model  string `json:"model"`
		} `json:"backend"`
	} `json:"config"`
	Metrics  map[string]json.RawMessage `json:"metrics"`
	Requests *struct {
		Successful []guidellmRequest `json:"successful"`
		Errored    []guidellmRequest `json:"errored"`
		Incomplete []guidellmRequest `json:"incomplete"`
	} `json:"requests"`
	Duration *float64 `json:"duration"`
	Start    *float64 `json:"start_time"` // of what its figures are about, in seconds of the Unix epoch
	End      *float64 `json:"end_time"`
}

// outside tells a request that ended in the warm-up or the cool-down. They stand
// among the others, and are in none of the report's figures.
func (b *guidellmBenchmark) outside(r *guidellmRequest) bool {
	return r.Ended != nil && (b.Start != nil && *r.Ended < *b.Start || b.End != nil && *r.Ended > *b.End)
}

// guidellmRequest is GenerativeRequestStats: _ms are milliseconds, latency is seconds.
type guidellmRequest struct {
	TTFT    *float64 `json:"time_to_first_token_ms"`
	TTFAT   *float64 `json:"time_to_first_output_token_ms"`
	TPOT    *float64 `json:"time_per_output_token_ms"`
	ITL     *float64 `json:"inter_token_latency_ms"`
	Latency *float64 `json:"request_latency"`
	Prompt  *float64 `json:"prompt_tokens"`
	Output  *float64 `json:"output_tokens"`
	Ended   *float64 `json:"request_end_time"`
	Info    struct {
		Error string `json:"error"`
	} `json:"info"`
}

// guidellmForm is the version of the report's form whose definitions are known.
const guidellmForm = 2

var guidellmDefined = map[string]string{
	"time_to_first_token_ms":        "first chunk with content, reasoning or a tool call - start (since 0.8.1 when the request's head is written, so without connection set-up)",
	"time_to_first_output_token_ms": "first chunk with content or a tool call - start",
	"time_per_output_token_ms":      "(last token chunk - start) / N: ttft inside the mean",
	"inter_token_latency_ms":        "(last token chunk - first token chunk) / (N - 1)",
	"request_latency":               "[DONE] or the body's end - start",
}

func readGuideLLM(name string, raw json.RawMessage) ([]*Run, error) {
	var in guidellmReport
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, invalid(name, "%v", err)
	}
	var runs []*Run
	for i := range in.Benchmarks {
		run, err := in.run(name, &in.Benchmarks[i])
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	if len(runs) == 0 {
		return nil, missing(name, GuideLLM, in.Metadata.GuideLLM, []string{"a benchmark in benchmarks"}, "")
	}
	return runs, nil
}

func (in *guidellmReport) run(name string, b *guidellmBenchmark) (*Run, error) {
	run := &Run{
		File: name, Tool: GuideLLM, Version: text(in.Metadata.GuideLLM), Model: text(b.Config.Backend.Model), Target: text(b.Config.Backend.Target),
		Load:    Load{b.Config.Strategy.Type, optional(b.Config.Strategy.Streams), optional(b.Config.Strategy.Rate)},
		Defined: guidellmDefined,
	}
	took, ok := spanOf(b.Duration, time.Second)
	if !ok {
		return nil, invalid(name, "duration %g is no time", *b.Duration)
	}
	run.Duration = took
	if form := optional(in.Metadata.Version); form != weir.Some(guidellmForm) {
		run.Notes = append(run.Notes, fmt.Sprintf("the report's form is not version %d, whose definitions are known", guidellmForm))
	}
	if lacks := b.lacks(); len(lacks) > 0 {
		return nil, missing(name, GuideLLM, in.version(), lacks, fmt.Sprintf("reports of form %d, which guidellm 0.7 and 0.8 write, are read, with their requests", guidellmForm))
	}
	for _, r := range b.Requests.Successful {
		if b.outside(&r) {
			run.Warmup++
			continue
		}
		got, err := r.request()
		if err != nil {
			return nil, invalid(name, "request %d: %v", len(run.Requests), err)
		}
		run.Requests = append(run.Requests, got)
	}
	for _, r := range slices.Concat(b.Requests.Errored, b.Requests.Incomplete) {
		if b.outside(&r) {
			run.Warmup++
			continue
		}
		run.Requests = append(run.Requests, Request{Failed: true, Error: errorText(r.Info.Error)})
	}
	run.Reported = b.reported()
	return run, nil
}

func (in *guidellmReport) version() string {
	form := "an unnamed form"
	if in.Metadata.Version != nil {
		form = fmt.Sprintf("form %d", *in.Metadata.Version)
	}
	return fmt.Sprintf("%s (report of %s)", in.Metadata.GuideLLM, form)
}

// lacks names the fields that no request has.
func (b *guidellmBenchmark) lacks() (names []string) {
	if b.Requests == nil || b.Requests.Successful == nil {
		return []string{"requests.successful"}
	}
	if len(b.Requests.Successful) == 0 {
		return nil
	}
	for _, f := range []struct {
		name string
		of   func(*guidellmRequest) *float64
	}{
		{"time_to_first_token_ms", func(r *guidellmRequest) *float64 { return r.TTFT }},
		{"time_per_output_token_ms", func(r *guidellmRequest) *float64 { return r.TPOT }},
		{"request_latency", func(r *guidellmRequest) *float64 { return r.Latency }},
		{"output_tokens", func(r *guidellmRequest) *float64 { return r.Output }},
	} {
		if !slices.ContainsFunc(b.Requests.Successful, func(r guidellmRequest) bool { return f.of(&r) != nil }) {
			names = append(names, "requests.successful[]."+f.name)
		}
	}
	return names
}

func (r *guidellmRequest) request() (out Request, err error) {
	for _, f := range []struct {
		name string
		v    *float64
		unit time.Duration
		to   *weir.Span
	}{
		{"time_to_first_token_ms", r.TTFT, time.Millisecond, &out.TTFT},
		{"time_to_first_output_token_ms", r.TTFAT, time.Millisecond, &out.TTFAT},
		{"time_per_output_token_ms", r.TPOT, time.Millisecond, &out.TPOT},
		{"inter_token_latency_ms", r.ITL, time.Millisecond, &out.ITL},
		{"request_latency", r.Latency, time.Second, &out.E2E},
	} {
		span, ok := spanOf(f.v, f.unit)
		if !ok {
			return out, fmt.Errorf("%s %g is no time", f.name, *f.v)
		}
		*f.to = span
	}
	out.Prompt, out.Output = tokens(r.Prompt), tokens(r.Output)
	return out, nil
}

// tokens is a count that a tool may write as 12.0.
func tokens(v *float64) weir.Opt[int] {
	if v == nil || *v < 0 || *v > 1e12 || *v != float64(int(*v)) {
		return weir.None[int]()
	}
	return weir.Some(int(*v))
}

func (b *guidellmBenchmark) reported() (out []Reported) {
	for _, f := range []struct {
		name  string
		scale float64 // to ms
	}{{"time_to_first_token_ms", 1}, {"time_to_first_output_token_ms", 1}, {"time_per_output_token_ms", 1}, {"inter_token_latency_ms", 1}, {"request_latency", 1000}} {
		var d struct {
			Successful struct {
				Count       int
				Mean        *float64
				Median      *float64
				Percentiles struct{ P99 *float64 }
			}
		}
		if json.Unmarshal(b.Metrics[f.name], &d) != nil || d.Successful.Count == 0 { // an empty one is all zeros
			continue
		}
		for _, s := range []struct {
			stat string
			v    *float64
		}{{"mean", d.Successful.Mean}, {"p50", d.Successful.Median}, {"p99", d.Successful.Percentiles.P99}} {
			if s.v != nil {
				out = append(out, Reported{f.name, s.stat, *s.v * f.scale, "ms"})
			}
		}
	}
	return out
}
