package main

import (
	"fmt"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// judgeFlags are what a run is judged by.
type judgeFlags struct {
	SLO    string   `help:"Objectives of each request (ttft<=200ms,tpot<=25ms), of the run (ttft_p95<=300ms,success>=99%), or mlperf:MODEL[:interactive]." placeholder:"SLO"`
	FailIf []string `name:"fail-if" help:"Exit with 1 where this holds for a target, such as ttft_p95>250ms." placeholder:"COND" sep:"none"`
}

// judgements checks both before anything is sent.
func (f *judgeFlags) judgements() (slo, failIf weir.SLO, err error) {
	if f.SLO != "" {
		if slo, err = weir.ParseSLO(f.SLO); err != nil {
			return nil, nil, usage("--slo: %v", err)
		}
	}
	for _, text := range f.FailIf {
		conditions, err := weir.ParseSLO(text)
		if err != nil {
			return nil, nil, usage("--fail-if: %v", err)
		}
		for _, o := range conditions {
			if o.OfRequest() {
				return nil, nil, usage("--fail-if %s: each request has its own %s: say which, such as %s_p95", o, o.Metric, o.Metric)
			}
			if (o.Metric == "goodput" || o.Metric == "slo_attainment") && f.SLO == "" {
				return nil, nil, usage("--fail-if %s: it needs --slo", o)
			}
		}
		failIf = append(failIf, conditions...)
	}
	return slo, failIf, nil
}

// failed says which conditions hold, and is the exit code.
func failed(p *process, s *report.Summary, r *report.Run, failIf weir.SLO) error {
	why := report.Failed(s, r, failIf)
	for _, line := range why {
		fmt.Fprintln(p.err, "weir: --fail-if: "+report.Visible(line))
	}
	if len(why) > 0 {
		return quiet(exitFailed)
	}
	return nil
}
