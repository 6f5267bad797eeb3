package main

import (
	"weir.dev/weir/internal/page"
	"weir.dev/weir/internal/report"
)

// formFlags say in which form results are written.
type formFlags struct {
	Output string `short:"o" enum:"table,json,csv,markdown,html" default:"table" help:"table, json, csv, markdown or html (one page that works offline)."`
	Rows   string `enum:"requests,targets" default:"requests" help:"What the rows of -o csv are: requests or targets."`
}

// data tells forms that programs read: they are whole even where there is
// nothing worth a table.
func (f formFlags) data() bool { return f.Output == "json" || f.Output == "csv" || f.Output == "html" }

// write writes a result; streams are those that the page shows event by event.
func (f formFlags) write(p *process, d report.Document, streams func() []page.Streams) error {
	switch f.Output {
	case "html":
		return html(p, d, streams)
	case "json":
		return writeJSON(p, d)
	case "csv":
		return report.CSV(p.out, d, f.Rows)
	case "markdown":
		return report.Markdown(p.out, d)
	}
	return report.Terminal(p.out, d)
}

// html writes the page of a run or a sweep; of compared runs there is none.
func html(p *process, d report.Document, streams func() []page.Streams) error {
	switch d := d.(type) {
	case *report.Summary:
		return page.Write(p.out, d, streams())
	case *report.Sweep:
		return page.WriteSweep(p.out, d)
	}
	return usage("-o html shows one run: name one, or give --merge")
}
