package weir

// How far a count of tokens may be from the output that came before it cannot be
// true of it.
const (
	charsPerToken  = 32 // text has 3 to 6, the longest words of one token some 30
	eventsPerToken = 10 // an endpoint that sends each character by itself has 3 to 6
	wrapperTokens  = 64 // of templates, around texts and tool calls, that no event shows
)

// UsageImplausible tells whether the provider's count of output tokens cannot be
// true of the output that came: fewer than one token for 10 output events or for
// 32 characters, or more than one for each byte and 64 beside. Such a count
// serves costs, since it is what is billed, and nothing else: N_seen and all that
// rests on it is empty. Where a summary of reasoning came, how much was thought
// is not to be seen, and no count is too high.
func (t *Trace) UsageImplausible() bool {
	n, ok := t.Usage.Completion.Get()
	if !ok || t.TokenSource == TokensFromEstimate {
		return false
	}
	events, bytes := 0, int64(0)
	for i := range t.Ticks { // many a metric asks
		if t.Ticks[i].Kind.Output() {
			events++
			bytes += int64(t.Ticks[i].Bytes)
		}
	}
	seen, all := t.streamed(n), n
	if events == 0 { // it came whole: whether its reasoning did is not known
		bytes = 4 * int64(t.OutputChars)
	} else {
		all = seen
	}
	switch {
	case events > eventsPerToken*all, t.OutputChars > charsPerToken*all:
		return true
	case bytes == 0 || t.summarised():
		return false
	}
	return int64(seen) > bytes+wrapperTokens
}

// streamed is how many of n tokens came as output events: all, or without the
// reasoning where no reasoning event came.
func (t *Trace) streamed(n int) int {
	if t.HiddenReasoning() {
		n -= t.Usage.Reasoning.Or(0)
	}
	return max(n, 0)
}
