package config

import (
	"maps"
	"slices"
	"strings"

	"weir.dev/weir"
)

// gateway makes the parts that weir gateway reads.
func (b *builder) gateway() {
	b.c.Listen, b.c.Admin = DefaultListen, DefaultAdmin
	routes := b.file.get("routes")
	for name, v := range routes.all() {
		b.route(name, v)
	}
	if routes == nil {
		b.withoutRoutes()
	} else {
		b.unasked()
	}
	b.keys(b.file.get("keys"))
	b.listeners()
	b.unreachable()
}

// withoutRoutes notes sections that mean nothing without routes.
func (b *builder) withoutRoutes() {
	if b.faulty("routes") {
		return
	}
	for _, name := range []string{"keys", "listen", "admin", "gateway"} {
		if v := b.file.get(name); v != nil {
			b.bad(v.keyPos, v.path, "routes: {NAME: provider/model} is the shortest", "%s has no effect without routes", name)
		}
	}
}

func (b *builder) route(name string, v *value) {
	g := b.c.Gateway
	route := &Route{Name: name, Rescue: NoRescue, Handling: g.Handling}
	limits, first := g.Limits.of(v, g.FirstOutput)
	route.FirstOutput = first
	own := places{
		"attainment": &route.Attainment, "explore": &route.Explore,
		"rewrite_model": &route.RewriteModel, "keep_trying": &route.KeepTrying,
	}
	own.preset(routeSpec().keys)
	own.and(route.Handling.places()).fill(v)
	if rescue := v.get("rescue"); rescue != nil {
		route.Rescue = Rescue(rescue.text)
	}
	b.ordered(v, first, g.Breaker, g.Cooldown)
	b.fixedAlone(v.get("first_output"))
	b.policy(route, v)
	for _, o := range b.asked(v.get("model")) {
		t := o.Target
		t.Limits = limits.or(o.own.get("limits"))
		route.Targets = append(route.Targets, t)
		o.routes = append(o.routes, route)
	}
	if len(route.Targets) == 0 {
		return // why is noted
	}
	b.alone(route, v)
	b.mistaken(route, v)
	b.c.Routes = append(b.c.Routes, *route)
}

// asked are the targets of a route, in order.
func (b *builder) asked(model *value) []*offer {
	if model == nil {
		return nil
	}
	var out []*offer
	for _, item := range model.items {
		for _, o := range b.find(item) {
			switch {
			case slices.Contains(out, o):
				b.bad(item.pos, item.path, "name it once", "this route asks %s already", quote(o.Name()))
			case b.speaks(o, item):
				out = append(out, o)
			}
		}
	}
	return out
}

// find are the targets that a word of a route stands for.
func (b *builder) find(item *value) []*offer {
	name := item.text
	if offers, ok := b.offers[name]; ok {
		return offers
	}
	provider, model, whole := strings.Cut(name, "/")
	if !whole || provider == "" || model == "" || strings.Contains(name, "://") {
		if !b.faulty("models." + name) {
			b.noModel(item)
		}
		return nil
	}
	for _, m := range b.c.Models {
		for _, o := range b.offers[m.Name] {
			if o.Name() == name {
				return []*offer{o}
			}
		}
	}
	if !b.serves(&value{pos: item.pos, path: item.path, text: provider}) {
		return nil
	}
	if b.loose[name] == nil {
		b.loose[name] = &offer{Target: b.plain(provider, model)}
	}
	return []*offer{b.loose[name]}
}

func (b *builder) noModel(item *value) {
	hint := suggest(item.text, slices.Sorted(maps.Keys(b.offers)))
	_, preset := b.world.Preset(item.text)
	switch {
	case strings.Contains(item.text, "://"):
		hint = "give the URL a name under providers; then write that name, a slash and the model"
	case b.known[item.text] || preset:
		hint = "the model is missing: write " + item.text + "/MODEL"
	case hint == "":
		hint = "write provider/model, or add it under models"
	}
	b.bad(item.pos, item.path, hint, "there is no model %s", quote(item.text))
}

// speaks tells whether the gateway can ask in the target's dialect.
func (b *builder) speaks(o *offer, item *value) bool {
	p, _ := b.c.Provider(o.Provider)
	if p.Dialect != weir.Ollama {
		return true
	}
	b.bad(item.pos, item.path, "Ollama speaks OpenAI's, too: dialect: openai, with a base_url that ends in /v1", "%s speaks %s, which a route cannot", quote(o.Name()), p.Dialect)
	return false
}

