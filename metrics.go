package weir

import (
	"iter"
	"slices"
	"time"
)

// The methods in this file are METRICS.md's "Metrics of one trace", by its
// names; smooth_speed and stalls_per_1k are in smooth.go, prefill_rate and
// network are still to come. Each is empty where METRICS.md says null.

// Lateness is how long the call waited for whoever made it: Sent - Due.
func (t *Trace) Lateness() time.Duration { return t.Sent.Sub(t.Due) }

// TTFT is the time from due to the first output event of any kind.
func (t *Trace) TTFT() Span { return t.sinceDue(t.firstOf(TickKind.Output)) }

// TTFTSent is the time from sent to the first output event.
func (t *Trace) TTFTSent() Span { return offset(t.firstOf(TickKind.Output)) }

// TTFAT is the time from due to the first answer event: text, refusal or tool
// call, not reasoning.
func (t *Trace) TTFAT() Span { return t.sinceDue(t.firstOf(TickKind.Answer)) }

// FirstEvent is the offset of the first event of any kind.
func (t *Trace) FirstEvent() Span {
	if len(t.Ticks) == 0 {
		return Span{}
	}
	return SpanOf(t.Ticks[0].At)
}

// E2E is the time from due to the last output event. A good answer that came
// whole, where no stream was asked for, has no events: its output is there with
// the body's last byte.
func (t *Trace) E2E() Span {
	last := t.lastOutput()
	if end, ok := t.End.Get(); ok && last == nil && t.Outcome == OK && t.OutputChars > 0 {
		return SpanOf(t.Lateness() + end.Duration())
	}
	return t.sinceDue(last)
}

// Trailer is the time from the last output event to the last byte of the body.
func (t *Trace) Trailer() Span {
	last := t.lastOutput()
	end, ok := t.End.Get()
	if last == nil || !ok {
		return Span{}
	}
	return SpanOf(end.Duration() - last.At)
}

// ServerWait is the time from the request's last byte to the response's first.
func (t *Trace) ServerWait() Span {
	wrote, ok1 := t.Wrote.Get()
	header, ok2 := t.Header.Get()
	if !ok1 || !ok2 {
		return Span{}
	}
	return SpanOf((header - wrote).Duration())
}

// OutputEvents is the number of events that carried output.
func (t *Trace) OutputEvents() int {
	n := 0
	for range t.outputs() {
		n++
	}
	return n
}

// HiddenReasoning tells whether reasoning was billed and none was streamed.
func (t *Trace) HiddenReasoning() bool {
	return t.Usage.Reasoning.Or(0) > 0 && t.firstOf(TickKind.Thought) == nil
}

// NSeen is the number of output tokens that were delivered as output events:
// all of them, or without the reasoning where no reasoning event came. It is
// empty where the usage cannot be true of these events.
func (t *Trace) NSeen() Opt[int] {
	n, ok := t.Usage.Completion.Get()
	if !ok || t.TokenSource == TokensFromEstimate || t.UsageImplausible() {
		return None[int]()
	}
	return Some(t.streamed(n))
}

// N1Source says how the tokens of the first output event were found.
type N1Source string

// The ways to find them.
const (
	N1FromUsage   N1Source = "usage"
	N1OnePerEvent N1Source = "one_per_event"
	N1FromBytes   N1Source = "bytes"
)

// N1 is the number of tokens in the first output event (a fraction where it
// comes from a share of bytes), and how it was found. It is empty where tokens
// are unknown or nothing was seen.
func (t *Trace) N1() (Opt[float64], N1Source) {
	n, ok := t.NSeen().Get()
	if !ok {
		return None[float64](), ""
	}
	return n1(t.phase(n))
}

// phase is the run of output events over which speed is told, with its tokens.
type phase struct {
	tokens      int
	events      int
	bytes       int64
	first, last *Tick
	distinct    bool // output arrived at more than one instant
	own         bool // every event says how many tokens it has
}

// phase spans all output, except that where only a summary of the reasoning
// came it is the answer's events with the answer's tokens (METRICS.md,
// "Special streams").
func (t *Trace) phase(nSeen int) phase {
	in, p := t.inPhase(), phase{tokens: nSeen, own: true}
	if t.summaryOnly() {
		p.tokens = max(0, nSeen-t.Usage.Reasoning.Or(0))
	}
	for tick := range t.ticks(in) {
		if p.first == nil {
			p.first = tick
		}
		p.last = tick
		p.own = p.own && tick.Tokens > 0
		p.events++
		p.bytes += int64(tick.Bytes)
	}
	p.distinct = p.first != nil && p.last.At != p.first.At
	return p
}

