package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/config"
	"weir.dev/weir/internal/faults"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/route"
	"weir.dev/weir/meter"
)

// patient is a gateway with one route of a config, before the wall.
type patient struct {
	*listener
	server *gateway.Server
	base   *http.Transport
}

func doctorTransport() *http.Transport { return meter.NewTransport(meter.Options{}) }

func startPatient(p *process, cfg *config.Config, r config.Route, profile faults.Profile, wall string) (*patient, error) {
	base := doctorTransport()
	auth := &catalog.Auth{Base: base}
	c := gateway.Config{
		Upstream: auth, Redact: auth.Redact, Bounds: boundsOf(cfg.Gateway),
		Retries: gateway.Retries{Share: math.Inf(1)}, // 28 faults at once are the storm that the budget is against
	}
	for _, f := range faults.Catalogue() {
		one, err := wallRoute(cfg, r, f.ID, wall, auth)
		if err != nil {
			return nil, err
		}
		hasten(&one.Handling, profile)
		hasten(one.Plan, profile)
		c.Routes = append(c.Routes, one)
	}
	s, err := gateway.New(c, gateway.Parts{})
	if err != nil {
		return nil, err
	}
	l, err := startListener(p.ctx, "listen", "127.0.0.1:0", s.HTTP())
	if err != nil {
		return nil, err
	}
	return &patient{l, s, base}, nil
}

// close ends what is under way.
func (p *patient) close() error {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	p.server.Drain(ctx)
	defer p.base.CloseIdleConnections()
	return p.listener.close()
}

// wallRoute is a route, named after a fault, whose first target has it and whose
// others are healthy.
func wallRoute(cfg *config.Config, r config.Route, fault, wall string, auth *catalog.Auth) (gateway.Route, error) {
	out := gateway.Route{Plan: planOf(r), Handling: handlingOf(r.Handling), Rescue: gateway.Rescue(r.Rescue), RewriteModel: r.RewriteModel}
	out.Plan.Name = fault
	if out.Plan.Policy == route.Weighted || out.Plan.Policy == route.LeastBusy {
		out.Plan.Policy = route.Fixed // the fault has to be met
	}
	for i, t := range r.Targets {
		model := "good"
		if i == 0 {
			model = fault
		}
		for _, d := range dialectsOf(fault) {
			at := weir.Target{Name: fmt.Sprintf("%s/%d/%s", fault, i+1, d), URL: wall, Dialect: d, Model: model}
			if err := auth.Add(at, "wall-key-"+model); err != nil {
				return out, err
			}
			out.Targets = append(out.Targets, gateway.Target{Target: at, Prefill: t.Prefill, DrainUsage: t.DrainForUsage})
			out.Plan.Targets = append(out.Plan.Targets, route.Target{
				Name: at.Name, Provider: t.Provider, Dialect: d, Weight: t.Weight, Context: t.Context, Keyed: true,
				Limits: limitsOf(t.Limits), Health: healthOf(t.Breaker, t.Cooldown, cfg.Gateway.HalfLife),
			})
		}
	}
	return out, nil
}

// dialectsOf are those in which a fault is asked for: where one is about bytes
// that pass through, each has a target of its own.
func dialectsOf(fault string) []weir.Dialect {
	if fault == "W11" {
		return []weir.Dialect{weir.OpenAIChat, weir.Anthropic}
	}
	return []weir.Dialect{weir.OpenAIChat}
}

// hasten brings every duration of a struct, and of the structs in it, to the
// profile's time. What is off, or below 0 for none, stays so.
func hasten(settings any, profile faults.Profile) {
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch {
		case v.Kind() == reflect.Pointer && !v.IsNil():
			walk(v.Elem())
		case v.Kind() == reflect.Struct:
			for _, field := range v.Fields() {
				walk(field)
			}
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case v.CanSet() && v.Type() == reflect.TypeFor[time.Duration]() && v.Int() > 0:
			v.SetInt(max(1, int64(profile.Scale(time.Duration(v.Int())))))
		}
	}
	walk(reflect.ValueOf(settings))
}
