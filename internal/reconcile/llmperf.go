package reconcile

import "weir.dev/weir"

// llmperf reads delta.content alone, so that reasoning, refusals and tool calls
// are silence to it, and counts tokens by encoding the text it gathered.
func llmperf() []definition {
	return []definition{
		{"ttft_s", "ttft_ms", Millis, interpolated, func(t *weir.Trace) *chain {
			return latencyTo(t, t.TTFT(), firstOf(t, weir.TickKind.Output)).toFirst(t, textOnly, isText).need(t, isText)
		}},
		{"inter_token_latency_s", "tpot_ms", Millis, interpolated, func(t *weir.Trace) *chain {
			n, known := textTokens(t)
			c := decode(t, perToken).divided(nInstead, t.NSeen().Or(0))
			c.step(textOnly, func(s *span) { s.tokens, s.to = float64(n), lastOf(t, isText) })
			c.step(ttftInside, func(s *span) { s.from = 0 })
			return c.need(t, isText).needText(n, known)
		}},
		{"request_output_throughput_token_per_s", "e2e_speed", Speed, interpolated, func(t *weir.Trace) *chain {
			n, known := textTokens(t)
			at := span{tokens: float64(t.NSeen().Or(0))}
			_, at.to, _ = ends(t, weir.TickKind.Output)
			c := begin(perTime, ofSpeed(t.E2ESpeed()), at, whyNoSpeed(t))
			c.divided(textOnly, n).step(trailerInside, func(s *span) { s.to = t.End.Or(0).Duration() })
			return c.needText(n, known).needEnd(t.End.Known())
		}},
		{"end_to_end_latency_s", "e2e_ms", Millis, interpolated, func(t *weir.Trace) *chain {
			return whole(t).step(trailerInside, func(s *span) { s.to = t.End.Or(0).Duration() }).needEnd(t.End.Known())
		}},
	}
}

const textOnly = "only answer text counted: not reasoning, tool calls or refusals"

func (c *chain) needText(n int, known bool) *chain {
	switch {
	case !known:
		c.none(tokensUnknown)
	case n < 1:
		c.none("they give 0: no answer text came")
	}
	return c
}
