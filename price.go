package weir

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Rates are what one request is billed by, in USD per million tokens, Request
// in USD per request. A rate that is not known is empty, never 0; a rate that
// is 0 is free of charge. In JSON a rate that is not known is left out.
type Rates struct {
	Input       Opt[float64] `json:"input,omitzero"`        // prompt tokens that are neither read from the cache nor written to it
	CachedInput Opt[float64] `json:"cached_input,omitzero"` // prompt tokens read from the cache
	CacheWrite  Opt[float64] `json:"cache_write,omitzero"`  // prompt tokens written to the cache, for the provider's default lifetime
	Output      Opt[float64] `json:"output,omitzero"`
	Reasoning   Opt[float64] `json:"reasoning,omitzero"` // only where it differs from Output
	Request     Opt[float64] `json:"request,omitzero"`   // on top of the tokens; empty: none
}

// Price is what a target charges. Its zero value is a price of which nothing
// is known.
type Price struct {
	Rates
	Tiers  []PriceTier `json:"tiers,omitempty"`
	AsOf   string      `json:"as_of,omitempty"`  // the day the price was true, 2026-09-23
	Source string      `json:"source,omitempty"` // who says so
	Until  time.Time   `json:"until,omitzero"`   // when other rates begin: an announced change, or an hour of the day with its own rates
	Note   string      `json:"note,omitempty"`   // a doubt that goes with every cost; among what Cost assumed
}

// PriceTier holds the rates of a request whose prompt has From tokens or more:
// they then apply to the whole request, not to what is above From. A rate that
// a tier leaves out is the price's own.
type PriceTier struct {
	From int `json:"from"`
	Rates
}

// RatesFor is what a request with so many prompt tokens is billed by, cached
// ones included.
func (p Price) RatesFor(prompt int) Rates {
	r, from := p.Rates, 0
	for _, t := range p.Tiers {
		if t.From > from && prompt >= t.From {
			r, from = t.over(p.Rates), t.From
		}
	}
	return r
}

func (r Rates) over(base Rates) Rates {
	or := func(a, b Opt[float64]) Opt[float64] {
		if a.Known() {
			return a
		}
		return b
	}
	return Rates{
		Input:       or(r.Input, base.Input),
		CachedInput: or(r.CachedInput, base.CachedInput),
		CacheWrite:  or(r.CacheWrite, base.CacheWrite),
		Output:      or(r.Output, base.Output),
		Reasoning:   or(r.Reasoning, base.Reasoning),
		Request:     or(r.Request, base.Request),
	}
}

// Cost is what a call with this usage costs in USD, to the picodollar:
//
//	cached tokens x cached input rate + cache writes x cache write rate + the rest of the prompt x input rate
//	+ reasoning tokens x reasoning rate + the rest of the completion x output rate + the fee of a request
//
// with the rates of the prompt's tier. It is unknown, never 0, where a count
// of prompt or completion tokens, or a rate that some token needs, is not
// known, and where the counts contradict each other; assumed then says why.
//
// Else assumed says what the figure rests on, in words that do not change from
// call to call: cached or written tokens with no rate of their own, or not
// reported by a provider that has such a rate, are billed at the input rate;
// unreported reasoning as output; and the price's Note. Reasoning without a
// rate of its own is output: that is how it is sold, and no assumption.
func (p Price) Cost(u Usage) (usd Opt[float64], assumed []string) {
	if why := u.unbillable(); why != nil {
		return None[float64](), why
	}
	prompt, completion := u.Prompt.Or(0), u.Completion.Or(0)
	r := p.RatesFor(prompt)
	b := bill{}
	input := part{"prompt", "input", prompt, r.Input}
	output := part{"completion", "output", completion, r.Output}
	b.charge(&input, "cached", u.Cached, r.CachedInput)
	b.charge(&input, "cache write", u.CacheWrite, r.CacheWrite)
	if r.Reasoning.Known() {
		b.charge(&output, "reasoning", u.Reasoning, r.Reasoning)
	}
	b.add(input)
	b.add(output)
	if len(b.missing) > 0 {
		return None[float64](), b.missing
	}
	if p.Note != "" {
		b.assumed = append(b.assumed, p.Note)
	}
	return Some(math.Round((b.micro+r.Request.Or(0)*1e6)*1e6) / 1e12), b.assumed
}

