package main

import (
	"errors"
	"path/filepath"

	"weir.dev/weir"
	"weir.dev/weir/internal/page"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/stored"
)

type reportCmd struct {
	Runs   []string `arg:"" optional:"" name:"run" help:"Folders that weir bench --save has made, and with one of them a result of vllm bench serve, GuideLLM or AIPerf."`
	Merge  bool     `help:"Pool the runs, of one workload and the same targets, into one."`
	As     string   `help:"Show the run under another tool's definitions, with each difference itemised: article, vllm, vllm-0.32, guidellm, guidellm-0.8.0, aiperf or llmperf." placeholder:"TOOL"`
	Target string   `help:"Beside another tool's result: which of the run's targets it measured." placeholder:"NAME"`
	Schema bool     `help:"Print the JSON Schemas of what -o json writes instead."`
	judgeFlags
	formFlags
}

// Help is shown below the flags.
func (reportCmd) Help() string {
	return `Shows a stored run again, computed from its raw traces, or puts several beside
each other. What a killed run had measured is shown, and what was lost is said.

  weir report runs/today
  weir report runs/today -o csv > requests.csv
  weir report runs/today -o csv --rows targets
  weir report runs/today -o html > today.html
  weir report runs/before runs/after -o markdown
  weir report --merge runs/monday runs/tuesday
  weir report runs/today --slo 'ttft<=300ms' --fail-if 'success<99%'
  weir report runs/today --as vllm
  weir report theirs.json runs/today
  weir report --schema

Runs are compared only if they are of the same work under the same load. They
have a verdict only where they were measured at the same time.

Exit code: 0 ok, 1 nothing succeeded or a --fail-if holds, 2 usage, no run, or
runs that cannot stand beside each other.`
}

func (c *reportCmd) Run(p *process) error {
	if c.Schema {
		if len(p.given) > 1 || len(c.Runs) > 0 {
			return usage("--schema prints the schema and shows no run: give it alone")
		}
		_, err := p.out.Write(report.JSONSchema())
		return err
	}
	slo, failIf, err := c.judgements()
	if err != nil {
		return err
	}
	switch {
	case len(c.Runs) == 0:
		return usage("name the folder of a run: weir report RUN")
	case c.Merge && len(c.Runs) == 1:
		return usage("--merge pools several runs: name at least two")
	case !c.Merge && len(c.Runs) > 1 && len(failIf) > 0:
		return usage("--fail-if: a condition is about one run; name one, or give --merge")
	}
	for i := range c.Runs {
		c.Runs[i] = filepath.Clean(c.Runs[i])
	}
	var theirs, ours []string
	for _, path := range c.Runs {
		if foreign(path) {
			theirs = append(theirs, path)
		} else {
			ours = append(ours, path)
		}
	}
	if err := p.given.refuse(c.idle(len(theirs))...); err != nil {
		return err
	}
	if c.As != "" || len(theirs) > 0 {
		return c.reconcile(p, theirs, ours)
	}
	if len(c.Runs) == 1 {
		return c.one(p, slo, failIf)
	}
	runs, err := stored.Named(c.Runs)
	if err != nil {
		return unusable(err)
	}
	for i := range runs {
		objectives(&runs[i].Run, slo)
	}
	if c.Merge {
		run, err := stored.Merge(runs)
		if err != nil {
			return unusable(err)
		}
		return c.judge(p, report.Summarise(run), &run, failIf)
	}
	compared, err := stored.Compare(runs)
	if err != nil {
		return unusable(err)
	}
	if err := c.write(p, compared, nil); err != nil {
		return err
	}
	return answered(p, compared.Answered())
}

// one shows a run or a sweep.
func (c *reportCmd) one(p *process, slo, failIf weir.SLO) error {
	folder, err := stored.Open(c.Runs[0])
	if err != nil {
		return unusable(err)
	}
	judged := slo != nil || len(failIf) > 0
	if s := folder.Sweep; s != nil {
		if len(failIf) > 0 {
			return usage("--fail-if: a condition is about one run, and %s is a sweep: name the folder of a point", c.Runs[0])
		}
		for _, r := range s.Runs {
			objectives(&r.Run, slo)
		}
		sweep := s.Report()
		if err := showSweep(p, sweep, c.formFlags); err != nil {
			return err
		}
		return answered(p, sweep.Answered())
	}
	run := folder.Run
	if run.Kept != nil && (judged || c.Output == "csv" && c.Rows == report.RowsRequests) {
		return usage("%s has lost its traces.jsonl: it can only be shown as it was judged", c.Runs[0])
	}
	objectives(&run.Run, slo)
	return c.judge(p, run.Summary(), &run.Run, failIf)
}

// judge shows a run and finds the exit code.
func (c *reportCmd) judge(p *process, s *report.Summary, r *report.Run, failIf weir.SLO) error {
	if err := show(p, s, c.streams(s), c.formFlags); err != nil {
		return err
	}
	return errors.Join(answered(p, s.Answered()), failed(p, s, r, failIf))
}

// streams are those of the one run that is shown, for the page. One whose traces
// are lost has none.
func (c *reportCmd) streams(s *report.Summary) func() []page.Streams {
	return func() []page.Streams {
		if len(c.Runs) > 1 {
			return nil
		}
		kept := page.NewExemplars(s.Settings.Targets)
		if err := stored.Each(c.Runs[0], kept.Add); err != nil {
			return nil
		}
		return kept.Streams()
	}
}

// objectives replaces those that a run was judged by.
func objectives(r *report.Run, slo weir.SLO) {
	if slo != nil {
		r.Settings.SLO = slo.String()
	}
}

// unusable is input that cannot be reported: exit code 2.
func unusable(err error) error { return usage("%v", err) }
