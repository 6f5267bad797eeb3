package catalog

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/nearest"
)

// CanonicalModel is one set of published weights, and where it is served. Two
// offers of one CanonicalModel differ in the serving alone, except for their
// quantisation, so that their speeds can be compared.
type CanonicalModel struct {
	Name    string   // Weir's short name, lower-case
	Aliases []string // longer or other names for the same weights
	Title   string
	Weights string // the repository at Hugging Face that published them
	Offers  []Offer
}

// Offer is what one provider calls the weights. Names come and go within
// weeks: what an endpoint serves today, Models asks it.
type Offer struct {
	Provider     string // name of a preset
	Model        string // as the provider names it
	Quantisation string // as the provider's name for it says; empty: not published, which is not the same as none
	Until        string // the day it ends or ended at this provider, YYYY-MM-DD; empty: none is known
	Source       string // a page of the provider's own, or the catalogue that cites none
	Unconfirmed  bool   // the source is a catalogue of others
}

// Ended tells whether the provider was to have stopped serving the model by now.
func (o Offer) Ended(now time.Time) bool {
	return o.Until != "" && o.Until <= now.UTC().Format(time.DateOnly)
}

// The catalogues of others that names were taken from, on 2026-11-30: LiteLLM
// 1.110.2 (MIT) and models.dev (MIT) as of May 2026. Where LiteLLM cites a page
// or list of the provider's own, that is the source of the offer.
const (
	liteLLM   = "https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json"
	modelsDev = "https://models.dev"
)

// CanonicalModels lists all known weights by name.
func CanonicalModels() []CanonicalModel {
	all := slices.Concat(weights1(), weights2(), weights3(), weights4(), weights5(), weights6(),
		weights7(), weights8(), weights9(), weights10(), weights11())
	slices.SortFunc(all, func(a, b CanonicalModel) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// FindModel returns the weights of this name, alias or Hugging Face repository,
// in any case. Its error is a *weir.Error that names the nearest ones.
func FindModel(name string) (CanonicalModel, error) {
	var known []string
	for _, m := range CanonicalModels() {
		if m.isCalled(name) {
			return m, nil
		}
		known = append(known, m.Name)
		known = append(known, m.Aliases...)
	}
	hint := "weir models lists them all; any other is named provider/model"
	if near := nearest.Names(name, known); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "? " + hint
	}
	return CanonicalModel{}, &weir.Error{Code: "unknown_model", Message: "there is no model " + shown(name) + " in the map of models that several providers serve", Hint: hint}
}

func (m CanonicalModel) isCalled(name string) bool {
	same := func(other string) bool { return strings.EqualFold(other, name) }
	return same(m.Name) || same(m.Weights) || slices.ContainsFunc(m.Aliases, same)
}

// ProvidersOf lists who serves these weights, by provider. Some offers may have
// ended: Offer.Ended.
func ProvidersOf(model string) ([]Offer, error) {
	m, err := FindModel(model)
	if err != nil {
		return nil, err
	}
	return m.Offers, nil
}

// Offered are the models that are known to be served by a provider, by name.
// They are the open weights of the map alone, and not all that it serves.
func Offered(provider string, now time.Time) (models []string) {
	for _, m := range CanonicalModels() {
		for _, o := range m.Offers {
			if o.Provider == provider && !o.Ended(now) {
				models = append(models, o.Model)
			}
		}
	}
	slices.Sort(models)
	return slices.Compact(models)
}

// CanonicalOf finds the weights behind a provider's name for a model.
func CanonicalOf(provider, model string) (CanonicalModel, bool) {
	for _, m := range CanonicalModels() {
		if slices.ContainsFunc(m.Offers, func(o Offer) bool { return o.Provider == provider && o.Model == model }) {
			return m, true
		}
	}
	return CanonicalModel{}, false
}
