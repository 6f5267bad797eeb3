package config

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"weir.dev/weir"
)

// targets are those of a model. A preset that only they name joins the
// providers.
func (b *builder) targets(model *value) []*offer {
	list := model.get("targets")
	if list == nil {
		return nil
	}
	var out []*offer
	lines := map[string]int{}
	for _, v := range list.items {
		provider, name := v.get("provider"), v.get("model")
		if provider == nil || name == nil {
			continue
		}
		id := provider.text + "/" + name.text
		if first, twice := lines[id]; twice {
			b.bad(provider.pos, v.path, "give one of them the weight of both", "the target on line %d is the same", first)
			continue
		}
		lines[id] = provider.pos.line
		if b.serves(provider) {
			out = append(out, &offer{Target: b.target(v), own: v})
		}
	}
	return out
}

// serves tells whether there is such a provider.
func (b *builder) serves(v *value) bool {
	name := v.text
	if b.known[name] {
		_, sound := b.c.Provider(name)
		return sound // else it is noted there
	}
	preset, ok := b.world.Preset(name)
	switch {
	case !ok:
		hint := suggest(name, append(slices.Sorted(maps.Keys(b.known)), b.world.Presets...))
		if hint == "" {
			hint = "add it under providers; weir providers lists the presets"
		}
		b.bad(v.pos, v.path, hint, "there is no provider %s", quote(name))
		return false
	case preset.BaseURL == "":
		b.bad(v.pos, v.path, fmt.Sprintf("add %s with its base_url under providers", name), "%s needs a base_url: its preset has none, since everyone's differs", quote(name))
		return false
	}
	b.known[name] = true
	b.c.Providers = append(b.c.Providers, Provider{Name: name, Preset: true, BaseURL: preset.BaseURL, Dialect: dialectOr(preset.Dialect, weir.OpenAIChat)})
	return true
}

func (b *builder) target(v *value) Target {
	t := b.plain(v.get("provider").text, v.get("model").text)
	t.Weight = v.get("weight").opt().Or(1)
	if c := v.get("context"); c != nil {
		t.Context = weir.Some(int(c.num))
	}
	if p := v.get("price"); p != nil {
		t.Price.Rates = weir.Rates{
			Input: p.get("input").opt(), CachedInput: p.get("cached_input").opt(), CacheWrite: p.get("cache_write").opt(),
			Output: p.get("output").opt(), Reasoning: p.get("reasoning").opt(), Request: p.get("request").opt(),
		}
	}
	takes := func(name string) bool { return v.get(name).opt().Or(1) != 0 }
	t.NoTools, t.NoImages = !takes("tools"), !takes("images")
	t.Limits = t.Limits.or(v.get("limits"))
	places{
		"prefill": &t.Prefill, "drain_for_usage": &t.DrainForUsage,
		"breaker": t.Breaker.places(), "cooldown": t.Cooldown.places(),
	}.fill(v)
	b.ordered(v, b.c.Gateway.FirstOutput, t.Breaker, t.Cooldown)
	return t
}

// plain is a target of which nothing more is said.
func (b *builder) plain(provider, model string) Target {
	g := b.c.Gateway
	return Target{Provider: provider, Model: model, Weight: 1, Limits: g.Limits, Breaker: g.Breaker, Cooldown: g.Cooldown}
}

// or are the limits that a target says itself, over these.
func (l Limits) or(own *value) Limits {
	l.places().and(places{"first_output": &l.FirstOutput}).fill(own)
	return l
}

// of are the limits and waits that a route says itself, over these.
func (l Limits) of(route *value, f FirstOutput) (Limits, FirstOutput) {
	if first := route.get("first_output"); first != nil && first.get("fixed") == nil {
		l.FirstOutput = weir.None[time.Duration]()
	}
	l.places().and(places{"first_output": f.places(&l.FirstOutput)}).fill(route)
	return l, f
}
