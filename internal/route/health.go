package route

import (
	"time"

	"weir.dev/weir"
)

// health is what a status page shows.
func (s *state) health(now time.Time) weir.Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &s.breaker
	h := weir.Health{
		Target: s.name, State: b.phase(now), Reason: string(b.reason),
		InFlight: s.inFlight, Row: b.row, Totals: s.totals,
		Streams: s.streams.health(s.set.HalfLife, now), Wholes: s.wholes.health(s.set.HalfLife, now),
	}
	if h.State == weir.HealthClosed && s.totals == (weir.HealthTotals{Neutral: s.totals.Neutral}) {
		h.State = weir.HealthUnknown
	}
	if !b.since.IsZero() {
		h.Since = weir.Some(b.since)
	}
	if why, until, _ := s.away(now); why != "" {
		h.Reason = string(why)
		if !until.IsZero() {
			h.Until = weir.Some(until)
		}
	}
	seen := s.outcomes.sum(s.set.Window, now)
	h.Outcomes, h.Failures = seen.good+seen.bad, seen.bad
	if h.Outcomes > 0 {
		h.ErrorRate = weir.Some(float64(h.Failures) / float64(h.Outcomes))
	}
	if len(s.decode.recent) > 0 && !s.decode.expired(s.set.HalfLife, now) {
		h.TPOT = weir.SpanOf(seconds(s.decode.quantile(0.5)))
	}
	return h
}

func (t *track) health(halfLife time.Duration, now time.Time) weir.FirstOutput {
	if t.expired(halfLife, now) {
		return weir.FirstOutput{}
	}
	at := func(p float64) weir.Span { return weir.SpanOf(seconds(t.fit.at(1) * quantile(t.recent, p))) }
	return weir.FirstOutput{
		Samples: len(t.recent),
		Base:    weir.SpanOf(seconds(t.fit.base)), PerK: weir.SpanOf(seconds(t.fit.perK)),
		P50At1K: at(0.5), P95At1K: at(0.95),
	}
}
