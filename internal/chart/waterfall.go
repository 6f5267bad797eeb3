package chart

import "html/template"

// Phase is a part of a request's time.
type Phase struct {
	Class    string
	Title    string
	From, To float64
}

const waterfallHeight = 18

// Waterfall draws a request's phases one after the other in a row.
func Waterfall(s Scale, class, label string, phases []Phase, failed bool) template.HTML {
	d := strip(s, "waterfall", label, waterfallHeight)
	end := 0.0
	for _, p := range phases {
		if p.To > p.From {
			d.rect(class+" "+p.Class, p.Title, s.at(p.From), s.at(p.To), 3, waterfallHeight-6)
		}
		end = max(end, p.To)
	}
	if failed {
		d.textAt("failed", "middle", min(0.985, s.at(end)), waterfallHeight/2+6, "×")
	}
	return d.close()
}
