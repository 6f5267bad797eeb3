package page

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"weir.dev/weir"
	"weir.dev/weir/internal/chart"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/stats"
)

// curves are one figure's distributions, a curve for each target.
type curves struct {
	Title string
	Says  string // how to read it
	Chart template.HTML
	Keys  []curveKey
}

// curveKey is a curve's entry in the legend.
type curveKey struct {
	Target label
	Says   string
}

const (
	bandSteps = 60 // shares at which a band's interval is computed
	leastBand = 6  // observations that bound a median
)

// curvesOf draws the waits and the speeds.
func curvesOf(s *report.Summary, samples [][]weir.Sample, names []label) []curves {
	if len(s.Requests) == 0 {
		return nil
	}
	wait := curves{Title: "Time to first token", Says: "share of requests that had it by then"}
	fast := curves{Title: "Output speed", Says: "share of answers at least so fast, tokens/s"}
	if !s.Settings.Stream {
		wait = curves{Title: "Time to the whole answer", Says: "share of requests that were answered by then"}
		fast = curves{Title: "Whole speed", Says: "share of answers at least so fast, tokens/s"}
	}
	waitPlot := chart.ECDF{Label: wait.Title, Show: millisAxis, Levels: []float64{0.5, 0.95}}
	fastPlot := chart.ECDF{Label: fast.Title, Show: rateAxis, Levels: []float64{0.5, 0.95}}
	for i, mine := range samples {
		c, says := waitCurve(s.FirstWaits(mine))
		c.Class, c.Title = names[i].Class, names[i].Text+": "+says
		waitPlot.Curves, wait.Keys = append(waitPlot.Curves, c), append(wait.Keys, curveKey{names[i], says})
		c, says = speedCurve(s.Speeds(mine))
		c.Class, c.Title = names[i].Class, names[i].Text+": "+says
		fastPlot.Curves, fast.Keys = append(fastPlot.Curves, c), append(fast.Keys, curveKey{names[i], says})
	}
	wait.Chart, fast.Chart = waitPlot.Draw(), fastPlot.Draw()
	return []curves{wait, fast}
}

// waitCurve is P(reached by t | asked), with the interval of each percentile.
func waitCurve(l stats.Latencies) (c chart.Curve, says string) {
	curve := stats.NewSurvival(l)
	c.End = math.Inf(1)
	for t, share := range curve.Steps() {
		c.Steps = append(c.Steps, chart.Point{X: t, Share: share})
	}
	c.Cut = slices.Sorted(slices.Values(l.Cut))
	if n := len(c.Cut); n > 0 {
		c.End = c.Cut[n-1]
		if k := len(c.Steps); k > 0 {
			c.End = max(c.End, c.Steps[k-1].X)
		}
	}
	n := curve.N()
	says = fmt.Sprintf("n = %d", n)
	if k := len(c.Cut); k > 0 {
		says += fmt.Sprintf(", %s cut while waiting", shareOf(k, n))
	}
	if l.Never > 0 {
		says += fmt.Sprintf(", %s failed", shareOf(l.Never, n))
	}
	c.Band = band(n, curve.Interval)
	return c, says
}

// speedCurve is the share of answers at least so fast.
func speedCurve(speeds []float64) (c chart.Curve, says string) {
	sorted := slices.Sorted(slices.Values(speeds))
	c.From, c.End = 1, math.Inf(1)
	slower := make([]float64, len(sorted))
	for i, v := range sorted {
		c.Steps = append(c.Steps, chart.Point{X: v, Share: 1 - float64(i+1)/float64(len(sorted))})
		slower[i] = -v
	}
	if len(sorted) == 0 {
		c.From = 0
	}
	q := stats.NewQuantiles(slower, 0)
	c.Band = band(len(sorted), func(p float64) stats.Interval {
		return q.Interval(p).Negated()
	})
	return c, fmt.Sprintf("n = %d", len(sorted))
}

// band is the 95 % interval of the figure at each share.
func band(n int, interval func(p float64) stats.Interval) (out []chart.Bound) {
	if n < leastBand {
		return nil
	}
	for k := 1; k < bandSteps; k++ {
		share := float64(k) / bandSteps
		ci := interval(share)
		lo, hi := ci.Lo.Or(math.Inf(-1)), ci.Hi.Or(math.Inf(1))
		if !ci.Lo.Known() && !ci.Hi.Known() {
			continue // it is never reached
		}
		out = append(out, chart.Bound{Lo: lo, Hi: hi, Share: share})
	}
	return out
}

func shareOf(k, n int) string {
	if k == n {
		return "all"
	}
	return fmt.Sprintf("%.2g %%", 100*float64(k)/float64(n))
}
