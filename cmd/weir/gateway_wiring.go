package main

import (
	"hash/maphash"
	"math"
	"strconv"
	"strings"
	"time"

	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/config"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/gateway/telemetry"
	"weir.dev/weir/internal/gateway/tenant"
	"weir.dev/weir/internal/route"
)

// wiring is what a config makes of a gateway.
type wiring struct {
	*soundConfig
	gateway gateway.Config
	labels  telemetry.Config
	auth    *catalog.Auth
	keyless []keyless
}

// keyless is a target without a key, and what to do about it.
type keyless struct{ target, why string }

// wire makes ready what a config asks for. Its error is one of the config.
func (g *gatewayProcess) wire(cfg *soundConfig) (*wiring, error) {
	auth, err := newAuth(g.p, g.base)
	if err != nil {
		return nil, err
	}
	prices, err := catalog.Prices()
	if err != nil {
		return nil, err
	}
	w := &wiring{soundConfig: cfg, auth: auth}
	b := &targetBuilder{process: g.p, wiring: w, prices: prices, seed: g.seed, made: map[string]*builtTarget{}}
	for _, r := range cfg.config.Routes {
		made, err := b.route(r)
		if err != nil {
			return nil, err
		}
		w.gateway.Routes = append(w.gateway.Routes, made)
		w.labels.Routes = append(w.labels.Routes, telemetry.Route{Name: r.Name, SLO: r.SLO})
	}
	for _, k := range cfg.config.Keys {
		w.labels.Keys = append(w.labels.Keys, k.Name)
	}
	w.gateway.Tenants = tenant.New(tenants(cfg.config.Keys))
	w.gateway.Bounds, w.gateway.Retries = boundsOf(cfg.config.Gateway), retriesOf(cfg.config.Gateway)
	w.gateway.Upstream, w.gateway.Redact = auth, auth.Redact
	return w, nil
}

// hopeless is an error where no target can be asked.
func (w *wiring) hopeless() error {
	if len(w.keyless) < len(w.labels.Targets) {
		return nil
	}
	var whys []string
	for _, k := range w.keyless {
		whys = append(whys, k.target+": "+k.why)
	}
	return usage("no target has a key: %s", strings.Join(whys, "; "))
}

func tenants(keys []config.Key) (out []tenant.Key) {
	for _, k := range keys {
		one := tenant.Key{Name: k.Name, SHA256: k.SHA256, Routes: k.Routes, RPM: k.RPM.Or(0), TPM: k.TPM.Or(0)}
		if b, ok := k.Budget.Get(); ok {
			one.Budget = someBudget(b)
		}
		out = append(out, one)
	}
	return out
}

// planOf is what choosing a target needs to know of a route. In package config 0
// is none, in package route it is the default.
func planOf(r config.Route) *route.Route {
	f := r.FirstOutput
	plan := &route.Route{
		Name: r.Name, Policy: route.Policy(r.Policy), SLO: r.SLO, Attainment: r.Attainment, Explore: orNone(r.Explore),
		MinFirstOutput: f.Min, MaxFirstOutput: f.Max, Cold: f.Cold, ColdPer1K: f.PerK, WholePerToken: f.PerToken, Factor: f.Factor,
		Refuse: !r.KeepTrying,
	}
	if grace, ok := f.Grace.Get(); ok {
		plan.Grace = orNone(grace)
	}
	return plan
}

// orNone is a setting of which 0 means none, where that is written below 0.
func orNone[T float64 | time.Duration | int](v T) T {
	if v == 0 {
		return -1
	}
	return v
}

func handlingOf(h config.Handling) gateway.Handling {
	return gateway.Handling{
		Attempts: h.Attempts, Deadline: h.Deadline, Budget: h.Budget, Whole: h.Whole, Hold: h.Hold, HoldEvents: h.HoldEvents, HoldBytes: h.HoldBytes,
		KeepAlive: h.KeepAlive, QuickRetry: h.QuickRetry, Duplicates: h.Duplicates, Write: h.Write, Trailer: h.Trailer,
	}
}

func limitsOf(l config.Limits) route.Limits {
	out := route.Limits{Connect: l.Connect, Bytes: l.Bytes, Stall: l.Stall}
	if first, ok := l.FirstOutput.Get(); ok {
		out.FirstOutput = orNone(first)
	}
	return out
}

func healthOf(b config.Breaker, c config.Cooldown, halfLife time.Duration) route.HealthSettings {
	return route.HealthSettings{
		Failures: b.Failures, ErrorRate: orNone(b.Rate), MinOutcomes: b.Minimum, Window: b.Window, OpenFor: b.Open, OpenMax: b.OpenMax,
		CoolMin: c.Min, CoolMax: c.Max, Recheck: b.Recheck, HalfLife: halfLife,
	}
}

func boundsOf(g config.Gateway) gateway.Bounds {
	b := gateway.Bounds{
		Body: g.BodyLimit, Header: g.HeaderLimit, ReadHeader: g.ReadHeader, ReadBody: g.ReadBody, Idle: g.Idle,
		Event: g.EventLimit, Error: g.ErrorLimit, Answer: g.AnswerLimit, Output: g.Output, UsageDrain: g.UsageDrain, Drains: g.UsageDrains,
		Drain: g.Drain, Pins: g.Pins,
	}
	if b.Drain == 0 {
		b.Drain = math.MaxInt64
	}
	return b
}

func retriesOf(g config.Gateway) gateway.Retries {
	r := gateway.Retries{Share: g.RetryBudget, Floor: orNone(g.RetryFloor)}
	if r.Share == 0 {
		r.Share = math.Inf(1)
	}
	return r
}

// mark changes when a key does, and says nothing of it.
func mark(seed maphash.Seed, parts ...string) string {
	return strconv.FormatUint(maphash.String(seed, strings.Join(parts, "\x00")), 16)
}
