package reconcile

import (
	"time"

	"weir.dev/weir"
)

// guidellmTokens is GenerativeRequestStats.output_tokens: usage, else the
// number of chunks that carried something (token_iterations).
func guidellmTokens(t *weir.Trace) int {
	if n, ok := reported(t); ok && n > 0 {
		return n
	}
	return count(t, isSpoken)
}

// guidellmStart is request_start: since the trace hook of 0.8.1 the moment the
// request's head is written, so after the connection was had; before, the call.
func guidellmStart(old bool) func(*weir.Trace) weir.Span {
	if old {
		return func(*weir.Trace) weir.Span { return weir.SpanOf(0) }
	}
	return func(t *weir.Trace) weir.Span { return t.GotConn }
}

func guidellm(old bool) []definition {
	start := guidellmStart(old)
	return []definition{
		{"time_to_first_token_ms", "ttft_ms", Millis, ranked, func(t *weir.Trace) *chain {
			c := latencyTo(t, t.TTFT(), firstOf(t, weir.TickKind.Output))
			return c.begun(noConnection, start(t)).toFirst(t, refusalIgnored, isSpoken).need(t, isSpoken).needConn(start(t))
		}},
		{"time_to_first_output_token_ms", "ttfat_ms", Millis, ranked, func(t *weir.Trace) *chain {
			c := latencyTo(t, t.TTFAT(), firstOf(t, weir.TickKind.Answer))
			return c.begun(noConnection, start(t)).toFirst(t, refusalIgnored, isSaid).need(t, isSaid).needConn(start(t))
		}},
		{"time_per_output_token_ms", "tpot_ms", Millis, byTokens, func(t *weir.Trace) *chain {
			n := guidellmTokens(t)
			c := decode(t, perToken).hidden(t).divided(nInstead, billed(t, n)).divided(chunksForToken, n)
			c.toLast(t, refusalIgnored, isSpoken).begun(ttftInside, start(t))
			c.weight = float64(n)
			return c.need(t, isSpoken).needConn(start(t))
		}},
		{"inter_token_latency_ms", "tpot_ms", Millis, byTokens, func(t *weir.Trace) *chain {
			n := guidellmTokens(t)
			c := decode(t, perToken).hidden(t).divided(nLessOne, billed(t, n)-1).divided(chunksForToken, n-1)
			c.fromFirst(t, refusalIgnored, isSpoken).toLast(t, refusalIgnored, isSpoken).need(t, isSpoken)
			if n < 2 {
				c.none(fewTokens)
			}
			c.weight = float64(n - 1)
			return c
		}},
		{"request_latency", "e2e_ms", Millis, ranked, func(t *weir.Trace) *chain {
			end, ended := bodyRead(t)
			c := whole(t).begun(noConnection, start(t))
			return c.step(trailerInside, func(s *span) { s.to = end }).needEnd(ended).needConn(start(t))
		}},
	}
}

// billed is N where we know it, else n.
func billed(t *weir.Trace, n int) int { return t.Usage.Completion.Or(n) }

// bodyRead is when a client that leaves at [DONE] is done with the body.
func bodyRead(t *weir.Trace) (time.Duration, bool) {
	if done, _, ok := ends(t, func(k weir.TickKind) bool { return k&weir.TickDone != 0 }); ok {
		return done, true
	}
	end, ok := t.End.Get()
	return end.Duration(), ok
}

func (c *chain) begun(cause string, at weir.Span) *chain {
	return c.step(cause, func(s *span) { s.from = at.Or(0).Duration() })
}

func (c *chain) needConn(at weir.Span) *chain {
	if !at.Known() {
		c.none("they count from when the connection was had, which the trace does not hold")
	}
	return c
}
