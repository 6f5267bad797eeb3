package chart

import "html/template"

// Interval is an estimate with its doubt.
type Interval struct {
	Class      string
	Title      string
	Lo, At, Hi float64
}

const intervalHeight = 20

// Draw is the estimate as a dot on the line of its interval, and a line at zero,
// the place of no difference.
func (i Interval) Draw(s Scale, zero float64) template.HTML {
	d := strip(s, "interval", i.Title, intervalHeight)
	d.line("zero", s.at(zero), 0, s.at(zero), intervalHeight)
	const y = intervalHeight / 2
	d.group(i.Class, i.Title)
	d.line("whisker", s.at(i.Lo), y, s.at(i.Hi), y)
	for _, end := range []float64{i.Lo, i.Hi} {
		d.line("whisker", s.at(end), y-4, s.at(end), y+4)
	}
	d.dot("point", "", s.at(i.At), y, 4.5)
	d.end("g")
	return d.close()
}

// Places draws from the best to the worst place that a target may hold, of n.
func Places(class, title string, best, worst, n int) template.HTML {
	d := &drawing{}
	d.open("plot strip places", intervalHeight, title)
	at := func(place float64) float64 { return place / float64(n) }
	for place := range n {
		d.rect("place", "", at(float64(place)+0.04), at(float64(place)+0.96), 3, intervalHeight-6)
	}
	d.rect(class+" held", title, at(float64(best-1)+0.04), at(float64(worst)-0.04), 3, intervalHeight-6)
	return d.close()
}
