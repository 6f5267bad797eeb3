package validate

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
)

// Bounds of a table: what is simulated must end within minutes.
const (
	maxBytes    = 4 << 20
	maxCells    = 20_000
	maxTokens   = 1 << 20
	maxName     = 64
	maxRequests = 100_000
	maxTogether = 8192    // requests of a batch or kept under way
	maxWork     = 1 << 28 // output tokens of a cell
)

// Columns is the header of a table, in any order.
func Columns() []string {
	return []string{"source", "model", "gpu", "tp", "weights", "kv", "input_tokens", "output_tokens", "requests", "metric", "value"}
}

// Read reads a table in CSV. An error names the line and what would be right.
func Read(r io.Reader) ([]Cell, error) {
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	table := csv.NewReader(limited)
	table.TrimLeadingSpace = true
	header, err := table.Read()
	if err != nil {
		return nil, readError(err, limited)
	}
	at, err := locate(header)
	if err != nil {
		return nil, err
	}
	var cells []Cell
	for {
		record, err := table.Read()
		if errors.Is(err, io.EOF) && len(cells) > 0 && limited.N > 0 {
			return cells, nil
		}
		if err != nil {
			return nil, readError(err, limited)
		}
		line, _ := table.FieldPos(0)
		if len(cells) == maxCells {
			return nil, invalid(line, fmt.Sprintf("split it: at most %d", maxCells), "the table has too many rows")
		}
		cell, err := parseCell(line, record, at)
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell)
	}
}

func invalid(line int, hint, format string, args ...any) error {
	return &weir.Error{Code: "invalid_table", Message: fmt.Sprintf("line %d: ", line) + fmt.Sprintf(format, args...), Hint: hint}
}

// readError is for what is no CSV, or no table.
func readError(err error, limited *io.LimitedReader) error {
	switch e, isCSV := errors.AsType[*csv.ParseError](err); {
	case limited.N <= 0:
		return &weir.Error{Code: "invalid_table", Message: fmt.Sprintf("the table has more than %d bytes", maxBytes), Hint: "split it"}
	case errors.Is(err, io.EOF):
		return &weir.Error{Code: "invalid_table", Message: "the table has no rows", Hint: "a header and a row for each figure"}
	case isCSV:
		return invalid(e.Line, "comma-separated, as many fields as the header has", "%v", e.Err)
	}
	return &weir.Error{Code: "invalid_table", Message: "the table cannot be read", Err: err}
}

// locate finds each column.
func locate(header []string) (map[string]int, error) {
	at := make(map[string]int, len(header))
	for i, name := range header {
		name = strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")) // a spreadsheet's byte order mark
		if !slices.Contains(Columns(), name) {
			return nil, invalid(1, "the columns are "+strings.Join(Columns(), ","), "column %.40q is not known", name)
		}
		if _, twice := at[name]; twice {
			return nil, invalid(1, "once each", "column %.40q is there twice", name)
		}
		at[name] = i
	}
	for _, name := range Columns() {
		if _, ok := at[name]; !ok {
			return nil, invalid(1, "the columns are "+strings.Join(Columns(), ","), "column %q is missing", name)
		}
	}
	return at, nil
}

// fields reads one row and keeps the first thing that is wrong with it.
type fields struct {
	line   int
	record []string
	at     map[string]int
	err    error
}

func (f *fields) text(column string) string { return strings.TrimSpace(f.record[f.at[column]]) }

func (f *fields) fail(hint, format string, args ...any) {
	if f.err == nil {
		f.err = invalid(f.line, hint, format, args...)
	}
}

func (f *fields) count(column string, most int) int {
	n, err := strconv.Atoi(f.text(column))
	if err != nil || n < 1 || n > most {
		f.fail(fmt.Sprintf("a whole number from 1 to %d", most), "%s is %.40q", column, f.text(column))
	}
	return n
}

func (f *fields) oneOf(column string, known []string) string {
	v := strings.ToLower(f.text(column))
	if !slices.Contains(known, v) {
		f.fail("one of "+strings.Join(known, ", "), "%s %.40q is not known", column, v)
	}
	return v
}

// known is a name of one of the engine's tables, as it was written.
func (f *fields) known(column string, find func(string) error) string {
	v := f.text(column)
	if len(v) > maxName {
		f.fail("a name of the tables", "%s %.40q is not known", column, v)
	} else if err := find(v); err != nil && f.err == nil {
		e, _ := errors.AsType[*weir.Error](err)
		f.fail(e.Hint, "%s", e.Message)
	}
	return v
}

func isModel(name string) error {
	_, err := engine.FindModel(name)
	return err
}

func isGPU(name string) error {
	_, err := engine.FindGPU(name)
	return err
}

func parseCell(line int, record []string, at map[string]int) (Cell, error) {
	f := &fields{line: line, record: record, at: at}
	c := Cell{
		Line: line, Source: f.text("source"), Metric: f.text("metric"),
		Model: f.known("model", isModel), GPU: f.known("gpu", isGPU), TP: f.count("tp", 64),
		Weights: f.oneOf("weights", []string{"bf16", "fp8", "int8", "fp4", "mxfp4", "int4"}),
		Input:   f.count("input_tokens", maxTokens), Output: f.count("output_tokens", maxTokens),
	}
	if c.KV = "bf16"; f.text("kv") != "" {
		c.KV = f.oneOf("kv", []string{"bf16", "fp8"})
	}
	if f.text("requests") != "" {
		c.Requests = weir.Some(f.count("requests", maxRequests))
	}
	var ok bool
	if c.metric, ok = parseMetric(c.Metric); !ok {
		f.fail(fmt.Sprintf("one of %s; N from 1 to %d", metricNames, maxTogether), "metric %.80q is not known", c.Metric)
	}
	var err error
	if c.Value, err = strconv.ParseFloat(f.text("value"), 64); err != nil || !(c.Value > 0) || math.IsInf(c.Value, 0) {
		f.fail("a number over 0", "value is %.40q", f.text("value"))
	}
	if c.metric.kind == tokenGap && c.Output < 2 && f.err == nil {
		f.fail("at least 2", "output_tokens of %d have no time between them", c.Output)
	}
	if work := c.total() * c.Output; f.err == nil && work > maxWork {
		f.fail(fmt.Sprintf("at most %d", maxWork), "the cell would simulate %d output tokens", work)
	}
	return c, f.err
}
