package chart

import (
	"html/template"
	"math"
	"slices"
)

// Load is a figure at one point of a sweep with its interval. A figure that is
// not known is NaN.
type Load struct{ X, Lo, Y, Hi float64 }

// LoadLine is a target's figures in order of the points.
type LoadLine struct {
	Class string
	Title string
	Loads []Load
	Mark  float64 // a point of note; NaN: none
}

// Loads draws figures over the points of a sweep.
type Loads struct {
	Label        string
	Lines        []LoadLine
	ShowX, ShowY func(float64) string
}

const loadsHeight = 220

// Draw is the chart; empty where no figure is known.
func (c Loads) Draw() template.HTML {
	xs, ys, points := c.scales()
	if len(points) == 0 {
		return ""
	}
	d := &drawing{}
	d.open("plot loads", loadsHeight+22, c.Label)
	y := func(v float64) float64 { return 14 + (1-ys.at(v))*(loadsHeight-22) }
	for _, v := range points {
		d.line("grid", xs.at(v), 0, xs.at(v), loadsHeight)
	}
	free := -1.0
	for _, v := range points {
		if x := xs.at(v); x > free {
			d.text("tick", x, loadsHeight+14, c.ShowX(v))
			free = x + 0.06
		}
	}
	for _, v := range ys.ticks(6) {
		d.line("grid", 0, y(v), 1, y(v))
		d.textAt("tick halo", "start", 0, y(v)-4, c.ShowY(v))
	}
	for _, l := range c.Lines {
		d.group(l.Class, l.Title)
		d.plane(0, loadsHeight, loadsHeight*10)
		d.path("curve", l.path(xs, y))
		d.end("svg")
		for _, p := range l.Loads {
			if !math.IsNaN(p.Y) {
				d.line("whisker", xs.at(p.X), y(p.Lo), xs.at(p.X), y(p.Hi))
				d.dot("point", "", xs.at(p.X), y(p.Y), 4)
			}
			if p.X == l.Mark && !math.IsNaN(p.Y) {
				d.dot("ring", "", xs.at(p.X), y(p.Y), 8)
			}
		}
		d.end("g")
	}
	return d.close()
}

func (l *LoadLine) path(xs Scale, y func(float64) float64) string {
	var p pen
	for _, at := range l.Loads {
		if math.IsNaN(at.Y) {
			p.down = false
			continue
		}
		p.line(across(xs.at(at.X)), int(math.Round(10*y(at.Y))))
	}
	return string(p.b)
}

// scales are those of all lines, and the points that any has.
func (c Loads) scales() (x, y Scale, points []float64) {
	lo, hi, top := math.Inf(1), math.Inf(-1), 0.0
	seen := map[float64]bool{}
	for _, l := range c.Lines {
		for _, p := range l.Loads {
			if math.IsNaN(p.Y) {
				continue
			}
			lo, hi, top = min(lo, p.X), max(hi, p.X), max(top, p.Hi, p.Y)
			if !seen[p.X] {
				seen[p.X] = true
				points = append(points, p.X)
			}
		}
	}
	slices.Sort(points)
	x = Fit(lo, hi)
	if lo > 0 && hi/lo >= 4 {
		room := math.Pow(hi/lo, 0.06)
		x = Scale{Lo: lo / room, Hi: hi * room, Log: true}
	}
	return x, FromZero(top * 1.08), points
}