func (t *Trace) inPhase() func(TickKind) bool {
	if t.summaryOnly() {
		return TickKind.Answer
	}
	return TickKind.Output
}

// summaryOnly tells whether reasoning was billed and only its summary came.
func (t *Trace) summaryOnly() bool {
	return t.Usage.Reasoning.Or(0) > 0 && t.summarised()
}

// summarised tells whether all the reasoning that came is a summary.
func (t *Trace) summarised() bool {
	summary := false
	for i := range t.Ticks {
		if t.Ticks[i].Kind&TickReasoning != 0 {
			return false
		}
		summary = summary || t.Ticks[i].Kind&TickSummary != 0
	}
	return summary
}

func n1(p phase) (Opt[float64], N1Source) {
	if p.first == nil {
		return None[float64](), ""
	}
	if p.first.Tokens > 0 {
		return Some(float64(p.first.Tokens)), N1FromUsage
	}
	share := 1.0
	if p.bytes > 0 {
		share = float64(p.tokens) * float64(p.first.Bytes) / float64(p.bytes)
	}
	if float64(p.tokens) <= 1.25*float64(p.events) && share < 3 {
		return Some(1.0), N1OnePerEvent
	}
	return Some(max(1, share)), N1FromBytes
}

// TPOT is the time per output token after the first event:
// (last_output - first_output) / (N_seen - n1).
func (t *Trace) TPOT() Span {
	s, ok := t.tpot()
	if !ok {
		return Span{}
	}
	return SpanOf(time.Duration(s*float64(time.Second) + 0.5))
}

// OutputSpeed is 1/TPOT: decode tokens per second for one user.
func (t *Trace) OutputSpeed() Opt[float64] {
	s, ok := t.tpot()
	if !ok || s <= 0 {
		return None[float64]()
	}
	return Some(1 / s)
}

// tpot in seconds.
func (t *Trace) tpot() (float64, bool) {
	n, ok := t.NSeen().Get()
	if !ok || t.shape(n) != inPieces {
		return 0, false
	}
	if t.summarised() && !t.Usage.Reasoning.Known() {
		return 0, false // how many of the tokens are the answer's is unknown
	}
	p := t.phase(n)
	first, _ := n1(p)
	rest := float64(p.tokens) - first.Or(0)
	if !p.distinct || rest < 1 {
		return 0, false
	}
	return (p.last.At - p.first.At).Seconds() / rest, true
}

// E2EAt is the time an answer of n tokens would have taken at this trace's
// TTFT and TPOT, since providers differ in verbosity.
func (t *Trace) E2EAt(n int) Span {
	ttft, ok1 := t.TTFT().Get()
	tpot, ok2 := t.tpot()
	if !ok1 || !ok2 || n < 1 {
		return Span{}
	}
	return SpanOf(ttft.Duration() + time.Duration(float64(n-1)*tpot*float64(time.Second)))
}

// E2ESpeed is the tokens seen over the time from sent to the last output.
func (t *Trace) E2ESpeed() Opt[float64] {
	n, ok := t.NSeen().Get()
	last := t.lastOutput()
	if !ok || last == nil || last.At <= 0 {
		return None[float64]()
	}
	return Some(float64(n) / last.At.Seconds())
}

// CharsPerSecond compares targets whose tokenizers differ: output characters
// over the time from the first to the last output.
func (t *Trace) CharsPerSecond() Opt[float64] {
	first, last := t.firstOf(TickKind.Output), t.lastOutput()
	tokens := t.NSeen().Or(t.OutputEvents()) // a guess that only has to tell a burst
	if first == nil || last.At <= first.At || t.shape(tokens) != inPieces {
		return None[float64]()
	}
	return Some(float64(t.OutputChars) / (last.At - first.At).Seconds())
}

// Gaps are the times between consecutive output events, as they arrived.
func (t *Trace) Gaps() iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		prev := (*Tick)(nil)
		for tick := range t.outputs() {
			if prev != nil && !yield(tick.At-prev.At) {
				return
			}
			prev = tick
		}
	}
}

