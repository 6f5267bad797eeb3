package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
)

// targetSeries are the series of one target.
type targetSeries struct {
	target               Target
	attempts             *lazy[weir.Outcome, prometheus.Counter]
	ttft                 prometheus.Observer
	cost, broken         prometheus.Counter
	inference, operation *lazy[ended, prometheus.Observer]
	firstChunk           *lazy[journal.Operation, prometheus.Observer]
	usage                *lazy[journal.Operation, *usageSeries]
}

// usageSeries are the reported tokens of one operation.
type usageSeries struct {
	input, output, cacheRead, cacheWrite, reasoning prometheus.Counter
	inputEach, outputEach                           prometheus.Observer
}

func (m *Metrics) addTarget(t Target) {
	if known := m.targets[t.Name]; known != nil && known.target == t {
		return
	}
	f, g := &m.families, &m.families.genAI
	perEnd := func(v *prometheus.HistogramVec) *lazy[ended, prometheus.Observer] {
		return lazily(func(e ended) prometheus.Observer {
			return v.WithLabelValues(string(e.operation), t.Provider, t.Model, errorType(e.outcome))
		})
	}
	s := &targetSeries{
		target:   t,
		attempts: lazily(func(o weir.Outcome) prometheus.Counter { return f.attempts.WithLabelValues(t.Name, string(o)) }),
		ttft:     f.targetTTFT.WithLabelValues(t.Name), cost: f.targetCost.WithLabelValues(t.Name), broken: f.broken.WithLabelValues(t.Name),
		inference: perEnd(g.inference), operation: perEnd(g.operation),
		firstChunk: lazily(func(o journal.Operation) prometheus.Observer {
			return g.firstChunk.WithLabelValues(string(o), t.Provider, t.Model)
		}),
		usage: lazily(func(o journal.Operation) *usageSeries { return newUsage(g, string(o), t) }),
	}
	for _, o := range weir.Outcomes() {
		s.attempts.get(o)
	}
	m.targets[t.Name] = s
}

func newUsage(g *genAIFamilies, operation string, t Target) *usageSeries {
	of := func(v *prometheus.CounterVec) prometheus.Counter {
		return v.WithLabelValues(operation, t.Provider, t.Model, unknownModality)
	}
	return &usageSeries{
		input: of(g.input), output: of(g.output), cacheRead: of(g.cacheRead), cacheWrite: of(g.cacheWrite), reasoning: of(g.reasoning),
		inputEach:  g.tokenUsage.WithLabelValues(operation, t.Provider, t.Model, typeInput),
		outputEach: g.tokenUsage.WithLabelValues(operation, t.Provider, t.Model, typeOutput),
	}
}

func (s *targetSeries) observe(r *journal.Record, a *journal.Attempt) {
	outcome, operation := known(a.Outcome), knownOperation(r.Operation)
	s.attempts.get(outcome).Inc()
	add(s.cost, a.Cost)
	s.broken.Add(float64(max(0, a.Broken)))
	since := func(d weir.Span) weir.Span {
		if v, measured := d.Get(); measured && v >= a.Started {
			return weir.Some(v - a.Started)
		}
		return weir.Span{}
	}
	seconds(s.ttft, since(a.FirstOutput))
	whole := since(a.End)
	seconds(s.inference.get(ended{operation, outcome}), whole)
	seconds(s.operation.get(ended{operation, outcome}), whole)
	if r.Stream {
		seconds(s.firstChunk.get(operation), since(a.FirstEvent))
	}
	if a.Usage.Reported() {
		s.usage.get(operation).observe(a.Usage)
	}
}

func (s *usageSeries) observe(u weir.Usage) {
	count(s.input, u.Prompt)
	count(s.output, u.Completion)
	count(s.cacheRead, u.Cached)
	count(s.cacheWrite, u.CacheWrite)
	count(s.reasoning, u.Reasoning)
	if n, reported := u.Prompt.Get(); reported {
		s.inputEach.Observe(float64(n))
	}
	if n, reported := u.Completion.Get(); reported {
		s.outputEach.Observe(float64(n))
	}
}

// count adds tokens. A counter cannot go down: a provider's negative count is
// left out.
func count(c prometheus.Counter, n weir.Opt[int]) { c.Add(float64(max(0, n.Or(0)))) }

// add adds a cost that is known.
func add(c prometheus.Counter, usd weir.Opt[float64]) {
	if v := usd.Or(0); v > 0 {
		c.Add(v)
	}
}
