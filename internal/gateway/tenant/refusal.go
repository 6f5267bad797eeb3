package tenant

import (
	"fmt"
	"time"

	"weir.dev/weir"
)

// Limit names what a call ran into, as the configuration names it.
type Limit string

// The limits.
const (
	RPM     Limit = "rpm"
	TPM     Limit = "tpm"
	Spend   Limit = "budget"
	NoPrice Limit = "no_price" // the key has a budget, and nobody knows what the call costs
)

// Refusal says why a call was not let in. Where it ran into several limits, it
// is the one that takes longest.
type Refusal struct {
	Limit      Limit
	RetryAfter weir.Opt[time.Duration] // until the same call is let in if nobody else takes what comes free; empty: waiting does not help
	Message    string                  // what is allowed and what was asked
}

// Err is the refusal for the three readers of an error.
func (r *Refusal) Err() *weir.Error {
	e := &weir.Error{Code: "rate_limit_exceeded", Message: r.Message, Hint: "a smaller request, or a key with a higher limit"}
	switch r.Limit {
	case Spend:
		e.Code = "budget_exhausted"
	case NoPrice:
		e.Code, e.Hint = "no_price", "give the route's targets a price (0 where they are free), or the key no budget"
	}
	if wait, known := r.RetryAfter.Get(); known {
		e.Hint = "try again in " + wait.Round(time.Millisecond).String()
	}
	return e
}

// heldRetry is when to come back where only the calls under way are in the way:
// when they end is not known.
const heldRetry = time.Second

// refuse is the limit that a call runs into, or nil.
func (a *account) refuse(now time.Time, tokens int, usd weir.Opt[float64], cost nanoUSD) *Refusal {
	var worst *Refusal
	for _, r := range [...]*Refusal{
		a.requests.refuse(RPM, "requests", 1, now), a.tokens.refuse(TPM, "tokens", tokens, now), a.purse.refuse(usd, cost, now),
	} {
		if r != nil && (worst == nil || r.outlasts(worst)) {
			worst = r
		}
	}
	return worst
}

func (r *Refusal) outlasts(o *Refusal) bool {
	wait, ends := r.RetryAfter.Get()
	other, otherEnds := o.RetryAfter.Get()
	return otherEnds && (!ends || wait > other)
}

func (b *bucket) refuse(l Limit, what string, n int, now time.Time) *Refusal {
	wait, fits := b.wait(n, now)
	switch {
	case !fits:
		return &Refusal{Limit: l, Message: fmt.Sprintf("the key may take %d %s a minute, and this call needs %d", b.perMinute, what, n)}
	case wait > 0:
		return &Refusal{Limit: l, RetryAfter: weir.Some(wait), Message: fmt.Sprintf("the key may take %d %s a minute, and they are used up", b.perMinute, what)}
	}
	return nil
}

func (p *purse) refuse(usd weir.Opt[float64], cost nanoUSD, now time.Time) *Refusal {
	budget, limited := p.budget.Get()
	if !limited {
		return nil
	}
	p.turn(now)
	switch {
	case !usd.Known():
		return &Refusal{Limit: NoPrice, Message: fmt.Sprintf("the key's budget is %s, and what this call costs is not known", budget)}
	case cost > p.limit:
		return p.refusal(cost, weir.None[time.Duration]())
	case p.spent+cost > p.limit:
		return p.refusal(cost, weir.Some(p.until.Sub(now)))
	case p.spent+p.held+cost > p.limit:
		return p.refusal(cost, weir.Some(heldRetry))
	}
	return nil
}

func (p *purse) refusal(cost nanoUSD, retry weir.Opt[time.Duration]) *Refusal {
	return &Refusal{Limit: Spend, RetryAfter: retry, Message: fmt.Sprintf(
		"the key's budget is %s; %.6g USD are spent, calls under way hold %.6g USD, and this one may cost %.6g USD",
		p.budget.Or(Budget{}), p.spent.usd(), p.held.usd(), cost.usd())}
}
