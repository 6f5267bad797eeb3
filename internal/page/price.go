package page

import (
	"fmt"
	"html/template"

	"weir.dev/weir"
	"weir.dev/weir/internal/chart"
	"weir.dev/weir/internal/report"
)

// priceView is speed against price.
type priceView struct {
	Chart template.HTML
	Says  string
	Names []label // of targets that are not in it
}

// priceOf draws each target's median speed against what 1,000 answers of this
// run cost; nil without a price.
func priceOf(s *report.Summary, samples [][]weir.Sample, names []label) *priceView {
	plot := chart.Scatter{Label: "output speed against cost", ShowX: dollarsAxis, ShowY: func(v float64) string { return rateAxis(v) + " tok/s" }}
	v, priced := &priceView{}, false
	for i, mine := range samples {
		t := &s.Targets[i]
		price := s.Settings.Targets[i].Price
		priced = priced || price != nil
		fast := t.Speed
		if !s.Settings.Stream {
			fast = t.WholeRate
		}
		y, ok := fast.P50.Get()
		usd, n := answersCost(mine, price)
		if !ok || n == 0 {
			v.Names = append(v.Names, names[i])
			continue
		}
		per := 1000 * usd / float64(n)
		plot.Spots = append(plot.Spots, chart.Spot{
			Class: names[i].Class, Name: cut(t.Name, 24), X: per, Lo: fast.CI50.Lo.Or(y), Y: y, Hi: fast.CI50.Hi.Or(y),
			Title: fmt.Sprintf("%s: %s per 1,000 answers, %s", names[i].Text, report.Dollars(per), report.Speed(fast)),
		})
	}
	if !priced {
		return nil
	}
	v.Chart, v.Says = plot.Draw(), cut(s.PriceLine(), mostText)
	return v
}

// answersCost adds up the cost of good answers whose usage has a price.
func answersCost(mine []weir.Sample, price *weir.Price) (usd float64, n int) {
	if price == nil {
		return 0, 0
	}
	for i := range mine {
		if mine[i].Outcome != weir.OK {
			continue
		}
		cost, _ := price.Cost(mine[i].Usage)
		if v, ok := cost.Get(); ok {
			usd += v
			n++
		}
	}
	return usd, n
}

func dollarsAxis(v float64) string { return fmt.Sprintf("$%.4g", v) }
