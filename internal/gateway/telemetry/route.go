package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
)

// routeSeries are the series of one route.
type routeSeries struct {
	name                                   string
	requests                               *lazy[weir.Outcome, prometheus.Counter]
	retries                                *lazy[journal.Why, prometheus.Counter]
	rescued, unrescued                     prometheus.Counter
	duplicates, overspent, unpriced        prometheus.Counter
	ttft, tpot, overhead                   prometheus.Observer
	serverDuration                         *lazy[ended, prometheus.Observer]
	serverFirstToken, serverPerOutputToken *lazy[journal.Operation, prometheus.Observer]
}

// ended is how an operation ended.
type ended struct {
	operation journal.Operation
	outcome   weir.Outcome
}

func (m *Metrics) addRoute(name string) {
	if m.routes[name] != nil {
		return
	}
	f := &m.families
	perOperation := func(v *prometheus.HistogramVec) *lazy[journal.Operation, prometheus.Observer] {
		return lazily(func(o journal.Operation) prometheus.Observer { return v.WithLabelValues(string(o), ourProvider, name) })
	}
	r := &routeSeries{
		name:       name,
		requests:   lazily(func(o weir.Outcome) prometheus.Counter { return f.requests.WithLabelValues(name, string(o)) }),
		retries:    lazily(func(w journal.Why) prometheus.Counter { return f.retries.WithLabelValues(name, string(w)) }),
		rescued:    f.rescues.WithLabelValues(name, "went_on"),
		unrescued:  f.rescues.WithLabelValues(name, "failed"),
		duplicates: f.duplicates.WithLabelValues(name), overspent: f.overspent.WithLabelValues(name), unpriced: f.unpriced.WithLabelValues(name),
		ttft: f.ttft.WithLabelValues(name), tpot: f.tpot.WithLabelValues(name), overhead: f.overhead.WithLabelValues(name),
		serverDuration: lazily(func(e ended) prometheus.Observer {
			return f.genAI.serverDuration.WithLabelValues(string(e.operation), ourProvider, name, errorType(e.outcome))
		}),
		serverFirstToken: perOperation(f.genAI.serverFirstToken), serverPerOutputToken: perOperation(f.genAI.serverPerOutputToken),
	}
	for _, o := range weir.Outcomes() { // so that the first failure is an increase, not a new series
		r.requests.get(o)
	}
	m.routes[name] = r
}

func (s *routeSeries) observe(r *journal.Record) {
	outcome, operation := known(r.Outcome), knownOperation(r.Operation)
	s.requests.get(outcome).Inc()
	s.duplicates.Add(float64(max(0, r.DuplicateRisk)))
	if r.RetryBudgetSpent {
		s.overspent.Inc()
	}
	if r.Usage.Reported() && !r.Cost.Known() {
		s.unpriced.Inc()
	}
	switch {
	case r.Rescue == nil:
	case r.Rescue.OK:
		s.rescued.Inc()
	default:
		s.unrescued.Inc()
	}
	for i := range r.Attempts {
		if i > 0 {
			s.retries.get(knownWhy(r.Attempts[i].Why)).Inc()
		}
	}
	seconds(s.ttft, r.TTFT)
	seconds(s.tpot, r.TPOT)
	seconds(s.overhead, r.Gateway)
	seconds(s.serverDuration.get(ended{operation, outcome}), r.End)
	if outcome == weir.OK {
		seconds(s.serverFirstToken.get(operation), r.TTFT)
		seconds(s.serverPerOutputToken.get(operation), r.TPOT)
	}
}

// seconds observes a time that was measured.
func seconds(o prometheus.Observer, d weir.Span) {
	if v, measured := d.Get(); measured {
		o.Observe(v.Duration().Seconds())
	}
}

// unknown stands for what is in no closed list.
const unknown = "unknown"

func known(o weir.Outcome) weir.Outcome {
	if o.Valid() {
		return o
	}
	return unknown
}

func knownOperation(o journal.Operation) journal.Operation {
	switch o {
	case journal.Chat, journal.TextCompletion, journal.Embeddings:
		return o
	}
	return unknown
}

func knownWhy(w journal.Why) journal.Why {
	switch w {
	case journal.First, journal.Failover, journal.QuickRetry, journal.Reconnect, journal.WithoutUsage, journal.NewToken, journal.Grace, journal.RescueTry:
		return w
	}
	return unknown
}

// errorType is the convention's: the outcome where it is not ok.
func errorType(o weir.Outcome) string {
	if o == weir.OK {
		return ""
	}
	return string(o)
}
