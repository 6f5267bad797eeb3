package page

import (
	"cmp"
	"math"
	"slices"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/chart"
	"weir.dev/weir/internal/report"
)

// picked is a request that the waterfall shows.
type picked struct {
	name label
	what string
	s    *weir.Sample
}

// waterfallsOf draws where the time of some requests went: of those at the ranks
// p50 and p95 of e2e among good answers, and of the longest of all. They are
// real requests, not means. The longest have a scale of their own.
func waterfallsOf(samples [][]weir.Sample, names []label) []rowGroup {
	var usual, longest []picked
	for i, mine := range samples {
		var good []*weir.Sample
		var last *weir.Sample
		for k := range mine {
			if mine[k].Outcome == weir.OK && mine[k].E2E.Known() {
				good = append(good, &mine[k])
			}
			if last == nil || dueToEnd(&mine[k]) > dueToEnd(last) {
				last = &mine[k]
			}
		}
		slices.SortStableFunc(good, func(a, b *weir.Sample) int { return cmp.Compare(a.E2E.Or(0), b.E2E.Or(0)) })
		if n := len(good); n > 0 {
			usual = append(usual, picked{names[i], "at p50 of e2e", good[rank(0.5, n)]}, picked{names[i], "at p95 of e2e", good[rank(0.95, n)]})
		}
		if last != nil {
			longest = append(longest, picked{names[i], "longest", last})
		}
	}
	return append(waterfallGroup("At the median and p95", usual), waterfallGroup("The longest of all", longest)...)
}

// waterfallGroup draws requests on one scale; there is no group without any.
func waterfallGroup(title string, of []picked) []rowGroup {
	if len(of) == 0 {
		return nil
	}
	far := 0.0
	for _, p := range of {
		far = max(far, dueToEnd(p.s).MS())
	}
	scale := chart.FromZero(far * 1.02)
	g := rowGroup{Title: title, Axis: chart.Axis(scale, millisAxis)}
	for _, p := range of {
		g.Rows = append(g.Rows, waterfallRow(p, scale))
	}
	return []rowGroup{g}
}

// rank is the index of the p-quantile (type 1) of n sorted values.
func rank(p float64, n int) int { return max(0, int(math.Ceil(p*float64(n)-1e-9))-1) }

// dueToEnd is from when a request was due to its end.
func dueToEnd(s *weir.Sample) weir.Dur { return s.Lateness + s.End.Or(0) }

func waterfallRow(of picked, scale chart.Scale) chartRow {
	var parts []string
	var drawn []chart.Phase
	at := 0.0
	for _, p := range phasesOf(of.s) {
		text := p.name + " " + report.Millis(p.took.MS())
		if p.took == 0 {
			text = p.name + " 0"
		}
		drawn = append(drawn, chart.Phase{Class: p.class, Title: text, From: at, To: at + p.took.MS()})
		at += p.took.MS()
		if p.always || p.took >= weir.Dur(time.Millisecond) {
			parts = append(parts, text)
		}
	}
	failed := of.s.Outcome != weir.OK
	if failed {
		parts = append(parts, string(of.s.Outcome))
	}
	row := chartRow{Target: of.name, What: of.what, Says: together(parts)}
	row.Chart = chart.Waterfall(scale, of.name.Class, of.name.Text+", "+of.what+": "+row.Says, drawn, failed)
	return row
}

// phase is a part of a request's time, one after the other.
type phase struct {
	name, class string
	took        weir.Dur
	always      bool // it is told even where it is next to nothing
}

// phasesOf takes a request apart. Until something was measured to end, it is
// the phase under way.
func phasesOf(s *weir.Sample) []phase {
	network := s.DNS.Or(0) + s.Connect.Or(0) + s.TLS.Or(0)
	out := []phase{{"late", "late", s.Lateness, false}, {"network", "net", network, true}}
	left := s.End.Or(0) - network
	first, ok := s.TTFTSent.Get()
	last, ended := s.E2E.Get()
	switch {
	case ok && ended:
		wait, decode := first-network, last-s.Lateness-first
		out = append(out, phase{"queue + prefill", "prefill", wait, true}, phase{"decode", "decode", decode, true}, phase{"trailer", "trailer", left - wait - decode, true})
	case ended:
		whole := last - s.Lateness - network
		out = append(out, phase{"whole answer", "decode", whole, true}, phase{"trailer", "trailer", left - whole, true})
	default:
		out = append(out, phase{"waited", "prefill", left, true})
	}
	for i := range out {
		out[i].took = max(0, out[i].took)
	}
	return out
}
