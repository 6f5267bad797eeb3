package chart

import (
	"cmp"
	"html/template"
	"math"
	"slices"
)

// Spot is one target: what it costs, and what it does with its interval. An
// open side of the interval is the figure itself.
type Spot struct {
	Class     string
	Name      string
	Title     string
	X         float64
	Lo, Y, Hi float64
}

// Scatter draws one figure against another.
type Scatter struct {
	Label        string
	Spots        []Spot
	ShowX, ShowY func(float64) string
}

const scatterHeight = 240

// Draw is the chart; empty without spots.
func (c Scatter) Draw() template.HTML {
	if len(c.Spots) == 0 {
		return ""
	}
	xs, ys := c.scales()
	d := &drawing{}
	d.open("plot scatter", scatterHeight+22, c.Label)
	d.axis(xs, 7, c.ShowX, 0, scatterHeight)
	y := func(v float64) float64 { return 14 + (1-ys.at(v))*(scatterHeight-24) }
	for _, v := range ys.ticks(5) {
		d.line("grid", 0, y(v), 1, y(v))
		d.textAt("tick halo", "start", 0, y(v)-4, c.ShowY(v))
	}
	for _, s := range c.Spots {
		x := xs.at(s.X)
		d.group(s.Class, s.Title)
		d.line("whisker", x, y(s.Lo), x, y(s.Hi))
		d.dot("point", "", x, y(s.Y), 5)
		d.end("g")
	}
	c.names(d, xs, y)
	return d.close()
}

// names stand beside the spots, on the side with more room, below each other
// where they would meet.
func (c Scatter) names(d *drawing, xs Scale, y func(float64) float64) {
	const line = 14
	free := map[float64]float64{}
	for _, s := range slices.SortedStableFunc(slices.Values(c.Spots), func(a, b Spot) int { return cmp.Compare(b.Y, a.Y) }) {
		x, side := xs.at(s.X), 10.0
		if x > 0.6 {
			side = -10
		}
		at := max(y(s.Y)+4, free[side])
		free[side] = at + line
		d.beside("name halo", x, min(at, scatterHeight-4), side, s.Name)
	}
}

// scales leave room on all sides.
func (c Scatter) scales() (x, y Scale) {
	loX, hiX, loY, hiY := math.Inf(1), 0.0, math.Inf(1), 0.0
	for _, s := range c.Spots {
		loX, hiX = min(loX, s.X), max(hiX, s.X)
		loY, hiY = min(loY, s.Lo, s.Y), max(hiY, s.Hi, s.Y)
	}
	if loX > 0 && hiX/loX > wideRange {
		return Scale{Lo: loX / 1.6, Hi: hiX * 1.6, Log: true}, roomy(loY, hiY)
	}
	return roomy(loX, hiX), roomy(loY, hiY)
}

// roomy is a linear scale with a third of the range free on both sides.
func roomy(lo, hi float64) Scale {
	room := max((hi-lo)/3, hi/20, 1e-9)
	return Scale{Lo: max(0, lo-room), Hi: hi + room}
}
