package main

import "weir.dev/weir/internal/report"

// formFlags say in which form results are written.
type formFlags struct {
	Output string `short:"o" enum:"table,json,csv,markdown" default:"table" help:"table, json, csv or markdown."`
	Rows   string `enum:"requests,targets" default:"requests" help:"What the rows of -o csv are: requests or targets."`
}

// data tells forms that programs read: they are whole even where there is
// nothing worth a table.
func (f formFlags) data() bool { return f.Output == "json" || f.Output == "csv" }

func (f formFlags) write(p *process, d report.Document) error {
	switch f.Output {
	case "json":
		return writeJSON(p, d)
	case "csv":
		return report.CSV(p.out, d, f.Rows)
	case "markdown":
		return report.Markdown(p.out, d)
	}
	return report.Terminal(p.out, d)
}
