package page

import (
	"html/template"
	"slices"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/chart"
	"weir.dev/weir/internal/report"
)

// rowGroup are requests on one scale.
type rowGroup struct {
	Title string
	Axis  template.HTML
	Rows  []chartRow
}

// chartRow is a request of a target: what it is, how it went, and its drawing.
type chartRow struct {
	Target label
	What   string
	Says   string
	Chart  template.HTML
}

// timelineOf draws when output arrived in typical and in the worst streams. The
// worst have a scale of their own: beside them the others would be dots.
func timelineOf(s *report.Summary, streams []Streams, names []label) (groups []rowGroup) {
	typical, worst := rowGroup{Title: "Typical"}, rowGroup{Title: "Worst"}
	var far [2]float64
	for _, one := range streams {
		for i := range one.Typical {
			far[0] = max(far[0], one.Typical[i].End.MS())
		}
		for _, w := range worstOf(&one) {
			far[1] = max(far[1], w.End.MS())
		}
	}
	scales := [2]chart.Scale{chart.FromZero(far[0] * 1.02), chart.FromZero(far[1] * 1.02)}
	for _, one := range streams {
		name, ok := labelOf(s, names, one.Target)
		if !ok {
			continue
		}
		for i := range one.Typical {
			typical.Rows = append(typical.Rows, streamRow(name, "typical", &one.Typical[i], scales[0], false))
		}
		for i := range one.Slow {
			worst.Rows = append(worst.Rows, streamRow(name, "slowest first token", &one.Slow[i], scales[1], false))
		}
		for i := range one.Stalled {
			worst.Rows = append(worst.Rows, streamRow(name, "longest gap", &one.Stalled[i], scales[1], true))
		}
	}
	for i, g := range []rowGroup{typical, worst} {
		if len(g.Rows) > 0 {
			g.Axis = chart.Axis(scales[i], millisAxis)
			groups = append(groups, g)
		}
	}
	return groups
}

func worstOf(one *Streams) []Stream {
	return append(append([]Stream(nil), one.Slow...), one.Stalled...)
}

func labelOf(s *report.Summary, names []label, target string) (label, bool) {
	for i := range s.Targets {
		if s.Targets[i].Name == target {
			return names[i], true
		}
	}
	return label{}, false
}

func streamRow(name label, what string, s *Stream, scale chart.Scale, mark bool) chartRow {
	row := chartRow{Target: name, What: what}
	parts := []string{"first token " + spanText(s.TTFT)}
	if s.Stall.Known() {
		parts = append(parts, "longest gap "+spanText(s.Stall))
	}
	parts = append(parts, "ended "+report.Millis(s.End.MS()))
	if s.Outcome != weir.OK {
		parts = append(parts, string(s.Outcome))
	}
	row.Says = together(parts)
	drawn := chart.Stream{Class: name.Class, Label: name.Text + ", " + what + ": " + row.Says, End: s.End.MS(), Failed: s.Outcome != weir.OK}
	for _, at := range s.Outputs {
		drawn.Events = append(drawn.Events, at.MS())
	}
	if stall, ok := s.Stall.Get(); ok && mark {
		drawn.Gap, drawn.GapSay = [2]float64{s.StallAt.MS(), (s.StallAt + stall).MS()}, "nothing came for "+report.Millis(stall.MS())
		drawn.Stall = isStall(s)
	}
	row.Chart = drawn.Draw(scale)
	return row
}

// isStall tells whether a stream's longest gap is a stall (METRICS.md): over 10
// times its median gap, and over 250 ms.
func isStall(s *Stream) bool {
	var gaps []weir.Dur
	for i := 1; i < len(s.Outputs); i++ {
		gaps = append(gaps, s.Outputs[i]-s.Outputs[i-1])
	}
	if len(gaps) == 0 {
		return false
	}
	slices.Sort(gaps)
	longest := s.Stall.Or(0)
	return longest > weir.Dur(250*time.Millisecond) && longest > 10*gaps[(len(gaps)-1)/2]
}

// together joins parts that a line does not break within.
func together(parts []string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.Join(parts, "\n"), " ", "\u00a0"), "\n", " · ")
}

func spanText(v weir.Span) string {
	d, ok := v.Get()
	if !ok {
		return "n/a"
	}
	return report.Millis(d.MS())
}
