package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"weir.dev/weir"
)

// aiperfRecord is MetricRecordInfo, a line of profile_export.jsonl.
type aiperfRecord struct {
	Metadata struct {
		Phase     string `json:"benchmark_phase"`
		Cancelled bool   `json:"was_cancelled"`
	} `json:"metadata"`
	Metrics map[string]aiperfValue `json:"metrics"`
	Error   *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

type aiperfValue struct {
	Value json.RawMessage `json:"value"`
	Unit  string          `json:"unit"`
}

var aiperfDefined = map[string]string{
	"time_to_first_token":              "first chunk with content, reasoning or a tool call - sent",
	"time_to_first_output_token":       "first chunk with content or a tool call - sent",
	"inter_token_latency":              "(request_latency - time_to_first_token) / (output_sequence_length - 1); with --per-chunk-usage less the first chunk's own tokens",
	"inter_chunk_latency":              "gaps between chunks with content",
	"output_token_throughput_per_user": "1 / inter_token_latency",
	"request_latency":                  "last chunk with content - sent",
}

// aiperfUnits are MetricTimeUnit's short forms.
var aiperfUnits = map[string]time.Duration{"ns": time.Nanosecond, "us": time.Microsecond, "ms": time.Millisecond, "sec": time.Second}

func readAIPerf(name string, first json.RawMessage, rest *values, summary io.Reader) ([]*Run, error) {
	run := &Run{File: name, Tool: AIPerf, Defined: aiperfDefined}
	if err := run.aiperfSummary(summary); err != nil {
		return nil, err
	}
	for raw := first; ; {
		if err := run.aiperfRecord(raw); err != nil {
			return nil, invalid(name, "record %d: %v", rest.count, err)
		}
		var err error
		switch raw, err = rest.next(); {
		case errors.Is(err, io.EOF):
			return run.aiperfWhole()
		case err != nil:
			return nil, err
		}
	}
}

func (run *Run) aiperfRecord(raw json.RawMessage) error {
	var in aiperfRecord
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	if in.Metadata.Phase == "warmup" {
		run.Warmup++
		return nil
	}
	var r Request
	switch {
	case in.Error != nil:
		r.Failed, r.Error = true, errorText(in.Error.Type+": "+in.Error.Message)
	case in.Metadata.Cancelled:
		r.Failed, r.Error = true, "cancelled"
	default:
		if err := in.figures(&r); err != nil {
			return err
		}
	}
	run.Requests = append(run.Requests, r)
	return nil
}

func (in *aiperfRecord) figures(r *Request) error {
	for _, f := range []struct {
		name string
		to   *weir.Span
	}{{"time_to_first_token", &r.TTFT}, {"time_to_first_output_token", &r.TTFAT}, {"inter_token_latency", &r.ITL}, {"request_latency", &r.E2E}} {
		var v float64
		unit, there, err := in.value(f.name, &v)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		d, ok := within(v, unit)
		if !ok {
			return fmt.Errorf("%s %g is no time", f.name, v)
		}
		*f.to = weir.Some(d)
	}
	var gaps []float64
	unit, there, err := in.value("inter_chunk_latency", &gaps)
	if err != nil {
		return err
	}
	if there {
		r.Gaps = make([]weir.Dur, 0, len(gaps))
	}
	for _, g := range gaps {
		d, ok := within(g, unit)
		if !ok {
			return fmt.Errorf("inter_chunk_latency %g is no time", g)
		}
		r.Gaps = append(r.Gaps, d)
	}
	r.Prompt, r.Output = in.count("input_sequence_length"), in.count("output_sequence_length")
	var speed float64
	if m := in.Metrics["output_token_throughput_per_user"]; m.Unit == "tokens/sec/user" && json.Unmarshal(m.Value, &speed) == nil {
		r.Speed = weir.Some(speed)
	}
	return nil
}

// value reads a metric that is a time, and its unit.
func (in *aiperfRecord) value(name string, to any) (unit time.Duration, there bool, err error) {
	m, ok := in.Metrics[name]
	if !ok || string(m.Value) == "null" {
		return 0, false, nil
	}
	unit, known := aiperfUnits[m.Unit]
	if !known {
		return 0, false, fmt.Errorf("%s is in %q, which is no unit of time that is known", name, m.Unit)
	}
	if err := json.Unmarshal(m.Value, to); err != nil {
		return 0, false, fmt.Errorf("%s: %w", name, err)
	}
	return unit, true, nil
}

func (in *aiperfRecord) count(name string) weir.Opt[int] {
	var v float64
	if json.Unmarshal(in.Metrics[name].Value, &v) != nil {
		return weir.None[int]()
	}
	return tokens(&v)
}

// aiperfWhole checks that what was read can be used at all.
func (run *Run) aiperfWhole() ([]*Run, error) {
	lacks := map[string]bool{"metrics.request_latency": true, "metrics.time_to_first_token": true}
	for _, r := range run.Requests {
		if r.E2E.Known() {
			delete(lacks, "metrics.request_latency")
		}
		if r.TTFT.Known() {
			delete(lacks, "metrics.time_to_first_token")
		}
	}
	if len(lacks) > 0 && run.OK() > 0 {
		return nil, missing(run.File, AIPerf, run.Version.Or(""), slices.Sorted(maps.Keys(lacks)), "run it with --streaming")
	}
	return []*Run{run}, nil
}
