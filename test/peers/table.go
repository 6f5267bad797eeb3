//go:build unix

package main

import (
	"fmt"
	"io"
	"strings"

	"weir.dev/weir"
)

// row is a line of a table.
type row struct {
	name string
	figures
}

var columns = []struct {
	name string
	of   func(figures) weir.Opt[float64]
	form string
}{
	{"ttft mean", func(f figures) weir.Opt[float64] { return f.TTFTMean }, "%.2f"},
	{"p50", func(f figures) weir.Opt[float64] { return f.TTFTp50 }, "%.2f"},
	{"p99", func(f figures) weir.Opt[float64] { return f.TTFTp99 }, "%.2f"},
	{"tpot", func(f figures) weir.Opt[float64] { return f.TPOT }, "%.3f"},
	{"itl", func(f figures) weir.Opt[float64] { return f.ITL }, "%.3f"},
	{"gap", func(f figures) weir.Opt[float64] { return f.Gap }, "%.3f"},
	{"tok/s", func(f figures) weir.Opt[float64] { return f.TokenRate }, "%.1f"},
	{"req/s", func(f figures) weir.Opt[float64] { return f.RequestRate }, "%.3f"},
	{"ok", func(f figures) weir.Opt[float64] { return f.Good }, "%.0f"},
	{"in", func(f figures) weir.Opt[float64] { return f.In }, "%.0f"},
	{"out", func(f figures) weir.Opt[float64] { return f.Out }, "%.0f"},
}

// writeTable gives a table in Markdown, its columns aligned.
func writeTable(w io.Writer, title string, rows []row) {
	head := []string{"ms"}
	for _, c := range columns {
		head = append(head, c.name)
	}
	cells := [][]string{head}
	for _, r := range rows {
		cells = append(cells, r.cells())
	}
	wide := make([]int, len(head))
	for _, line := range cells {
		for i, cell := range line {
			wide[i] = max(wide[i], len([]rune(cell)))
		}
	}
	fmt.Fprintf(w, "#### %s\n\n", title)
	for i, line := range cells {
		for k, cell := range line {
			pad := strings.Repeat(" ", wide[k]-len([]rune(cell)))
			if k == 0 {
				fmt.Fprintf(w, "| %s%s ", cell, pad)
			} else {
				fmt.Fprintf(w, "| %s%s ", pad, cell)
			}
		}
		fmt.Fprintln(w, "|")
		if i == 0 {
			fmt.Fprintln(w, "|---"+strings.Repeat("|---:", len(head)-1)+"|")
		}
	}
	fmt.Fprintln(w)
}

func (r row) cells() []string {
	cells := []string{r.name}
	for _, c := range columns {
		v, ok := c.of(r.figures).Get()
		if !ok {
			cells = append(cells, "–")
			continue
		}
		cells = append(cells, fmt.Sprintf(c.form, v))
	}
	return cells
}
