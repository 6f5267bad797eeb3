//go:build unix

package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/stored"
)

// weirArgs write the run folder.
func weirArgs(j job) []string {
	n := strconv.Itoa
	return []string{
		"bench", j.url + "/v1", "--model", j.model, "--input-tokens", n(j.in), "--output-tokens", n(j.out), "--ignore-eos",
		"--requests", n(j.requests), "--concurrency", n(j.concurrency), "--warmup", n(j.warmup), "--save", filepath.Dir(j.output),
	}
}

// isWeir makes the tool the weir binary, and asks that for its version.
func (t *tool) isWeir(ctx context.Context, binary string) error {
	said, err := exec.CommandContext(ctx, binary, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", binary, err)
	}
	t.program, t.version, t.why = binary, strings.TrimPrefix(strings.TrimSpace(string(said)), "weir "), ""
	return nil
}

// readWeir reads a run folder by its summary. Percentiles are the summary's. The
// means and rates are of the traces: rates are over the time from the first due
// request to the end of the last answer, as the other tools'.
func readWeir(summary string) (figures, error) {
	var r struct {
		Targets []struct {
			TTFT struct {
				P50 weir.Opt[float64] `json:"p50"`
				P99 weir.Opt[float64] `json:"p99"`
			} `json:"ttft_ms"`
		} `json:"targets"`
	}
	if err := readJSON(summary, &r); err != nil {
		return figures{}, err
	}
	traces, err := stored.Traces(filepath.Dir(summary), "")
	if err != nil {
		return figures{}, err
	}
	f, err := ofTraces(traces)
	if err != nil || len(r.Targets) != 1 {
		return f, err
	}
	f.TTFTp50, f.TTFTp99 = r.Targets[0].TTFT.P50, r.Targets[0].TTFT.P99
	return f, nil
}

func ofTraces(traces []*weir.Trace) (figures, error) {
	var ttft, tpot, itl, gap, in, out mean
	var begin, end time.Time
	var good float64
	for _, t := range traces {
		if t.Outcome != weir.OK {
			continue
		}
		good++
		ttft.addSpan(t.TTFT())
		tpot.addSpan(t.TPOT())
		for d := range t.ITL() {
			itl.addSpan(weir.SpanOf(d))
		}
		for d := range t.Gaps() {
			gap.addSpan(weir.SpanOf(d))
		}
		in.addCount(t.Usage.Prompt)
		out.addCount(t.Usage.Completion)
		if begin.IsZero() || t.Due.Before(begin) {
			begin = t.Due
		}
		last, _ := t.End.Get()
		if done := t.Sent.Add(last.Duration()); done.After(end) {
			end = done
		}
	}
	if good == 0 {
		return figures{}, errNoRequests
	}
	took := weir.Some(end.Sub(begin).Seconds())
	return figures{
		TTFTMean: ttft.value(), TPOT: tpot.value(), ITL: itl.value(), Gap: gap.value(),
		TokenRate: ratio(weir.Some(out.sum), took), RequestRate: ratio(weir.Some(good), took),
		Good: weir.Some(good), Failed: weir.Some(float64(len(traces)) - good), In: in.value(), Out: out.value(),
	}, nil
}
