//go:build unix

package main

import (
	"errors"
	"math"

	"weir.dev/weir"
	"weir.dev/weir/internal/imports"
	"weir.dev/weir/internal/reconcile"
)

// figures are what one tool says of one run, under its own definitions. Times
// are in milliseconds, rates per second. What a tool does not tell is absent.
type figures struct {
	TTFTMean, TTFTp50, TTFTp99 weir.Opt[float64]

	TPOT weir.Opt[float64] // mean of what it calls so
	ITL  weir.Opt[float64] // mean of what it calls inter-token latency
	Gap  weir.Opt[float64] // mean of what it calls inter-chunk latency

	TokenRate   weir.Opt[float64] // output tokens
	RequestRate weir.Opt[float64]

	Good, Failed weir.Opt[float64] // measured requests
	In, Out      weir.Opt[float64] // tokens of a request, mean
}

// words are a tool's names for figures; "" is one it does not have.
type words struct{ ttft, tpot, itl, gap string }

// pick fills in the figures that have names, from whatever holds statistics.
func (w words) pick(value func(figure string, stat reconcile.Stat) weir.Opt[float64]) figures {
	return figures{
		TTFTMean: value(w.ttft, reconcile.Mean), TTFTp50: value(w.ttft, reconcile.P50), TTFTp99: value(w.ttft, reconcile.P99),
		TPOT: value(w.tpot, reconcile.Mean), ITL: value(w.itl, reconcile.Mean), Gap: value(w.gap, reconcile.Mean),
	}
}

// printed are the figures of an imported run that its tool printed itself.
func (w words) printed(run *imports.Run) figures {
	f := w.pick(func(figure string, stat reconcile.Stat) weir.Opt[float64] {
		for _, r := range run.Reported {
			if r.Figure == figure && r.Stat == string(stat) {
				return weir.Some(r.Value)
			}
		}
		return weir.None[float64]()
	})
	var in, out mean
	for _, r := range run.Requests {
		if !r.Failed {
			in.addCount(r.Prompt)
			out.addCount(r.Output)
		}
	}
	f.In, f.Out = in.value(), out.value()
	f.Good, f.Failed = weir.Some(float64(run.OK())), weir.Some(float64(len(run.Requests)-run.OK()))
	return f
}

// defined are our own traces under a tool's definitions.
func (w words) defined(tool reconcile.Tool, traces []*weir.Trace) figures {
	run := reconcile.OfRun(tool, traces)
	return w.pick(func(figure string, stat reconcile.Stat) weir.Opt[float64] {
		for _, r := range run.Rows {
			if v, ok := r.Theirs.Get(); ok && r.Name == figure && r.Stat == stat {
				return weir.Some(v.In(r.Unit))
			}
		}
		return weir.None[float64]()
	})
}

var errNoRequests = errors.New("no request succeeded")

// mean is of what is known.
type mean struct{ sum, n float64 }

func (m *mean) add(v weir.Opt[float64]) {
	if x, ok := v.Get(); ok {
		m.sum += x
		m.n++
	}
}

func (m *mean) addCount(v weir.Opt[int]) {
	if n, ok := v.Get(); ok {
		m.add(weir.Some(float64(n)))
	}
}

func (m *mean) addSpan(v weir.Span) {
	if d, ok := v.Get(); ok {
		m.add(weir.Some(d.MS()))
	}
}

func (m mean) value() weir.Opt[float64] { return ratio(weir.Some(m.sum), weir.Some(m.n)) }

// ratio is a / b, where both are known and it is a number.
func ratio(a, b weir.Opt[float64]) weir.Opt[float64] {
	x, ok := a.Get()
	y, known := b.Get()
	if r := x / y; ok && known && !math.IsNaN(r) && !math.IsInf(r, 0) {
		return weir.Some(r)
	}
	return weir.None[float64]()
}
