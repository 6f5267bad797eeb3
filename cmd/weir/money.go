package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/report"
)

// moneyFlags bound what a run may cost.
type moneyFlags struct {
	Budget string   `help:"Stop when the run has cost so much, such as 2usd." placeholder:"USD"`
	Price  []string `help:"Price in USD per million tokens, input=0.9,output=0.9,cached_input=0.45: one for all targets, or one for each." placeholder:"RATES" sep:"none"`
	DryRun bool     `name:"dry-run" help:"Print the first request to each target and what the run would cost, and send nothing."`
}

// prices gives each target the price it is known or said to have.
func (f *moneyFlags) prices(places []place) error {
	said, err := oneEach("--price", f.Price, len(places))
	if err != nil {
		return err
	}
	table, err := catalog.Prices()
	if err != nil {
		return err
	}
	for i := range places {
		at := &places[i]
		if said[i] != "" {
			price, err := parsePrice(said[i])
			if err != nil {
				return err
			}
			at.Price = &price
			continue
		}
		if at.Price != nil || at.provider.Name == "" {
			continue
		}
		if price, ok := listPrice(table, at.provider.Name, at.Model); ok {
			at.Price = &price
		}
	}
	return nil
}

// listPrice is the table's, by the provider's name for a model or by that of
// its weights.
func listPrice(table *catalog.PriceTable, provider, model string) (weir.Price, bool) {
	price, ok := table.Lookup(provider, model)
	if !ok {
		if weights, known := catalog.CanonicalOf(provider, model); known {
			price, ok = table.Lookup(provider, weights.Weights)
		}
	}
	return price, ok
}

func parsePrice(s string) (weir.Price, error) {
	p := weir.Price{Source: "--price"}
	rates := map[string]*weir.Opt[float64]{
		"input": &p.Input, "cached_input": &p.CachedInput, "cache_write": &p.CacheWrite,
		"output": &p.Output, "reasoning": &p.Reasoning, "request": &p.Request,
	}
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		rate, ok := rates[name]
		usd, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || !(usd >= 0) {
			return p, usage("--price %q: it is NAME=USD per million tokens, with names input, cached_input, cache_write, output, reasoning and (per request) request", part)
		}
		*rate = weir.Some(usd)
	}
	return p, nil
}

// budget is the limit in USD; none without the flag.
func (f *moneyFlags) budget() (weir.Opt[float64], error) {
	if f.Budget == "" {
		return weir.None[float64](), nil
	}
	s := strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(strings.TrimSpace(f.Budget)), "usd"), "$")
	usd, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(usd > 0) {
		return weir.None[float64](), usage("--budget %q: it is an amount such as 2usd", f.Budget)
	}
	return weir.Some(usd), nil
}

// estimate is what a run will cost, before anything is sent.
type estimate struct {
	usd     float64
	unknown []string // targets elsewhere than on this machine or network, whose price is unknown
	priced  int
	endless bool // how many requests there will be is unknown
	dates   []string
}

func estimateOf(cfg *bench.Config, free func(url string) bool) (e estimate) {
	requests, known := planned(cfg)
	input, output := cfg.Expect()
	for _, t := range cfg.Targets {
		usd := weir.None[float64]()
		if t.Price != nil {
			usd, _ = t.Price.Estimate(input, output)
			if d := t.Price.AsOf; d != "" && !slices.Contains(e.dates, d) {
				e.dates = append(e.dates, d)
			}
		}
		v, ok := usd.Get()
		switch {
		case ok:
			e.usd += v * float64(requests+cfg.Warmup)
			e.priced++
			e.endless = e.endless || (!known && !free(t.URL))
		case !free(t.URL):
			e.unknown = append(e.unknown, t.Name)
		}
	}
	return e
}

// planned is how many measured requests each target will get, where that is
// known before.
func planned(cfg *bench.Config) (n int, known bool) {
	n = cfg.Planned()
	return n, n > 0
}

func (e estimate) String() string {
	s := fmt.Sprintf("estimated cost %s", dollars(e.usd))
	if e.priced == 0 {
		s = "no price is known"
	}
	if len(e.dates) > 0 {
		s += " at prices of " + strings.Join(e.dates, ", ")
	}
	if e.endless {
		s = "how many requests --duration will give is unknown"
	}
	if len(e.unknown) > 0 {
		s += "; unknown for " + strings.Join(e.unknown, ", ")
	}
	return s
}

// spend makes the hook that stops a run at its budget. A request of unknown
// cost counts as nothing and is told of.
func spend(cfg *bench.Config, limit weir.Opt[float64]) {
	usd, ok := limit.Get()
	if !ok {
		return
	}
	prices := map[string]*weir.Price{}
	for _, t := range cfg.Targets {
		prices[t.Name] = t.Price
	}
	spent := 0.0
	cfg.Spend = func(s weir.Sample) bool {
		if price := prices[s.Target]; price != nil {
			cost, _ := price.Cost(s.Usage)
			spent += cost.Or(0)
		}
		return spent >= usd
	}
}

// freely is how much a run may cost that nobody watches and no budget bounds.
const freely = 1.0

// allow says the estimate, and refuses what could cost more than was meant: a
// run without a terminal and without a budget that is dear or of unknown price.
func (f *moneyFlags) allow(p *process, cfg *bench.Config, e estimate) error {
	limit, err := f.budget()
	if err != nil {
		return err
	}
	spend(cfg, limit)
	watched := p.onTerminal()
	switch {
	case f.Budget != "" || watched:
	case len(e.unknown) > 0:
		return usage("the price of %s is unknown: say it with --price input=USD,output=USD (per million tokens), or bound the run with --budget", strings.Join(e.unknown, ", "))
	case e.endless:
		return usage("%s: bound the run with --budget, or with --requests", e)
	case e.usd > freely:
		return usage("%s: bound the run with --budget (%s are spent freely where no one watches)", e, dollars(freely))
	}
	if f.Budget != "" && len(e.unknown) > 0 {
		fmt.Fprintf(p.err, "weir: --budget cannot hold for %s, whose price is unknown: say it with --price\n", report.Visible(strings.Join(e.unknown, ", ")))
	}
	if e.priced > 0 || len(e.unknown) > 0 {
		fmt.Fprintln(p.err, report.Visible(e.String()))
	}
	return nil
}

func (p *process) onTerminal() bool {
	f, ok := p.err.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// free tells whether nothing can be spent at a URL: it is on this machine or a
// private network, or its name does not resolve.
func (p *process) free(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil {
		return near(ip)
	}
	if via, err := p.proxy()(&http.Request{URL: u}); err != nil || via != nil {
		return false // the proxy knows names that we do not
	}
	ctx, cancel := context.WithTimeout(p.ctx, 2*time.Second)
	defer cancel()
	ips, err := net.DefaultResolver.LookupIP(ctx, "ip", u.Hostname())
	if err != nil {
		dns, ok := errors.AsType[*net.DNSError](err)
		return ok && dns.IsNotFound
	}
	return !slices.ContainsFunc(ips, func(ip net.IP) bool { return !near(ip) })
}

func near(ip net.IP) bool { return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() }

func dollars(usd float64) string {
	switch {
	case usd >= 0.995:
		return fmt.Sprintf("%.2f USD", usd)
	case usd >= 0.01:
		return fmt.Sprintf("%.3f USD", usd)
	}
	return fmt.Sprintf("%.2g USD", usd)
}
