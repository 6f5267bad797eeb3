package chart

import (
	"html/template"
	"math"
	"slices"
)

// Point is a figure and the share of requests up to it, or from it on.
type Point struct{ X, Share float64 }

// Bound is the interval of the figure that a share of the requests keeps to. A
// side that the data do not bound is infinite.
type Bound struct{ Lo, Hi, Share float64 }

// Curve is one target's distribution.
type Curve struct {
	Class string
	Title string
	Steps []Point // in order of X; the share changes there to the one given
	From  float64 // the share before the first step
	Cut   []float64
	End   float64 // nothing is known beyond; infinite: the last share holds
	Band  []Bound // in order of Share
}

// ECDF draws cumulative shares, each with its band.
type ECDF struct {
	Label  string
	Curves []Curve
	Show   func(float64) string // a figure with its unit
	Levels []float64            // shares that have a line and a name, as 0.5 for p50
}

const (
	ecdfHeight = 250
	ecdfHigh   = 1000 // steps of a path from the bottom to the top
	mostDots   = 4000 // points of all curves together, about
)

// Draw is the chart; empty where no curve has a step.
func (e ECDF) Draw() template.HTML {
	lo, hi := e.reach()
	if !(hi >= lo) {
		return ""
	}
	s := Fit(lo, hi)
	d := &drawing{}
	d.open("plot ecdf", ecdfHeight+22, e.Label)
	d.axis(s, 7, e.Show, 0, ecdfHeight)
	for _, level := range []float64{0, 0.25, 0.5, 0.75, 1} {
		y := ecdfY(level)
		d.line("grid", 0, y, 1, y)
	}
	coarse := max(1, len(e.Curves)*wide/mostDots)
	d.plane(8, ecdfHeight-16, ecdfHigh)
	for _, c := range e.Curves {
		d.path(c.Class+" band", c.band(s))
	}
	for _, c := range e.Curves {
		d.group(c.Class, c.Title)
		d.path("curve", c.line(s, coarse))
		d.path("cut", c.cuts(s))
		d.end("g")
	}
	d.end("svg")
	for _, level := range e.Levels {
		y := ecdfY(level)
		d.line("level", 0, y, 1, y)
		d.textAt("tick halo", "end", 1, y-4, percentile(level))
	}
	for _, level := range []float64{0.25, 0.5, 0.75} {
		d.textAt("tick halo", "start", 0, ecdfY(level)-4, number(100*level)+" %")
	}
	return d.close()
}

func percentile(level float64) string { return "p" + number(100*level) }

func ecdfY(share float64) float64 { return 8 + (1-share)*(ecdfHeight-16) }

func up(share float64) int { return int(math.Round((1 - share) * ecdfHigh)) }

func (e ECDF) reach() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, c := range e.Curves {
		for _, p := range c.Steps {
			lo, hi = min(lo, p.X), max(hi, p.X)
		}
		for _, x := range c.Cut {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	return lo, hi
}

// line is the stair. Steps closer than what can be seen are drawn as one.
func (c *Curve) line(s Scale, coarse int) string {
	var p pen
	if len(c.Steps) == 0 {
		return ""
	}
	x, y := across(s.at(c.Steps[0].X)), up(c.From)
	if c.From > 0 {
		p.move(0, y)
		p.line(x, y)
	} else {
		p.move(x, y)
	}
	for i, step := range c.Steps {
		toX, toY := across(s.at(step.X)), up(step.Share)
		near := toX-p.x < coarse && abs(toY-p.y) < coarse
		if near && i < len(c.Steps)-1 {
			continue
		}
		p.line(toX, p.y)
		p.line(toX, toY)
	}
	end := wide
	if !math.IsInf(c.End, 1) {
		end = max(p.x, across(s.at(c.End)))
	}
	p.line(end, p.y)
	return string(p.b)
}

func abs(v int) int { return max(v, -v) }

// band goes up along the lower bounds and down along the upper ones.
func (c *Curve) band(s Scale) string {
	var p pen
	if len(c.Band) == 0 {
		return ""
	}
	for _, b := range c.Band {
		p.line(across(s.at(b.Lo)), up(b.Share))
	}
	for _, b := range slices.Backward(c.Band) {
		p.line(across(s.at(b.Hi)), up(b.Share))
	}
	return string(p.b) + "Z"
}

// cuts are short strokes across the curve where a wait was cut.
func (c *Curve) cuts(s Scale) string {
	var p pen
	step, share, last := 0, c.From, -100
	for _, x := range c.Cut {
		for step < len(c.Steps) && c.Steps[step].X <= x {
			share = c.Steps[step].Share
			step++
		}
		if at := across(s.at(x)); at-last >= 8 {
			p.move(at, up(share)-16)
			p.line(at, up(share)+16)
			last = at
		}
	}
	return string(p.b)
}
