package reconcile

import "weir.dev/weir"

// aiperfDecode is InterTokenLatencyMetric: (request latency - ttft) / (tokens -
// 1), with the tokens of all text that came, reasoning included. With
// --per-chunk-usage it takes off the first chunk's own count in place of 1.
func aiperfDecode(t *weir.Trace, m measure) *chain {
	n, known := t.NSeen().Get()
	c := decode(t, m).divided(nLessOne, n-1)
	c.fromFirst(t, refusalIgnored, isSpoken).toLast(t, refusalIgnored, isSpoken).need(t, isSpoken)
	switch {
	case !known || has(t, weir.TickSummary):
		c.none(tokensUnknown)
	case n < 2:
		c.none(fewTokens)
	}
	return c
}

func aiperf() []definition {
	return []definition{
		{"time_to_first_token", "ttft_ms", Millis, interpolated, func(t *weir.Trace) *chain {
			return latencyTo(t, t.TTFT(), firstOf(t, weir.TickKind.Output)).toFirst(t, refusalIgnored, isSpoken).need(t, isSpoken)
		}},
		{"time_to_first_output_token", "ttfat_ms", Millis, interpolated, func(t *weir.Trace) *chain {
			return latencyTo(t, t.TTFAT(), firstOf(t, weir.TickKind.Answer)).toFirst(t, refusalIgnored, isSaid).need(t, isSaid)
		}},
		{"inter_token_latency", "tpot_ms", Millis, interpolated, func(t *weir.Trace) *chain { return aiperfDecode(t, perToken) }},
		{"output_token_throughput_per_user", "output_speed", Speed, interpolated, func(t *weir.Trace) *chain { return aiperfDecode(t, perTime) }},
		{"inter_chunk_latency", "gap_ms", Millis, interpolated, func(t *weir.Trace) *chain {
			return lists("gap", stage{"", gapsOf(t, weir.TickKind.Output)}, stage{refusalIgnored, gapsOf(t, isSpoken)})
		}},
		{"request_latency", "e2e_ms", Millis, interpolated, func(t *weir.Trace) *chain {
			return whole(t).toLast(t, refusalIgnored, isSpoken).need(t, isSpoken)
		}},
	}
}
