package reconcile

import (
	"slices"
	"time"

	"weir.dev/weir"
)

// The causes that several tools share.
const (
	fromSent       = "counted from when it was sent, not from when it was due"
	noConnection   = "connection set-up left out"
	roleCounts     = "role-only chunk counted as the first token"
	finishCounts   = "finish chunk counted as the last token"
	refusalIgnored = "refusal not counted as output"
	thoughtIgnored = "reasoning not counted"
	wholeAnswer    = "summary of the reasoning counted with the reasoning's tokens"
	hiddenCounts   = "reasoning that was billed and not streamed is counted"
	nInstead       = "N instead of N - n1"
	nLessOne       = "N - 1 instead of N - n1"
	chunksForToken = "chunks for tokens"
	ttftInside     = "TTFT inside the mean"
	trailerInside  = "trailer after the last token"
	gapsWhole      = "gaps as they arrive, not divided by the tokens of their event"
)

// spoken is what the tools take for a generated token: all output but refusals,
// which none of them reads.
const spoken = weir.TickText | weir.TickReasoning | weir.TickSummary | weir.TickTool

func isSpoken(k weir.TickKind) bool { return k&spoken != 0 }
func isText(k weir.TickKind) bool   { return k&weir.TickText != 0 }
func isSaid(k weir.TickKind) bool   { return k&(weir.TickText|weir.TickTool) != 0 }

// ends are the arrivals of the first and the last event of a kind.
func ends(t *weir.Trace, of func(weir.TickKind) bool) (first, last time.Duration, ok bool) {
	for i := range t.Ticks {
		if !of(t.Ticks[i].Kind) {
			continue
		}
		if !ok {
			first, ok = t.Ticks[i].At, true
		}
		last = t.Ticks[i].At
	}
	return first, last, ok
}

// gapsOf are the times between consecutive events of a kind.
func gapsOf(t *weir.Trace, of func(weir.TickKind) bool) (gaps []Amount) {
	prev, any := time.Duration(0), false
	for i := range t.Ticks {
		if !of(t.Ticks[i].Kind) {
			continue
		}
		if any {
			gaps = append(gaps, Amount(t.Ticks[i].At-prev))
		}
		prev, any = t.Ticks[i].At, true
	}
	return gaps
}

// itlOf is our own list: the gaps divided by the tokens of their event.
func itlOf(t *weir.Trace) (list []Amount) {
	for d := range t.ITL() {
		list = append(list, Amount(d))
	}
	return list
}

func count(t *weir.Trace, of func(weir.TickKind) bool) (n int) {
	for i := range t.Ticks {
		if of(t.Ticks[i].Kind) {
			n++
		}
	}
	return n
}

func has(t *weir.Trace, k weir.TickKind) bool {
	return slices.ContainsFunc(t.Ticks, func(tick weir.Tick) bool { return tick.Kind&k != 0 })
}

// reported is the completion tokens of the answer's own usage.
func reported(t *weir.Trace) (int, bool) {
	n, ok := t.Usage.Completion.Get()
	return n, ok && (t.TokenSource == weir.TokensFromUsage || t.TokenSource == "")
}

// summaryOnly tells whether reasoning was billed and only its summary came, so
// that our speed is over the answer alone (METRICS.md, "Special streams").
func summaryOnly(t *weir.Trace) bool {
	return t.Usage.Reasoning.Or(0) > 0 && has(t, weir.TickSummary) && !has(t, weir.TickReasoning)
}

// textTokens is what a tokenizer would count in the answer's text alone.
func textTokens(t *weir.Trace) (int, bool) {
	n, ok := t.NSeen().Get()
	if !ok || has(t, weir.TickTool|weir.TickRefusal) {
		return 0, false
	}
	if !has(t, weir.TickReasoning|weir.TickSummary) {
		return n, true
	}
	thought, ok := t.Usage.Reasoning.Get()
	return max(0, n-thought), ok
}

// Why a tool has no value.
const (
	nothingCounted = "they give none: no chunk that they count came"
	fewTokens      = "they give none under two tokens"
	tokensUnknown  = "they count with a tokenizer, and the trace does not hold that count"
)

