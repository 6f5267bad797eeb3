package catalog

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"weir.dev/weir"
)

//go:embed prices.json
var pricesJSON []byte

// PriceTable tells what models cost. Make one with Prices; call Override before
// use; it is then safe for concurrent use.
type PriceTable struct {
	Date        string // the day of the table, 2026-09-23
	Source      string // the package and version that it was extracted from
	Attribution string

	providers []pricedProvider // sorted by id
	sources   map[string]priceSource
	overrides map[modelName]weir.Price
}

type modelName struct{ provider, model string }

// Prices reads the table that is part of the binary.
func Prices() (*PriceTable, error) { return readPrices(pricesJSON) }

// Lookup tells the price that holds now, false if none is known: then the cost
// is not known either, it is not 0.
func (t *PriceTable) Lookup(provider, model string) (weir.Price, bool) {
	return t.LookupAt(provider, model, time.Now())
}

// LookupAt tells the price that holds at a time after the table's day: some
// change by the hour, and some changes are announced. The price's Until is when
// it has to be asked for again.
func (t *PriceTable) LookupAt(provider, model string, at time.Time) (weir.Price, bool) {
	if p, ok := t.overrides[modelName{fold(provider), fold(model)}]; ok {
		return p, true
	}
	m, where := t.find(provider, model)
	if m == nil {
		return weir.Price{}, false
	}
	p := weir.Price{AsOf: t.Date, Source: t.Source + ", " + where.id + "/" + m.ID, Note: where.note}
	p.Rates, p.Tiers, p.Until = m.at(at)
	return p, p.Rates != weir.Rates{}
}

// Context is the model's context window in tokens, where the table has it.
func (t *PriceTable) Context(provider, model string) weir.Opt[int] {
	if m, _ := t.find(provider, model); m != nil && m.Context > 0 {
		return weir.Some(m.Context)
	}
	return weir.None[int]()
}

// Override puts a user's price in the place of the table's, for a provider and
// model that need not be in it. It is taken whole: a rate that it leaves out is
// not known.
func (t *PriceTable) Override(provider, model string, p weir.Price) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("price of %s/%s: %w", provider, model, err)
	}
	if p.Source == "" {
		p.Source = "your own"
	}
	if t.overrides == nil {
		t.overrides = map[modelName]weir.Price{}
	}
	t.overrides[modelName{fold(provider), fold(model)}] = p
	return nil
}

// find returns the entry of a model, and where it is from.
func (t *PriceTable) find(provider, model string) (*pricedModel, priceSource) {
	provider, model = fold(provider), fold(model)
	from, ok := t.sources[provider]
	if !ok {
		from.id = provider
	}
	if from.routed {
		name, via, found := cutLast(model, ":")
		if !found {
			return nil, from // the router chooses, so the price is not known
		}
		model, from.id = name, from.id+via
	}
	model = strings.TrimPrefix(model, from.trim)
	if m, where := t.findIn(from, model); m != nil || from.router == "" {
		return m, where
	}
	return t.findIn(priceSource{id: from.router, note: "the price is the one of Hugging Face's router for this provider"}, model)
}

// findIn looks in one list of the table, then in those that it falls back to.
func (t *PriceTable) findIn(from priceSource, model string) (*pricedModel, priceSource) {
	list, _ := t.provider(from.id)
	for _, name := range slices.Compact([]string{model, dashDate(model)}) {
		if m := list.find(name); m != nil {
			return m, from
		}
		for _, id := range list.Fallback {
			other, _ := t.provider(id)
			if m := other.find(name); m != nil {
				note := fmt.Sprintf("the price is %s's own", id)
				return m, priceSource{id: id, note: strings.TrimPrefix(from.note+"; "+note, "; ")}
			}
		}
	}
	return nil, from
}

func (t *PriceTable) provider(id string) (pricedProvider, bool) {
	i, found := slices.BinarySearchFunc(t.providers, id, func(p pricedProvider, id string) int { return strings.Compare(p.ID, id) })
	if !found {
		return pricedProvider{}, false
	}
	return t.providers[i], true
}

// priceSource is where the prices of one of our providers are in the table.
type priceSource struct {
	id     string // the provider's id there; empty: it has no list of its own
	trim   string // what its model names begin with here and not there
	routed bool   // the model name ends in :PROVIDER, which is the rest of the id
	router string // the list to look at next: what Hugging Face's router asks for this provider
	note   string // a doubt about all its prices
}

