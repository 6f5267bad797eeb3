package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

func show(v float64) string { return fmt.Sprintf("%.4g", v) }

// wellFormed tells what keeps a chart from being XML.
func wellFormed(svg template.HTML) error {
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		s    Scale
		n    int
		want []float64
	}{
		{Scale{Lo: 0, Hi: 1}, 4, []float64{0, 0.5, 1}},
		{Scale{Lo: 120, Hi: 345}, 5, []float64{150, 200, 250, 300}},
		{Scale{Lo: 80, Hi: 60_000, Log: true}, 7, []float64{100, 300, 1000, 3000, 10_000, 30_000}},
		{Scale{Lo: 1, Hi: 10, Log: true}, 7, []float64{1, 2, 5, 10}},
		{Scale{Lo: 1e-3, Hi: 1e9, Log: true}, 7, []float64{1e-3, 1e-1, 1e1, 1e3, 1e5, 1e7, 1e9}},
		{Ratio(1.5), 6, []float64{1 / 1.4, 1 / 1.2, 1, 1.2, 1.4}},
	} {
		got := c.s.ticks(c.n)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9*(1+math.Abs(b)) }) {
			t.Errorf("%+v: %v, want %v", c.s, got, c.want)
		}
	}
	if s := Fit(100, 100); s.at(100) != 0.5 {
		t.Errorf("one value stands at %v", s.at(100))
	}
	for _, v := range []float64{math.Inf(-1), math.NaN(), -5, 0} {
		if at := Fit(1, 1000).at(v); at != 0 {
			t.Errorf("%v stands at %v", v, at)
		}
	}
	if at := Fit(1, 1000).at(math.Inf(1)); at != 1 {
		t.Errorf("infinity stands at %v", at)
	}
}

// However many steps a curve has, its path has no more than can be seen, and it
// ends where the curve does.
func TestECDFIsBounded(t *testing.T) {
	for _, n := range []int{1, 10, 1000, 200_000} {
		c := Curve{Class: "c0", End: math.Inf(1)}
		for i := range n {
			c.Steps = append(c.Steps, Point{X: 100 + 900*float64(i)/float64(n), Share: 0.9 * float64(i+1) / float64(n)})
		}
		c.Band = []Bound{{math.Inf(-1), 200, 0.1}, {300, math.Inf(1), 0.8}}
		c.Cut = []float64{950}
		svg := ECDF{Curves: []Curve{c}, Show: show, Levels: []float64{0.5}}.Draw()
		if err := wellFormed(svg); err != nil {
			t.Errorf("%d: %v", n, err)
		}
		if len(svg) > 30_000 {
			t.Errorf("%d steps make %d bytes", n, len(svg))
		}
		path := c.line(Fit(100, 1000), 1)
		if end := fmt.Sprintf("H%d", wide); !strings.HasSuffix(path, end) || !strings.Contains(path, fmt.Sprintf("V%d", up(0.9))) {
			t.Errorf("%d: the curve does not end at 90 %% on the right: ...%s", n, path[max(0, len(path)-40):])
		}
	}
}

// Texts are escaped, whatever they are.
func TestTextsAreEscaped(t *testing.T) {
	evil := `"><script>alert('1')</script>&<x y="`
	s := Scale{Lo: 0, Hi: 10}
	for name, svg := range map[string]template.HTML{
		"ecdf":      ECDF{Label: evil, Show: func(float64) string { return evil }, Curves: []Curve{{Class: "c0", Title: evil, Steps: []Point{{1, 0.5}, {2, 1}}}}}.Draw(),
		"stream":    Stream{Class: "c0", Label: evil, Events: []float64{1, 2, 3}, End: 4, Gap: [2]float64{2, 3}, GapSay: evil, Failed: true}.Draw(s),
		"waterfall": Waterfall(s, "c0", evil, []Phase{{"net", evil, 0, 1}, {"decode", evil, 1, 9}}, true),
		"interval":  Interval{Class: "c0", Title: evil, Lo: 1, At: 2, Hi: 3}.Draw(s, 5),
		"places":    Places("c0", evil, 1, 2, 3),
		"scatter":   Scatter{Label: evil, ShowX: show, ShowY: show, Spots: []Spot{{Name: evil, Title: evil, X: 1, Y: 2}, {Name: evil, X: 2, Y: 2}}}.Draw(),
		"loads":     Loads{Label: evil, ShowX: show, ShowY: show, Lines: []LoadLine{{Class: "c0", Title: evil, Loads: []Load{{1, 1, 2, 3}, {X: 2, Y: math.NaN()}, {4, 3, 4, 5}}, Mark: 4}}}.Draw(),
		"axis":      Axis(s, func(float64) string { return evil }),
	} {
		if strings.Contains(string(svg), "<script") || svg == "" {
			t.Errorf("%s: %s", name, svg)
		}
		if err := wellFormed(svg); err != nil {
			t.Errorf("%s: %v in %s", name, err, svg)
		}
	}
}

// What there is nothing to draw of is empty: the page says so in words.
func TestNothingToDraw(t *testing.T) {
	for name, svg := range map[string]template.HTML{
		"ecdf":    ECDF{Curves: []Curve{{Class: "c0"}}, Show: show}.Draw(),
		"scatter": Scatter{ShowX: show, ShowY: show}.Draw(),
		"loads":   Loads{ShowX: show, ShowY: show, Lines: []LoadLine{{Loads: []Load{{X: 1, Y: math.NaN()}}}}}.Draw(),
	} {
		if svg != "" {
			t.Errorf("%s: %s", name, svg)
		}
	}
}
