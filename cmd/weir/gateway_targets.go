package main

import (
	"fmt"
	"hash/maphash"
	"slices"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/config"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/gateway/telemetry"
	"weir.dev/weir/internal/gateway/tenant"
	"weir.dev/weir/internal/route"
)

// targetBuilder makes a gateway's targets of a config's: their URLs, keys,
// prices and quirks.
type targetBuilder struct {
	*process
	*wiring
	prices *catalog.PriceTable
	seed   maphash.Seed
	made   map[string]*builtTarget
}

// builtTarget is what a target is like on whatever route it stands.
type builtTarget struct {
	weir.Target
	keyed      bool
	credential string
	context    weir.Opt[int]
	quirks     catalog.Quirks
	refused    []string
}

func (b *targetBuilder) route(r config.Route) (gateway.Route, error) {
	out := gateway.Route{Plan: planOf(r), Handling: handlingOf(r.Handling), Rescue: gateway.Rescue(r.Rescue), RewriteModel: r.RewriteModel}
	for _, t := range r.Targets {
		made, err := b.target(t)
		if err != nil {
			return out, err
		}
		plan := route.Target{
			Name: made.Name, Provider: t.Provider, Dialect: made.Dialect, Weight: t.Weight, Context: made.context, Keyed: made.keyed,
			Credential: made.credential, NoTools: t.NoTools, NoImages: t.NoImages, Limits: limitsOf(t.Limits),
			Health: healthOf(t.Breaker, t.Cooldown, b.config.Gateway.HalfLife),
		}
		if t.Context.Known() {
			plan.Context = t.Context
		}
		out.Plan.Targets = append(out.Plan.Targets, plan)
		out.Targets = append(out.Targets, gateway.Target{
			Target: made.Target, Prefill: t.Prefill, DrainUsage: t.DrainForUsage,
			NoStreamOptions: made.quirks.NoStreamOptions || slices.Contains(made.refused, "stream_options"),
			MaxTokensName:   made.quirks.MaxTokensName == "max_completion_tokens",
		})
	}
	return out, nil
}

// target makes a target once, however many routes it stands on.
func (b *targetBuilder) target(t config.Target) (*builtTarget, error) {
	if made, ok := b.made[t.Name()]; ok {
		return made, nil
	}
	at, err := configPlace(b.process, b.config, t)
	if err != nil {
		return nil, err
	}
	at.Name = t.Name()
	if price := priceOf(b.prices, t); price.Input.Known() || price.Output.Known() {
		at.Price = &price
	}
	made := &builtTarget{
		Target: at.Target, context: b.prices.Context(t.Provider, t.Model), quirks: at.provider.Quirks, refused: at.provider.Quirks.Refused(t.Model),
	}
	if made.credential, err = b.key(at); err != nil {
		b.keyless = append(b.keyless, keyless{at.Name, err.Error()})
	}
	made.keyed = err == nil
	b.made[at.Name] = made
	b.labels.Targets = append(b.labels.Targets, telemetry.Target{Name: at.Name, Provider: t.Provider, Model: t.Model})
	return made, nil
}

// key has auth add the key of a target, if it needs one. An error says why there
// is none.
func (b *targetBuilder) key(at place) (credential string, err error) {
	if why, ok := b.lacking[at.own.Name]; ok {
		return "", fmt.Errorf("%s", why)
	}
	if err := dressed(at, b.auth); err != nil {
		return "", err
	}
	if a := at.own.Auth; a != nil {
		return mark(b.seed, a.Command...), nil
	}
	key, err := keyOf(b.process, at, "")
	if err != nil || key == "" {
		return "", err
	}
	return mark(b.seed, key), b.auth.Add(at.Target, key)
}

func someBudget(b config.Budget) weir.Opt[tenant.Budget] {
	return weir.Some(tenant.Budget{USD: b.USD, Per: tenant.Period(b.Period)})
}