// priceSources has those of our providers that the table calls otherwise or of
// which something is to be said; the rest have the same id. A provider that is
// in neither (deepinfra, nvidia, an engine of your own) has no known prices.
func priceSources() map[string]priceSource {
	return map[string]priceSource{
		"gemini":      {id: "google", trim: "models/"},
		"vertex":      {id: "google", trim: "google/"},
		"bedrock":     {id: "aws"},
		"azure":       {id: "azure", note: "the price is that of a global deployment, a regional one may cost more"},
		"xai":         {id: "x-ai"},
		"moonshot":    {id: "moonshotai"},
		"zhipuai":     {id: "zhipuai", note: "the price is converted from CNY"},
		"perplexity":  {id: "perplexity", note: "searches are not counted; where there is a request fee it is the highest, for the largest search context"},
		"huggingface": {id: "huggingface_", routed: true},
		"nebius":      {router: "huggingface_nebius"},
		"hyperbolic":  {router: "huggingface_hyperbolic"},
		"sambanova":   {router: "huggingface_sambanova"},
		"together":    {id: "together", router: "huggingface_together"},
		"fireworks":   {id: "fireworks", router: "huggingface_fireworks-ai"},
		"novita":      {id: "novita", router: "huggingface_novita"},
		"groq":        {id: "groq", router: "huggingface_groq"},
		"cerebras":    {id: "cerebras", router: "huggingface_cerebras"},
		"ovhcloud":    {id: "ovhcloud", router: "huggingface_ovhcloud"},
		"cloudflare":  {id: "cloudflare", note: "the account's free allocation is not taken off"},
	}
}

// priceFile is prices.json, as tools/prices writes it.
type priceFile struct {
	About       string           `json:"about"`
	Source      string           `json:"source"`
	Version     string           `json:"version"`
	Date        string           `json:"date"`
	Licence     string           `json:"licence"`
	Attribution string           `json:"attribution"`
	Providers   []pricedProvider `json:"providers"`
}

type pricedProvider struct {
	ID       string        `json:"id"`
	Fallback []string      `json:"fallback"` // providers to look at where no model matches
	Models   []pricedModel `json:"models"`   // the first match counts
}

type pricedModel struct {
	ID      string     `json:"id"`
	Match   *modelRule `json:"match"` // nil: the id
	Context int        `json:"context"`
	weir.Rates
	Tiers   []weir.PriceTier `json:"tiers"`
	Changes []priceChange    `json:"changes"`
}

// priceChange holds from a day on, or between two times of day (UTC, Until not
// included). The last change that holds counts.
type priceChange struct {
	On    string `json:"on"`
	Since string `json:"since"`
	Until string `json:"until"`
	weir.Rates
	Tiers []weir.PriceTier `json:"tiers"`
}

func readPrices(b []byte) (*PriceTable, error) {
	var f priceFile
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("read prices.json: %w", err)
	}
	if _, err := time.Parse(time.DateOnly, f.Date); err != nil {
		return nil, fmt.Errorf("read prices.json: its date: %w", err)
	}
	for _, p := range f.Providers {
		for _, m := range p.Models {
			if err := m.check(); err != nil {
				return nil, fmt.Errorf("read prices.json: %s/%s: %w", p.ID, m.ID, err)
			}
		}
	}
	slices.SortFunc(f.Providers, func(a, b pricedProvider) int { return strings.Compare(a.ID, b.ID) })
	return &PriceTable{
		Date: f.Date, Source: f.Source + " " + f.Version, Attribution: f.Attribution,
		providers: f.Providers, sources: priceSources(),
	}, nil
}

func (m *pricedModel) check() error {
	if err := (weir.Price{Rates: m.Rates, Tiers: m.Tiers}).Validate(); err != nil {
		return err
	}
	for _, c := range m.Changes {
		if err := (weir.Price{Rates: c.Rates, Tiers: c.Tiers}).Validate(); err != nil {
			return err
		}
		layout, times := time.DateOnly, []string{c.On}
		if c.On == "" {
			layout, times = hourLayout, []string{c.Since, c.Until}
		}
		for _, s := range times {
			if _, err := time.Parse(layout, s); err != nil {
				return fmt.Errorf("a change of price: %w", err)
			}
		}
	}
	return nil
}

