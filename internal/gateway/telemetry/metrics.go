package telemetry

import (
	"net/http"
	"runtime"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"weir.dev/weir/internal/gateway/journal"
)

// Metrics are those of one gateway. They are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	families families

	mu      sync.RWMutex
	bounds  bounds
	routes  map[string]*routeSeries
	targets map[string]*targetSeries
	keys    map[string]bool
	spends  *lazy[spender, *spendSeries]
}

// New makes the metrics of a gateway of this version. Configure comes next.
func New(version string, s Sources) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(), bounds: baseBounds(),
		routes: map[string]*routeSeries{}, targets: map[string]*targetSeries{}, keys: map[string]bool{},
	}
	m.families = newFamilies(m.registry, m.bounds)
	m.spends = newSpends(&m.families)
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "weir_build_info", Help: "1, of this build.", ConstLabels: prometheus.Labels{"version": version, "go_version": runtime.Version()},
	}, func() float64 { return 1 }))
	s.register(m.registry)
	for _, name := range []string{none, other} {
		m.addRoute(name)
		m.addTarget(Target{Name: name, Provider: name, Model: name})
	}
	return m
}

// Configure adds the names of a configuration to those of earlier ones, which
// streams under way still have. If its SLOs have new bounds, weir_ttft_seconds and
// weir_tpot_seconds begin at 0 with more buckets, as after a restart.
func (m *Metrics) Configure(c Config) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.bounds
	for _, r := range c.Routes {
		b = b.with(r.SLO)
		m.addRoute(r.Name)
	}
	for _, t := range c.Targets {
		m.addTarget(t)
	}
	for _, k := range c.Keys {
		m.keys[k] = true
	}
	if !b.same(m.bounds) {
		m.rebucket(b)
	}
}

func (m *Metrics) rebucket(b bounds) {
	f := &m.families
	m.registry.Unregister(f.ttft)
	m.registry.Unregister(f.tpot)
	m.bounds, f.ttft, f.tpot = b, histogram(m.registry, ttftOpts(b), "route"), histogram(m.registry, tpotOpts(b), "route")
	for name, r := range m.routes {
		r.ttft, r.tpot = f.ttft.WithLabelValues(name), f.tpot.WithLabelValues(name)
	}
}

// Observe counts a request that is over.
func (m *Metrics) Observe(r *journal.Record) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	route := named(m.routes, r.Route)
	route.observe(r)
	for i := range r.Attempts {
		attempt := &r.Attempts[i]
		named(m.targets, attempt.Target).observe(r, attempt)
	}
	m.spends.get(spender{route.name, m.key(r.Key)}).observe(r)
}

// Handler serves the metrics in Prometheus' text format. They hold names of the
// configuration, so it belongs on the admin listener.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func named[S any](series map[string]*S, name string) *S {
	if s, ok := series[name]; ok && name != "" {
		return s
	}
	if name == "" {
		return series[none]
	}
	return series[other]
}

func (m *Metrics) key(name string) string {
	switch {
	case name == "":
		return none
	case m.keys[name]:
		return name
	}
	return other
}
