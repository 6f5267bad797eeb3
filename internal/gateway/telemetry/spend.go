package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"weir.dev/weir/internal/gateway/journal"
)

// spender is who spends: a key on a route.
type spender struct{ route, key string }

// spendSeries are the tokens and the cost of a spender.
type spendSeries struct {
	cost                prometheus.Counter
	reported, estimated tokenSeries
	refused             *lazy[string, prometheus.Counter]
}

type tokenSeries struct{ input, cached, written, output, reasoning prometheus.Counter }

func newSpends(f *families) *lazy[spender, *spendSeries] {
	return lazily(func(s spender) *spendSeries {
		tokens := func(source string) tokenSeries {
			of := func(kind string) prometheus.Counter { return f.tokens.WithLabelValues(s.route, s.key, kind, source) }
			return tokenSeries{input: of("input"), cached: of("cached_input"), written: of("cache_write"), output: of("output"), reasoning: of("reasoning")}
		}
		return &spendSeries{
			cost: f.cost.WithLabelValues(s.route, s.key), reported: tokens("usage"), estimated: tokens("estimate"),
			refused: lazily(func(limit string) prometheus.Counter { return f.refused.WithLabelValues(s.key, limit) }),
		}
	})
}

func (s *spendSeries) observe(r *journal.Record) {
	if r.Refused != "" {
		s.refused.get(limit(r.Refused)).Inc()
	}
	add(s.cost, r.Cost)
	to := &s.reported
	if r.UsageEstimated {
		to = &s.estimated
	}
	count(to.input, r.Usage.Prompt)
	count(to.cached, r.Usage.Cached)
	count(to.written, r.Usage.CacheWrite)
	count(to.output, r.Usage.Completion)
	count(to.reasoning, r.Usage.Reasoning)
}

// limit is a limit of a key, by the names of package tenant.
func limit(name string) string {
	switch name {
	case "rpm", "tpm", "budget", "no_price":
		return name
	}
	return unknown
}