func (p pricedProvider) find(model string) *pricedModel {
	for i := range p.Models {
		if p.Models[i].is(model) {
			return &p.Models[i]
		}
	}
	return nil
}

func (m *pricedModel) is(model string) bool {
	if m.Match == nil {
		return model == fold(m.ID)
	}
	return m.Match.holds(model)
}

// at tells what holds at a time, and when something else will; the zero time
// if that is not known.
func (m *pricedModel) at(at time.Time) (weir.Rates, []weir.PriceTier, time.Time) {
	at = at.UTC()
	now := m.change(at)
	var next time.Time
	for _, c := range m.Changes {
		for _, begin := range c.turns(at) {
			if begin.After(at) && m.change(begin) != now && (next.IsZero() || begin.Before(next)) {
				next = begin
			}
		}
	}
	if now < 0 {
		return m.Rates, m.Tiers, next
	}
	return m.Changes[now].Rates, m.Changes[now].Tiers, next
}

// change is the index of the change that holds, -1 if none does.
func (m *pricedModel) change(at time.Time) int {
	for i, c := range slices.Backward(m.Changes) {
		if c.holds(at) {
			return i
		}
	}
	return -1
}

const hourLayout = "15:04"

// holds relies on the fixed width of both forms: their order as text is their
// order in time.
func (c priceChange) holds(at time.Time) bool {
	hour := at.Format(hourLayout)
	switch {
	case c.On != "":
		return at.Format(time.DateOnly) >= c.On
	case c.Until < c.Since: // over midnight
		return hour >= c.Since || hour < c.Until
	}
	return hour >= c.Since && hour < c.Until
}

// turns are the times, within a day if they come daily, at which the change
// begins or ends.
func (c priceChange) turns(at time.Time) []time.Time {
	if c.On != "" {
		day, _ := time.Parse(time.DateOnly, c.On) // check has seen to it
		return []time.Time{day}
	}
	var turns []time.Time
	for _, s := range []string{c.Since, c.Until} {
		hour, _ := time.Parse(hourLayout, s)
		today := time.Date(at.Year(), at.Month(), at.Day(), hour.Hour(), hour.Minute(), 0, 0, time.UTC)
		turns = append(turns, today, today.AddDate(0, 0, 1))
	}
	return turns
}

// modelRule holds for a model name if any one of its parts does. All but Regex
// are lower case, and so is the name.
type modelRule struct {
	Is       []string         `json:"is"`
	Starts   []string         `json:"starts"`
	Ends     []string         `json:"ends"`
	Contains []string         `json:"contains"`
	Regex    []*regexp.Regexp `json:"regex"`
	All      []modelRule      `json:"all"` // every one of these
	Any      []modelRule      `json:"any"`
	Not      *modelRule       `json:"not"`
}

func (r *modelRule) holds(model string) bool {
	part := func(test func(string, string) bool, parts []string) bool {
		return slices.ContainsFunc(parts, func(s string) bool { return test(model, s) })
	}
	holds := func(r modelRule) bool { return r.holds(model) }
	return slices.Contains(r.Is, model) ||
		part(strings.HasPrefix, r.Starts) ||
		part(strings.HasSuffix, r.Ends) ||
		part(strings.Contains, r.Contains) ||
		slices.ContainsFunc(r.Regex, func(e *regexp.Regexp) bool { return e.MatchString(model) }) ||
		len(r.All) > 0 && !slices.ContainsFunc(r.All, func(r modelRule) bool { return !holds(r) }) ||
		slices.ContainsFunc(r.Any, holds) ||
		r.Not != nil && !r.Not.holds(model)
}

// dashDate writes the date at the end of a model name as the table's rules have
// it: gpt-5.4-20260310 becomes gpt-5.4-2026-03-10.
func dashDate(model string) string {
	parts := strings.FieldsFunc(model, func(r rune) bool { return r == '-' || r == ':' })
	for _, s := range parts {
		if day, err := time.Parse("20060102", s); err == nil && strings.HasPrefix(s, "20") && strings.Contains(model, "-"+s) {
			model = strings.Replace(model, "-"+s, day.Format("-"+time.DateOnly), 1)
		}
	}
	return model
}

func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
