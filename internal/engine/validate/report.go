package validate

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/stats"
)

//go:embed engine_published.csv
var published []byte

// Published is the project's own table.
func Published() ([]Cell, error) { return Read(bytes.NewReader(published)) }

// Result is a cell and what the simulation says in its place.
type Result struct {
	Cell
	Predicted weir.Opt[float64] `json:"predicted"`
	Error     weir.Opt[float64] `json:"error"`   // predicted / published - 1
	Problem   weir.Opt[string]  `json:"problem"` // why it could not be simulated, such as weights that do not fit
	Doubts    []string          `json:"doubts"`  // about its model or GPU, apart from any error
}

// Summary is how far off the cells are that were simulated: fractions, without
// their signs.
type Summary struct {
	N      int     `json:"n"`
	Median float64 `json:"median_error"`
	P90    float64 `json:"p90_error"`
	Max    float64 `json:"max_error"`
}

// Report is a table held against the simulation.
type Report struct {
	Cells   []Result `json:"cells"`
	Summary Summary  `json:"summary"`
}

// Run simulates each cell, as many at a time as there are processors, until ctx
// is done. The report keeps the cells' order. It fails if no cell can be
// simulated; one that cannot among others has a Problem.
func Run(ctx context.Context, cells []Cell) (Report, error) {
	results := make([]Result, len(cells))
	var taken atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(cells)) {
		workers.Go(func() {
			for i := taken.Add(1) - 1; i < int64(len(cells)) && ctx.Err() == nil; i = taken.Add(1) - 1 {
				results[i] = hold(cells[i])
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	summary, ok := Summarize(results)
	if !ok {
		problem := "the table is empty"
		if len(results) > 0 {
			problem = fmt.Sprintf("line %d: %s", results[0].Line, results[0].Problem.Or(""))
		}
		return Report{}, &weir.Error{Code: "cannot_simulate", Message: "no cell can be simulated: " + problem}
	}
	return Report{Cells: results, Summary: summary}, nil
}

// hold compares one cell with the simulation.
func hold(c Cell) Result {
	r := Result{Cell: c, Doubts: []string{}}
	if m, _ := engine.ModelNamed(c.Model); m.Doubt != "" {
		r.Doubts = append(r.Doubts, m.Name+": "+m.Doubt)
	}
	if g, _ := engine.GPUNamed(c.GPU); g.Doubt != "" {
		r.Doubts = append(r.Doubts, g.Name+": "+g.Doubt)
	}
	v, err := predict(c)
	if err != nil {
		r.Problem = weir.Some(err.Error())
		return r
	}
	r.Predicted, r.Error = weir.Some(v), weir.Some(v/c.Value-1)
	return r
}

// Summarize gives the quantiles of the errors' sizes: observed ones, as
// stats.Quantiles defines them. ok is false where nothing was simulated.
func Summarize(results []Result) (s Summary, ok bool) {
	var sizes []float64
	for _, r := range results {
		if e, known := r.Error.Get(); known {
			sizes = append(sizes, math.Abs(e))
		}
	}
	q := stats.NewQuantiles(sizes, 0)
	s.N = q.N()
	s.Median, ok = q.At(0.5)
	s.P90, _ = q.At(0.9)
	s.Max, _ = q.At(1)
	return s, ok
}
