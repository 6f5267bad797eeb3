package chart

import "html/template"

// Axis draws a scale by itself, as it stands below or above strips.
func Axis(s Scale, show func(float64) string) template.HTML {
	d := &drawing{}
	d.open("plot axis", 18, "axis")
	d.axis(s, 6, show, 0, 4)
	return d.close()
}

// strip begins a row that shares a scale with others.
func strip(s Scale, class, label string, height float64) *drawing {
	d := &drawing{}
	d.open("plot strip "+class, int(height), label)
	for _, v := range s.ticks(6) {
		d.line("grid", s.at(v), 0, s.at(v), height)
	}
	return d
}
