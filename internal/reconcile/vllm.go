package reconcile

import "weir.dev/weir"

// vllmChunks tells which events vLLM's client takes for a token. Up to 0.32
// that was every chunk with a non-empty choices list; since 0.33 its delta must
// hold content, reasoning or a tool call (_choice_has_streamed_output). A chunk
// whose delta is empty is no token here: the trace does not tell "" from absent.
func vllmChunks(old bool) func(weir.TickKind) bool {
	if !old {
		return isSpoken
	}
	return func(k weir.TickKind) bool {
		return k == 0 || k&^(weir.TickUsage|weir.TickDone|weir.TickError|weir.TickBroken) != 0
	}
}

// vllmTokens is RequestFuncOutput.output_tokens: usage.completion_tokens of a
// chunk that was no token, else a tokenizer's count of the answer's text.
func vllmTokens(t *weir.Trace, chunk func(weir.TickKind) bool) (n int, ok bool) {
	unread := has(t, weir.TickUsage)
	for _, tick := range t.Ticks {
		if tick.Kind&weir.TickUsage != 0 && !chunk(tick.Kind) {
			unread = false
		}
	}
	if n, ok := reported(t); ok && !unread {
		return n, true
	}
	return textTokens(t)
}

func vllm(old bool) []definition {
	chunk, first, last := vllmChunks(old), refusalIgnored, refusalIgnored
	if old {
		first, last = roleCounts, finishCounts
	}
	return []definition{
		{"ttft", "ttft_ms", Millis, interpolated, func(t *weir.Trace) *chain {
			return latencyTo(t, t.TTFT(), firstOf(t, weir.TickKind.Output)).toFirst(t, first, chunk).need(t, chunk)
		}},
		{"tpot", "tpot_ms", Millis, interpolated, func(t *weir.Trace) *chain {
			c := decode(t, perToken).hidden(t)
			n, known := vllmTokens(t, chunk)
			c.divided(nLessOne, billed(t, n)-1).divided(thoughtIgnored, n-1)
			c.fromFirst(t, first, chunk).toLast(t, last, chunk).need(t, chunk)
			switch {
			case !known:
				c.none(tokensUnknown)
			case n < 2:
				c.none(fewTokens)
			}
			return c
		}},
		{"itl", "itl_ms", Millis, interpolated, func(t *weir.Trace) *chain {
			return lists("itl", stage{"", itlOf(t)}, stage{gapsWhole, gapsOf(t, weir.TickKind.Output)}, stage{chunksNotOutput(old), gapsOf(t, chunk)})
		}},
		{"e2el", "e2e_ms", Millis, interpolated, func(t *weir.Trace) *chain {
			return whole(t).toLast(t, last, chunk).need(t, chunk)
		}},
	}
}

func chunksNotOutput(old bool) string {
	if old {
		return "role-only and finish chunks counted as tokens"
	}
	return refusalIgnored
}