// ITL are the gaps divided by the tokens of the event that ended each: what
// the engine did. There are none where the answer was buffered, its events were
// not stamped or its tokens are unknown.
func (t *Trace) ITL() iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		n, ok := t.NSeen().Get()
		if !ok || n < 1 || t.shape(n) != inPieces {
			return
		}
		share := t.eventTokens(n)
		prev := (*Tick)(nil)
		for tick := range t.ticks(t.inPhase()) {
			if prev != nil {
				if k := share(tick); k > 0 && !yield(time.Duration(float64(tick.At-prev.At)/k)) {
					return
				}
			}
			prev = tick
		}
	}
}

// eventTokens finds the tokens of an output event after the first: by its own
// usage where every event has one, evenly where events are tokens, else by its
// share of the bytes.
func (t *Trace) eventTokens(n int) func(*Tick) float64 {
	p := t.phase(n)
	first, source := n1(p)
	switch {
	case p.own:
		return func(tick *Tick) float64 { return float64(tick.Tokens) }
	case source == N1OnePerEvent && p.events > 1:
		even := (float64(p.tokens) - first.Or(1)) / float64(p.events-1)
		return func(*Tick) float64 { return even }
	case p.bytes > 0:
		perByte := float64(p.tokens) / float64(p.bytes)
		return func(tick *Tick) float64 { return float64(tick.Bytes) * perByte }
	}
	return func(*Tick) float64 { return 0 }
}

// Stall is the largest gap.
func (t *Trace) Stall() Span {
	largest := Span{}
	for g := range t.Gaps() {
		largest = SpanOf(max(g, largest.Or(0).Duration()))
	}
	return largest
}

// GapP50 is the median gap (an observed one), empty where there is none, the
// answer was buffered or its events were not stamped.
func (t *Trace) GapP50() Span {
	if n, ok := t.NSeen().Get(); ok && t.shape(n) != inPieces {
		return Span{}
	}
	gaps := slices.Sorted(t.Gaps())
	if len(gaps) == 0 {
		return Span{}
	}
	return SpanOf(gaps[(len(gaps)-1)/2])
}

// TokensPerEvent is N_seen over the number of output events.
func (t *Trace) TokensPerEvent() Opt[float64] {
	n, ok := t.NSeen().Get()
	events := t.OutputEvents()
	if !ok || events == 0 {
		return None[float64]()
	}
	return Some(float64(n) / float64(events))
}

// CacheShare is cached over prompt tokens.
func (t *Trace) CacheShare() Opt[float64] {
	cached, ok1 := t.Usage.Cached.Get()
	prompt, ok2 := t.Usage.Prompt.Get()
	if !ok1 || !ok2 || prompt <= 0 {
		return None[float64]()
	}
	return Some(float64(cached) / float64(prompt))
}

// LengthShare is output tokens got over asked, where a fixed length was asked.
func (t *Trace) LengthShare() Opt[float64] {
	n, ok := t.Usage.Completion.Get()
	if !ok || t.AskedTokens <= 0 || t.UsageImplausible() {
		return None[float64]()
	}
	return Some(float64(n) / float64(t.AskedTokens))
}

// CensoredAt is the least a latency can have been that was not reached: the
// time from due to when the call was cut. It is empty where the outcome says
// nothing about a longer wait.
func (t *Trace) CensoredAt() Span {
	end, ok := t.End.Get()
	if !ok || !t.Outcome.Censors() {
		return Span{}
	}
	return SpanOf(t.Lateness() + end.Duration())
}

func (t *Trace) outputs() iter.Seq[*Tick] { return t.ticks(TickKind.Output) }

func (t *Trace) ticks(in func(TickKind) bool) iter.Seq[*Tick] {
	return func(yield func(*Tick) bool) {
		for i := range t.Ticks {
			if in(t.Ticks[i].Kind) && !yield(&t.Ticks[i]) {
				return
			}
		}
	}
}

func (t *Trace) firstOf(in func(TickKind) bool) *Tick {
	for i := range t.Ticks {
		if in(t.Ticks[i].Kind) {
			return &t.Ticks[i]
		}
	}
	return nil
}

func (t *Trace) lastOutput() *Tick {
	for i := len(t.Ticks) - 1; i >= 0; i-- {
		if t.Ticks[i].Kind.Output() {
			return &t.Ticks[i]
		}
	}
	return nil
}

func (t *Trace) sinceDue(tick *Tick) Span {
	if tick == nil {
		return Span{}
	}
	return SpanOf(t.Lateness() + tick.At)
}

func offset(tick *Tick) Span {
	if tick == nil {
		return Span{}
	}
	return SpanOf(tick.At)
}
