package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine/validate"
)

type simValidateCmd struct {
	File   string `arg:"" optional:"" help:"The figures, in CSV; without it, those that weir carries. - reads standard input."`
	Output string `short:"o" enum:"table,json" default:"table" help:"table or json."`
}

// Help is shown below the flags.
func (simValidateCmd) Help() string {
	return `Simulates each published figure and prints how far off the simulation is. The
columns: source, model, gpu, tp, weights, kv, input_tokens, output_tokens,
requests, metric, value; docs/physics.md says what they may hold.

  weir sim validate
  weir sim validate mine.csv -o json

Exit code: 0 however large the errors are, 2 for a table that cannot be used.`
}

func (c *simValidateCmd) Run(p *process) error {
	cells, err := c.cells(p)
	if err != nil {
		return err
	}
	report, err := validate.Run(p.ctx, cells)
	if err != nil {
		if p.ctx.Err() != nil {
			return err
		}
		return usage("%s: %v", c.name(), err)
	}
	if c.Output == "json" {
		return writeJSON(p, report)
	}
	return writeValidation(p, report)
}

func (c *simValidateCmd) name() string {
	switch c.File {
	case "":
		return "the table that weir carries"
	case "-":
		return "standard input"
	}
	return c.File
}

func (c *simValidateCmd) cells(p *process) ([]validate.Cell, error) {
	var in io.Reader = p.in
	switch c.File {
	case "":
		return validate.Published()
	case "-":
	default:
		f, err := os.Open(c.File)
		if err != nil {
			return nil, usage("%v", err)
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	cells, err := validate.Read(in)
	if err != nil {
		return nil, usage("%s: %v", c.name(), err)
	}
	return cells, nil
}

func writeValidation(p *process, r validate.Report) error {
	rows := [][]string{{"model", "gpu", "tp", "weights", "kv", "in", "out", "metric", "published", "simulated", "error"}}
	told := map[string]bool{}
	for _, c := range r.Cells {
		rows = append(rows, []string{
			c.Model, c.GPU, strconv.Itoa(c.TP), c.Weights, c.KV, strconv.Itoa(c.Input), strconv.Itoa(c.Output),
			c.Metric, fmt.Sprintf("%.5g", c.Value), optional(c.Predicted, "%.5g"), percent(c.Error),
		})
		for _, doubt := range c.Doubts {
			if !told[doubt] {
				fmt.Fprintln(p.err, "weir: in doubt: "+doubt)
			}
			told[doubt] = true
		}
		if why, ok := c.Problem.Get(); ok {
			fmt.Fprintf(p.err, "weir: line %d is left out: %s\n", c.Line, why)
		}
	}
	if err := writeColumns(p, rows); err != nil {
		return err
	}
	s := r.Summary
	_, err := fmt.Fprintf(p.out, "%d cells: median error %.1f %%, p90 %.1f %%, max %.1f %%\n", s.N, 100*s.Median, 100*s.P90, 100*s.Max)
	return err
}

func percent(fraction weir.Opt[float64]) string {
	f, ok := fraction.Get()
	if !ok {
		return "n/a"
	}
	return fmt.Sprintf("%+.1f %%", 100*f)
}
