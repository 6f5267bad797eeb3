package telemetry

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

func (s Sources) register(to prometheus.Registerer) {
	gauge := func(name, help string, value func() float64) {
		to.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	if s.Targets != nil {
		to.MustRegister(states{
			targets:  s.Targets,
			inFlight: prometheus.NewDesc("weir_in_flight", "Attempts under way.", []string{"target"}, nil),
			state:    prometheus.NewDesc("weir_target_state", "1 for the state that a target is in, 0 for the others.", []string{"target", "state"}, nil),
		})
	}
	if s.InFlight != nil {
		gauge("weir_requests_in_flight", "Requests under way.", func() float64 { return float64(s.InFlight()) })
	}
	if s.RetryBudget != nil {
		gauge("weir_retry_budget_left", "Retries that the whole gateway may make at once.", s.RetryBudget)
	}
	if s.Dropped != nil {
		to.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "weir_journal_dropped_total", Help: "Records that are missing in the request log's file.",
		}, func() float64 { return float64(s.Dropped()) }))
	}
}

// states are gauges that are looked up in one go, so that they agree.
type states struct {
	targets         func() []TargetState
	inFlight, state *prometheus.Desc
}

var _ prometheus.Collector = states{}

// Describe implements prometheus.Collector.
func (s states) Describe(to chan<- *prometheus.Desc) {
	to <- s.inFlight
	to <- s.state
}

// Collect implements prometheus.Collector.
func (s states) Collect(to chan<- prometheus.Metric) {
	for _, t := range s.targets() {
		to <- prometheus.MustNewConstMetric(s.inFlight, prometheus.GaugeValue, float64(t.InFlight), t.Target)
		now := t.State
		if !slices.Contains(States(), now) {
			now = "unknown"
		}
		for _, state := range States() {
			value := 0.0
			if state == now {
				value = 1
			}
			to <- prometheus.MustNewConstMetric(s.state, prometheus.GaugeValue, value, t.Target, state)
		}
	}
}