// latencyTo starts a chain at our latency to an event: from when it was due.
func latencyTo(t *weir.Trace, ours weir.Span, to time.Duration) *chain {
	c := begin(latency, ofSpan(ours), span{from: -t.Lateness(), to: to}, "we give none: no such output came")
	return c.step(fromSent, func(s *span) { s.from = 0 })
}

// whole starts a chain at our e2e.
func whole(t *weir.Trace) *chain {
	c := latencyTo(t, t.E2E(), lastOf(t, weir.TickKind.Output))
	c.toEnd = true
	return c
}

func firstOf(t *weir.Trace, of func(weir.TickKind) bool) time.Duration {
	first, _, _ := ends(t, of)
	return first
}

func lastOf(t *weir.Trace, of func(weir.TickKind) bool) time.Duration {
	_, last, _ := ends(t, of)
	return last
}

// decode starts a chain at our tpot (or output speed), up to the whole stream
// with every token that was billed.
func decode(t *weir.Trace, m measure) *chain {
	phase := weir.TickKind.Output
	tokens := t.NSeen().Or(0)
	if summaryOnly(t) {
		phase = weir.TickKind.Answer
		tokens = max(0, tokens-t.Usage.Reasoning.Or(0))
	}
	first, _ := t.N1()
	n1 := first.Or(1)
	at := span{tokens: float64(tokens) - n1}
	at.from, at.to, _ = ends(t, phase)
	ours := ofSpan(t.TPOT())
	if m == perTime {
		ours = ofSpeed(t.OutputSpeed())
	}
	c := begin(m, ours, at, whyNoSpeed(t))
	return c.step(wholeAnswer, func(s *span) {
		if summaryOnly(t) {
			s.from, s.to, _ = ends(t, weir.TickKind.Output)
			s.tokens = float64(t.NSeen().Or(0)) - n1
		}
	})
}

// hidden adds the tokens that were billed and not streamed.
func (c *chain) hidden(t *weir.Trace) *chain {
	return c.step(hiddenCounts, func(s *span) {
		if n, ok := t.Usage.Completion.Get(); ok {
			s.tokens += float64(n - t.NSeen().Or(n))
		}
	})
}

// divided sets the tokens that the time is divided by.
func (c *chain) divided(cause string, by int) *chain {
	return c.step(cause, func(s *span) { s.tokens = float64(by) })
}

func (c *chain) fromFirst(t *weir.Trace, cause string, of func(weir.TickKind) bool) *chain {
	return c.step(cause, func(s *span) { s.from = firstOf(t, of) })
}

func (c *chain) toFirst(t *weir.Trace, cause string, of func(weir.TickKind) bool) *chain {
	return c.step(cause, func(s *span) { s.to = firstOf(t, of) })
}

func (c *chain) toLast(t *weir.Trace, cause string, of func(weir.TickKind) bool) *chain {
	return c.step(cause, func(s *span) { s.to = lastOf(t, of) })
}

// need ends a chain of a tool that counts only such events.
func (c *chain) need(t *weir.Trace, of func(weir.TickKind) bool) *chain {
	if count(t, of) == 0 {
		c.none(nothingCounted)
	}
	return c
}

// needEnd ends a chain of a tool that counts to the end of the body.
func (c *chain) needEnd(known bool) *chain {
	if !known {
		c.none("they count to the end of the body, which the trace does not hold")
	}
	return c
}

// lists is a chain of lists of gaps, from our figure to theirs.
func lists(ours string, stages ...stage) *chain {
	c := &chain{measure: list, stages: stages, weight: 1}
	switch {
	case len(c.last()) == 0:
		c.why = "they give none: there is no gap between chunks"
	case len(c.first()) == 0:
		c.why = "we give no " + ours
	}
	return c
}

func whyNoSpeed(t *weir.Trace) string {
	switch {
	case t.Buffered():
		return "we give none: the answer came in one piece"
	case !t.NSeen().Known():
		return "we give none: its tokens are not known"
	}
	return "we give none: no two instants or no two tokens to tell a speed by"
}
