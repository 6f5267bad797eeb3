package tenant

import (
	"math"
	"time"

	"weir.dev/weir"
)

// nanoUSD are billionths of a USD. Whole numbers add up to the same in any
// order, and to nothing when all of it is given back.
type nanoUSD int64

const maxUSD = 1e8 // of one call, and of a budget; 92 of them fit

// nanos rounds up, so that many small costs are never lost.
func nanos(usd float64) nanoUSD {
	if !(usd > 0) {
		return 0
	}
	return nanoUSD(math.Ceil(min(usd, maxUSD) * 1e9))
}

func (n nanoUSD) usd() float64 { return float64(n) / 1e9 }

// purse is a budget and what is gone of it. The zero value has no limit.
type purse struct {
	budget weir.Opt[Budget]
	limit  nanoUSD
	spent  nanoUSD // in the period that ends at until
	held   nanoUSD // by calls under way; what they cost falls in the period in which it becomes known
	until  time.Time
}

func newPurse(b weir.Opt[Budget]) purse {
	return purse{budget: b, limit: nanos(b.Or(Budget{}).USD)}
}

// turn begins a new period where the old one is over. A time before the last
// one, as calls side by side have it, turns nothing back.
func (p *purse) turn(now time.Time) {
	if !now.Before(p.until) {
		p.spent, p.until = 0, p.budget.Or(Budget{}).Per.end(now)
	}
}

// resize takes new limits. Another period begins at 0: how much of what was
// spent falls in it is not known.
func (p *purse) resize(to purse) {
	if p.budget.Or(Budget{}).Per != to.budget.Or(Budget{}).Per {
		p.spent, p.until = 0, time.Time{}
	}
	p.budget, p.limit = to.budget, to.limit
}
