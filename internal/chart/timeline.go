package chart

import (
	"html/template"
	"slices"
)

// Stream is one answer as it arrived. Times count from when it was due, in the
// scale's unit.
type Stream struct {
	Class  string
	Label  string
	Events []float64  // arrivals of output, in order
	End    float64    // of the body, or of the failure
	Gap    [2]float64 // from when to when nothing came
	GapSay string     // what that was; empty: it is not marked
	Stall  bool       // it is marked as one
	Failed bool
}

const streamHeight = 22

// Draw is a row with one stroke for each event. Events closer than what can be
// seen share a stroke.
func (t Stream) Draw(s Scale) template.HTML {
	d := strip(s, "stream", t.Label, streamHeight)
	d.line("wait "+t.Class, 0, streamHeight/2, s.at(t.End), streamHeight/2)
	if t.GapSay != "" {
		class := "gap"
		if t.Stall {
			class += " stall"
		}
		d.rect(class, t.GapSay, s.at(t.Gap[0]), s.at(t.Gap[1]), 2, streamHeight-4)
	}
	d.plane(0, streamHeight, streamHeight)
	var p pen
	for _, at := range slices.Sorted(slices.Values(t.Events)) {
		if x := across(s.at(at)); !p.down || x > p.x {
			p.move(x, 4)
			p.line(x, streamHeight-4)
		}
	}
	d.path("events "+t.Class, string(p.b))
	d.end("svg")
	if t.Failed {
		d.textAt("failed", "middle", min(0.985, s.at(t.End)), streamHeight/2+6, "×")
	}
	return d.close()
}