// policy reads how targets are ordered, and notes what that leaves without
// effect.
func (b *builder) policy(route *Route, v *value) {
	given, slo := v.get("policy"), v.get("slo")
	route.Policy = Fixed
	switch {
	case given != nil:
		route.Policy = Policy(given.text)
	case slo != nil || b.faulty(v.path+".slo"):
		route.Policy = SLO
	}
	if slo != nil {
		route.SLO, _ = weir.ParseSLO(slo.text) // the walk has checked it
	}
	if route.Policy == SLO {
		if slo == nil && !b.faulty(v.path+".slo") {
			b.bad(given.pos, given.path, "add one, such as slo: ttft<=300ms", "policy slo needs an slo")
		}
	} else if slo != nil {
		b.bad(slo.keyPos, slo.path, "take it away, or write policy: slo", "slo has no effect with policy %s", route.Policy)
	}
	for _, name := range []string{"attainment", "explore"} {
		if f := v.get(name); f != nil && route.Policy != SLO {
			b.bad(f.keyPos, f.path, "take it away, or add an slo", "%s has no effect with policy %s", name, route.Policy)
		}
	}
	plain := weir.Objective.OfRequest
	if f := v.get("attainment"); f != nil && len(route.SLO) > 0 && !slices.ContainsFunc(route.SLO, plain) {
		b.bad(f.keyPos, f.path, "take it away, or write ttft<=200ms in place of ttft_p95<=200ms", "attainment has no effect: every objective of the slo names its percentile")
	}
}

// alone notes what has no effect on a route of these targets.
func (b *builder) alone(route *Route, v *value) {
	if one := len(route.Targets) == 1; one {
		for _, name := range []string{"policy", "rescue"} {
			if f := v.get(name); f != nil && f.text != string(Fixed) && f.text != string(NoRescue) {
				b.doubt(f.keyPos, f.path, "add a second target, or take it away", "%s has no effect: the route asks one target only", name)
			}
		}
		return
	}
	goesOn := func(t Target) bool { return t.Prefill }
	if f := v.get("rescue"); route.Rescue == RescuePrefill && !slices.ContainsFunc(route.Targets, goesOn) {
		b.bad(f.pos, f.path, "say prefill: true of one, under models, or write rescue: match", "no target of this route says prefill: true")
	}
}

// mistaken notes a route whose name is that of a target it does not ask.
func (b *builder) mistaken(route *Route, v *value) {
	provider, _, whole := strings.Cut(route.Name, "/")
	_, preset := b.world.Preset(provider)
	its := func(t Target) bool { return t.Name() == route.Name }
	if !whole || !preset && !b.known[provider] || slices.ContainsFunc(route.Targets, its) {
		return
	}
	b.doubt(v.keyPos, v.path, "give the route another name, or ask that target", "this name is that of a model at %s, which the route does not ask", provider)
}

// unasked notes models, weights and abilities that no route makes use of.
func (b *builder) unasked() {
	for name, v := range b.file.get("models").all() {
		offers := b.offers[name]
		used := slices.ContainsFunc(offers, func(o *offer) bool { return len(o.routes) > 0 })
		if len(offers) > 0 && !used {
			b.doubt(v.keyPos, v.path, "a route asks it with model: "+name+"; weir bench can measure it all the same", "no route asks the model %s", name)
		}
		for _, o := range offers {
			b.ineffective(o)
		}
	}
}

func (b *builder) ineffective(o *offer) {
	weighs := func(r *Route) bool { return r.Policy == Weighted || r.Policy == LeastBusy }
	hands := func(r *Route) bool { return r.Rescue == RescuePrefill }
	if len(o.routes) == 0 {
		return
	}
	if w := o.own.get("weight"); w != nil && !slices.ContainsFunc(o.routes, weighs) {
		r := o.routes[0]
		b.bad(w.keyPos, w.path, "take it away, or write policy: weighted there", "weight has no effect: the route %s has policy %s", r.Name, r.Policy)
	}
	if p := o.own.get("prefill"); o.Prefill && !slices.ContainsFunc(o.routes, hands) {
		b.doubt(p.keyPos, p.path, "it matters where a route says rescue: prefill", "prefill has no effect: no route that asks this target says rescue: prefill")
	}
}
