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

// vllmResult is what serve.py's main_async saves; times are in seconds.
type vllmResult struct {
	Date        string          `json:"date"`
	Backend     string          `json:"backend"`
	Endpoint    string          `json:"endpoint_type"` // its name before backend
	Model       string          `json:"model_id"`
	Rate        json.RawMessage `json:"request_rate"` // a number, or "inf"
	Concurrency *int            `json:"max_concurrency"`
	RampUp      string          `json:"ramp_up_strategy"`
	Duration    *float64        `json:"duration"`
	Inputs      []int           `json:"input_lens"`
	Outputs     []int           `json:"output_lens"`
	TTFTs       []float64       `json:"ttfts"`
	ITLs        [][]float64     `json:"itls"`
	Latencies   []float64       `json:"latencies"` // not in older releases, where it is ttft + the sum of itls
	Errors      []string        `json:"errors"`
}

// vllmDefined are RequestFuncOutput's fields and calculate_metrics' tpot.
var vllmDefined = map[string]string{
	"ttft": "first chunk that counts - sent (openai-chat: up to 0.32 any chunk with choices, since 0.33 one with content, reasoning or a tool call)",
	"itl":  "gaps between chunks that count",
	"tpot": "(e2el - ttft) / (output_lens - 1), computed here by their formula",
	"e2el": "last chunk that counts - sent",
}

func readVLLM(name string, first json.RawMessage, rest *values) ([]*Run, error) {
	var runs []*Run
	for raw := first; ; {
		run, err := vllmRun(name, raw)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
		switch raw, err = rest.next(); {
		case errors.Is(err, io.EOF):
			return runs, nil
		case err != nil:
			return nil, err
		}
	}
}

func vllmRun(name string, raw json.RawMessage) (*Run, error) {
	var in vllmResult
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, invalid(name, "%v", err)
	}
	if err := in.check(name); err != nil {
		return nil, err
	}
	run := &Run{
		File: name, Tool: VLLM, Model: text(in.Model), Target: text(in.Backend), Load: in.load(), Started: text(in.Date),
		Defined: vllmDefined, Notes: []string{"vllm does not write its version"},
	}
	if in.Backend == "" {
		run.Target = text(in.Endpoint)
	}
	took, ok := spanOf(in.Duration, time.Second)
	if !ok {
		return nil, invalid(name, "duration %g is no time", *in.Duration)
	}
	run.Duration = took
	for i := range in.TTFTs {
		r, err := in.request(i)
		if err != nil {
			return nil, invalid(name, "request %d: %v", i, err)
		}
		run.Requests = append(run.Requests, r)
	}
	run.Reported = vllmReported(raw)
	return run, nil
}

func (in *vllmResult) check(name string) error {
	lacks := map[string]bool{"ttfts": in.TTFTs == nil, "itls": in.ITLs == nil, "output_lens": in.Outputs == nil, "input_lens": in.Inputs == nil, "errors": in.Errors == nil}
	maps.DeleteFunc(lacks, func(_ string, lacks bool) bool { return !lacks })
	if len(lacks) > 0 {
		return missing(name, VLLM, "", slices.Sorted(maps.Keys(lacks)), "run it with --save-result --save-detailed")
	}
	n := len(in.TTFTs)
	if len(in.ITLs) != n || len(in.Outputs) != n || len(in.Inputs) != n || len(in.Errors) != n || in.Latencies != nil && len(in.Latencies) != n {
		return invalid(name, "its lists are of different lengths")
	}
	return nil
}

func (in *vllmResult) load() Load {
	l := Load{Kind: "all at once", Concurrency: optional(in.Concurrency)}
	var rate float64
	if json.Unmarshal(in.Rate, &rate) == nil && rate > 0 {
		l.Kind, l.Rate = "rate", weir.Some(rate)
	}
	if in.RampUp != "" {
		l.Kind = in.RampUp + " ramp"
	}
	return l
}

// request is the i-th one. success is not saved: a failed one has an error's
// text, or no time to first token.
func (in *vllmResult) request(i int) (Request, error) {
	r := Request{Error: errorText(in.Errors[i])}
	if r.Failed = in.Errors[i] != "" || in.TTFTs[i] == 0; r.Failed {
		return r, nil
	}
	if in.Inputs[i] < 0 || in.Outputs[i] < 0 {
		return r, errors.New("a count of tokens is below 0")
	}
	ttft, ok := within(in.TTFTs[i], time.Second)
	if !ok {
		return r, fmt.Errorf("ttft %g is no time", in.TTFTs[i])
	}
	e2e := ttft
	r.Gaps = make([]weir.Dur, 0, len(in.ITLs[i]))
	for _, itl := range in.ITLs[i] {
		gap, ok := within(itl, time.Second)
		if !ok {
			return r, fmt.Errorf("itl %g is no time", itl)
		}
		r.Gaps = append(r.Gaps, gap)
		e2e += gap
	}
	if in.Latencies != nil {
		if e2e, ok = within(in.Latencies[i], time.Second); !ok {
			return r, fmt.Errorf("latency %g is no time", in.Latencies[i])
		}
	}
	r.TTFT, r.E2E = weir.Some(ttft), weir.Some(e2e)
	r.Prompt, r.Output = weir.Some(in.Inputs[i]), weir.Some(in.Outputs[i])
	if n := in.Outputs[i]; n > 1 && e2e >= ttft {
		r.TPOT = weir.SpanOf((e2e - ttft).Duration() / time.Duration(n-1))
	}
	return r, nil
}

func vllmReported(raw json.RawMessage) (out []Reported) {
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil {
		return nil
	}
	for _, figure := range []string{"ttft", "tpot", "itl", "e2el"} {
		for _, stat := range []struct{ theirs, ours string }{{"mean", "mean"}, {"median", "p50"}, {"p99", "p99"}} {
			var v float64
			if b, ok := top[stat.theirs+"_"+figure+"_ms"]; ok && json.Unmarshal(b, &v) == nil {
				out = append(out, Reported{figure, stat.ours, v, "ms"})
			}
		}
	}
	return out
}
