package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/weirtest/handmade"
)

func TestSweepGolden(t *testing.T) {
	for name, s := range handmade.Sweeps() {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := report.Terminal(&b, s); err != nil {
				t.Fatal(err)
			}
			if bytes.ContainsRune(b.Bytes(), 0x1b) {
				t.Error("escape codes where there is no terminal")
			}
			golden(t, "sweep_"+name+".txt", b.Bytes())
		})
	}
}

func TestSweepJSON(t *testing.T) {
	s := handmade.Queueing()
	s.Points = s.Points[:1]
	for i := range s.Points {
		s.Points[i].Requests = nil
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "sweep.json", append(b, '\n'))
	var back report.Sweep
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&back); err != nil {
		t.Fatal(err)
	}
	again, err := json.MarshalIndent(&back, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(b), string(again)); d != "" {
		t.Errorf("read and written again (-first +second):\n%s", d)
	}
}

// TestSaturation: what is told, and each reason not to.
func TestSaturation(t *testing.T) {
	type point struct {
		at, rate, off, answers, ttft float64
		partial, limited             bool
	}
	good := []point{
		{at: 1, rate: 100, off: 0.02, answers: 20, ttft: 100},
		{at: 2, rate: 196, off: 0.02, answers: 20, ttft: 110},
		{at: 4, rate: 380, off: 0.02, answers: 20, ttft: 150},
		{at: 8, rate: 390, off: 0.02, answers: 20, ttft: 300},
	}
	change := func(f func(p []point)) []point {
		p := append([]point(nil), good...)
		f(p)
		return p
	}
	for name, c := range map[string]struct {
		points []point
		want   float64
		ratio  float64
		why    string
	}{
		"told":                     {points: good, want: 4, ratio: 1.5},
		"not in order":             {points: []point{good[3], good[0], good[2], good[1]}, want: 4, ratio: 1.5},
		"the smallest":             {points: []point{{1, 400, 0.01, 20, 100, false, false}, good[2], good[3]}, want: 1},
		"falls after the best":     {points: change(func(p []point) { p[3].rate = 200 }), want: 4, ratio: 1.5},
		"it still grows":           {points: good[:3], why: "still grew at concurrency 4"},
		"two points":               {points: good[2:], why: "3 finished points, there are 2"},
		"a partial one":            {points: change(func(p []point) { p[3].partial = true }), why: "still grew at concurrency 4"},
		"a partial one below":      {points: append(change(func(p []point) { p[1].partial = true }), point{at: 9, rate: 391, off: 0.02, answers: 20, ttft: 300}), why: "not all sent at concurrency 2"},
		"few answers below":        {points: change(func(p []point) { p[1].answers = 5 }), why: "5 good answers in the steady window, fewer than 6, at concurrency 2"},
		"few answers above":        {points: append(change(func([]point) {}), point{at: 16, rate: 50, answers: 3}), want: 4, ratio: 1.5},
		"few answers at the end":   {points: append(change(func(p []point) { p[3].rate = 700 }), point{at: 16, answers: 3}), why: "still grew at concurrency 8, the largest point that counts; there were 3 good answers"},
		"the client below":         {points: change(func(p []point) { p[0].limited = true }), why: "the client was the limit at concurrency 1"},
		"steps lost in the errors": {points: change(func(p []point) { p[1].rate, p[1].off, p[3].off = 350, 0.06, 0.06 }), why: "concurrency 2 and concurrency 8 are too close"},
		"wide errors":              {points: change(func(p []point) { p[3].off = 0.2 }), why: "at concurrency 8 is only known to ±20 %"},
		"ttft that is open-ended":  {points: change(func(p []point) { p[0].ttft = 0 }), want: 4},
	} {
		var points []report.SweepPoint
		for _, p := range c.points {
			s := &report.Summary{Client: report.Client{Limited: p.limited}, Targets: []report.TargetSummary{{Name: "north"}}}
			st := &s.Targets[0].Steady
			st.Answers, st.RequestRate, st.RequestError = weir.Some(p.answers), weir.Some(p.rate/128), weir.Some(p.off)
			st.OutputRate, st.OutputError = weir.Some(p.rate), weir.Some(p.off)
			s.Targets[0].TTFT = report.Quantiles{P50: weir.Some(p.ttft)}
			if p.ttft == 0 {
				s.Targets[0].TTFT = report.Quantiles{P50: weir.Some(1.0), Open: []string{"p50"}}
			}
			points = append(points, report.SweepPoint{Point: p.at, Partial: p.partial, Summary: s})
		}
		got := report.SaturationOf(report.OverConcurrency, points, 0)
		if got.Throughput != "output_rate" || got.Point.Or(0) != c.want || got.TTFTRatio.Or(0) != c.ratio || (c.why == "") != (got.Why == "") || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s: %+v", name, got)
		}
		points[0].Targets[0].Steady.OutputRate = weir.None[float64]()
		if got = report.SaturationOf(report.OverConcurrency, points, 0); got.Throughput != "request_rate" {
			t.Errorf("%s, without token counts: %+v", name, got)
		}
	}
}
