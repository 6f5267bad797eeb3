package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/imports"
	"weir.dev/weir/internal/reconcile"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/stored"
)

// foreign tells a result of another tool from a folder of ours.
func foreign(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		return true
	}
	_, err = os.Stat(filepath.Join(path, "profile_export.jsonl"))
	return err == nil
}

// reconcile shows a run of ours under another tool's definitions, or beside a
// run of that tool.
func (c *reportCmd) reconcile(p *process, theirs, ours []string) error {
	tool, ok := reconcile.ParseTool(c.As)
	switch {
	case c.As != "" && !ok:
		return usage("--as %q: it is one of %q", c.As, reconcile.Tools())
	case len(ours) != 1:
		return usage("%d folders of ours: name one run of weir bench --save, to show it as another tool has it, or beside the tool's own result", len(ours))
	case len(theirs) > 1:
		return usage("%d results of other tools: name one", len(theirs))
	case c.Merge || c.SLO != "" || len(c.FailIf) > 0:
		return usage("--as and other tools' results stand without --merge, --slo and --fail-if")
	case c.Output != "table" && c.Output != "json":
		return usage("-o %s: other tools' definitions come as table or json", c.Output)
	}
	folder, err := stored.Open(ours[0])
	if err != nil {
		return unusable(err)
	}
	if folder.Run == nil {
		return usage("%s is a sweep: name the folder of a point", ours[0])
	}
	targets := folder.Run.Settings.Targets
	if len(theirs) == 0 {
		return c.as(p, tool, ours[0], targets)
	}
	target, err := c.target(targets)
	if err != nil {
		return err
	}
	runs, err := imports.Open(theirs[0])
	if err != nil {
		return unusable(err)
	}
	traces, err := stored.Traces(ours[0], target)
	if err != nil {
		return unusable(err)
	}
	var all []terminal
	for _, run := range runs {
		lined, err := reconcile.LineUp(tool, run, traces)
		if err != nil {
			return unusable(err)
		}
		all = append(all, lined)
	}
	return c.print(p, all, func(int) string { return "" })
}

// as shows each target of our run by the tool's definitions.
func (c *reportCmd) as(p *process, tool reconcile.Tool, dir string, targets []weir.Target) error {
	var all []terminal
	for _, t := range targets {
		traces, err := stored.Traces(dir, t.Name)
		if err != nil {
			return unusable(err)
		}
		all = append(all, reconcile.OfRun(tool, traces))
	}
	return c.print(p, all, func(i int) string { return targets[i].Name })
}

// target is the one that the other tool measured too.
func (c *reportCmd) target(targets []weir.Target) (string, error) {
	var names []string
	for _, t := range targets {
		if t.Name == c.Target {
			return t.Name, nil
		}
		names = append(names, t.Name)
	}
	switch {
	case c.Target != "":
		return "", usage("--target %s: the run has %s", c.Target, strings.Join(names, ", "))
	case len(names) > 1:
		return "", usage("the run has %d targets: say which the other tool measured with --target: %s", len(names), strings.Join(names, ", "))
	}
	return names[0], nil
}

// terminal is what can be shown as people read it.
type terminal interface{ Terminal(w io.Writer) error }

func (c *reportCmd) print(p *process, all []terminal, head func(i int) string) error {
	if c.Output == "json" {
		if len(all) == 1 {
			return writeJSON(p, all[0])
		}
		return writeJSON(p, all)
	}
	for i, one := range all {
		if i > 0 {
			fmt.Fprintln(p.out)
		}
		if name := head(i); name != "" && len(all) > 1 {
			fmt.Fprintln(p.out, report.Visible(name))
		}
		if err := one.Terminal(p.out); err != nil {
			return err
		}
	}
	return nil
}