// Estimate is the cost of a call that has not been made, with nothing read
// from a cache and nothing written to one.
func (p Price) Estimate(prompt, output int) (usd Opt[float64], assumed []string) {
	usd, assumed = p.Cost(Usage{Prompt: Some(prompt), Cached: Some(0), CacheWrite: Some(0), Completion: Some(output), Reasoning: Some(0)})
	if r := p.RatesFor(prompt); usd.Known() && prompt > 0 && (r.CachedInput.Known() || r.CacheWrite.Known()) {
		assumed = append(assumed, "nothing read from the cache or written to it")
	}
	return usd, assumed
}

// unbillable says why no cost can follow from the counts, if none can.
func (u Usage) unbillable() []string {
	var why []string
	prompt, known := u.Prompt.Get()
	if !known {
		why = append(why, "prompt tokens not reported")
	}
	completion, known := u.Completion.Get()
	if !known {
		why = append(why, "completion tokens not reported")
	}
	cached, written, reasoning := u.Cached.Or(0), u.CacheWrite.Or(0), u.Reasoning.Or(0)
	switch {
	case why != nil:
	case min(prompt, completion, cached, written, reasoning) < 0:
		why = append(why, "a token count is negative")
	case cached > prompt || written > prompt-cached:
		why = append(why, "more cached and written tokens than prompt tokens")
	case reasoning > completion:
		why = append(why, "more reasoning tokens than completion tokens")
	}
	return why
}

// part is a count of tokens that are billed alike.
type part struct {
	of     string // of which count it is a part
	name   string
	tokens int
	rate   Opt[float64]
}

type bill struct {
	micro            float64 // millionths of a USD
	assumed, missing []string
}

func (b *bill) add(p part) {
	rate, known := p.rate.Get()
	switch {
	case p.tokens == 0:
	case known:
		b.micro += float64(float64(p.tokens) * rate) // the conversion keeps the product apart, so that every machine rounds alike
	default:
		b.missing = append(b.missing, fmt.Sprintf("no %s rate known", p.name))
	}
}

// charge takes the tokens of one kind out of a whole and bills them at their
// own rate. Without such a rate, or without their count, they stay in it.
func (b *bill) charge(whole *part, name string, count Opt[int], rate Opt[float64]) {
	n, counted := count.Get()
	switch {
	case counted && rate.Known():
		whole.tokens -= n
		b.add(part{whole.of, name, n, rate})
	case counted && n > 0:
		b.assumed = append(b.assumed, fmt.Sprintf("%s tokens at the %s rate: no rate of their own is known", name, whole.name))
	case !counted && rate.Known() && rate != whole.rate && whole.tokens > 0:
		b.assumed = append(b.assumed, fmt.Sprintf("%s tokens not reported: all %s tokens at the %s rate", name, whole.of, whole.name))
	}
}

// Validate tells what is wrong with a price that someone wrote by hand.
func (p Price) Validate() error {
	if err := p.validate(); err != nil {
		return err
	}
	for i, t := range p.Tiers {
		if t.From <= 0 {
			return badPrice("a tier begins at %d prompt tokens", t.From)
		}
		if slices.ContainsFunc(p.Tiers[:i], func(o PriceTier) bool { return o.From == t.From }) {
			return badPrice("two tiers begin at %d prompt tokens", t.From)
		}
		if err := t.validate(); err != nil {
			return err
		}
	}
	if p.AsOf != "" {
		if _, err := time.Parse(time.DateOnly, p.AsOf); err != nil {
			return badPrice("as_of is %q, which is no day", p.AsOf)
		}
	}
	return nil
}

func (r Rates) validate() error {
	for _, f := range []struct {
		name string
		rate Opt[float64]
	}{
		{"input", r.Input},
		{"cached_input", r.CachedInput},
		{"cache_write", r.CacheWrite},
		{"output", r.Output},
		{"reasoning", r.Reasoning},
		{"request", r.Request},
	} {
		if v := f.rate.Or(0); v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return badPrice("%s is %v", f.name, v)
		}
	}
	return nil
}

func badPrice(format string, args ...any) error {
	return &Error{
		Code: "bad_price", Message: fmt.Sprintf("not a price: "+format, args...),
		Hint: "rates are USD per million tokens, 0 or more; request is USD per request; a tier is {from: PROMPT_TOKENS, input: ..., output: ...}; as_of is YYYY-MM-DD",
	}
}
