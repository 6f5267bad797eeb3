package route

import (
	"cmp"
	"slices"
)

// point is a sample as a multiple of the line, with its weight.
type point struct {
	ratio   float64
	weight  float64
	reached float64 // the share of all that come by this ratio
	cut     bool    // at least so much
}

// settle sorts points and fills in what is reached by each: the Kaplan-Meier
// estimate, as stats.Survival has it, but weighted and without an allocation,
// since it is made anew for every answer.
func settle(pts []point) {
	slices.SortFunc(pts, func(a, b point) int {
		if c := cmp.Compare(a.ratio, b.ratio); c != 0 {
			return c
		}
		if a.cut == b.cut {
			return 0
		}
		if b.cut { // of events and cuts at one time, events come first
			return -1
		}
		return 1
	})
	atRisk, left := 0.0, 1.0
	for i := range pts {
		atRisk += pts[i].weight
	}
	for i := range pts {
		if w := pts[i].weight; !pts[i].cut && atRisk > 0 {
			left *= max(1-w/atRisk, 0)
		}
		atRisk -= pts[i].weight
		pts[i].reached = 1 - left
	}
}

// quantile is the p-quantile of settled points: an observed one, or the highest
// where cuts hide it, which it is then at least. Without points it is 0.
func quantile(pts []point, p float64) float64 {
	const rounding = 1e-9
	if len(pts) == 0 {
		return 0
	}
	i := len(pts) - 1
	if pts[i].reached < p-rounding {
		return pts[i].ratio
	}
	for i > 0 && pts[i-1].reached >= p-rounding {
		i--
	}
	return pts[i].ratio
}
