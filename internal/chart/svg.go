package chart

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// wide is how many steps a path counts from the left edge to the right.
const wide = 2000

// drawing is an SVG as it grows. x counts from 0, the left edge, to 1, the
// right; y counts in pixels from the top.
type drawing struct{ b strings.Builder }

// open begins a chart; label says in words what it shows.
func (d *drawing) open(class string, height int, label string) {
	fmt.Fprintf(&d.b, "<svg class=\"%s\" width=\"100%%\" height=\"%d\" role=\"img\" aria-label=\"%s\">\n", class, height, attr(label))
}

func (d *drawing) close() template.HTML {
	d.b.WriteString("</svg>\n")
	return template.HTML(d.b.String()) // every text in it went through attr
}

// plane begins an area in which paths count from 0 to wide and from 0 to high;
// it is stretched to the chart's width.
func (d *drawing) plane(y, height, high int) {
	fmt.Fprintf(&d.b, "<svg y=\"%d\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\">\n", y, height, wide, high)
}

func (d *drawing) end(tag string) { d.b.WriteString("</" + tag + ">\n") }

func (d *drawing) group(class, title string) {
	fmt.Fprintf(&d.b, "<g class=\"%s\">", class)
	d.title(title)
	d.b.WriteString("\n")
}

func (d *drawing) title(s string) {
	if s != "" {
		fmt.Fprintf(&d.b, "<title>%s</title>", attr(s))
	}
}

func (d *drawing) path(class, data string) {
	if data != "" {
		fmt.Fprintf(&d.b, "<path class=\"%s\" d=\"%s\"/>\n", class, data)
	}
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&d.b, "<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>\n", class, percent(x1), number(y1), percent(x2), number(y2))
}

func (d *drawing) rect(class, title string, x1, x2, y, height float64) {
	fmt.Fprintf(&d.b, "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\">", class, percent(x1), number(y), percent(max(0, x2-x1)), number(height))
	d.title(title)
	d.b.WriteString("</rect>\n")
}

func (d *drawing) dot(class, title string, x, y, r float64) {
	fmt.Fprintf(&d.b, "<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\"%s\">", class, percent(x), number(y), number(r))
	d.title(title)
	d.b.WriteString("</circle>\n")
}

// text writes s at x: after it at the left edge, before it at the right one, and
// else around it.
func (d *drawing) text(class string, x, y float64, s string) {
	anchor := "middle"
	switch {
	case x < 0.03:
		anchor = "start"
	case x > 0.97:
		anchor = "end"
	}
	d.textAt(class, anchor, x, y, s)
}

// beside writes s so many pixels to the right of x, or to the left of it.
func (d *drawing) beside(class string, x, y, pixels float64, s string) {
	anchor := "start"
	if pixels < 0 {
		anchor = "end"
	}
	fmt.Fprintf(&d.b, "<text class=\"%s\" x=\"%s\" y=\"%s\" dx=\"%s\" text-anchor=\"%s\">%s</text>\n", class, percent(x), number(y), number(pixels), anchor, attr(s))
}

func (d *drawing) textAt(class, anchor string, x, y float64, s string) {
	fmt.Fprintf(&d.b, "<text class=\"%s\" x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>\n", class, percent(x), number(y), anchor, attr(s))
}

// attr makes s fit to stand in an attribute or in a text.
func attr(s string) string { return template.HTMLEscapeString(s) }

func percent(x float64) string { return number(100*x) + "%" }

func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

// axis draws the round figures along x below an area of that height, a line
// through it at each.
func (d *drawing) axis(s Scale, n int, show func(float64) string, top, height float64) {
	free := -1.0 // up to there labels stand
	for _, v := range s.ticks(n) {
		x := s.at(v)
		d.line("grid", x, top, x, top+height)
		if x > free {
			d.text("tick", x, top+height+14, show(v))
			free = x + 0.07
		}
	}
}

// pen writes a path, leaving out what could not be seen.
type pen struct {
	b    []byte
	x, y int
	down bool
}

func (p *pen) move(x, y int) {
	p.b = fmt.Appendf(p.b, "M%d %d", x, y)
	p.x, p.y, p.down = x, y, true
}

func (p *pen) line(x, y int) {
	switch {
	case !p.down:
		p.move(x, y)
		return
	case x == p.x && y == p.y:
		return
	case y == p.y:
		p.b = fmt.Appendf(p.b, "H%d", x)
	case x == p.x:
		p.b = fmt.Appendf(p.b, "V%d", y)
	default:
		p.b = fmt.Appendf(p.b, "L%d %d", x, y)
	}
	p.x, p.y = x, y
}

func across(x float64) int { return int(math.Round(x * wide)) }
