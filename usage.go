package weir

// Usage counts tokens as a provider reported them. A count that was not
// reported is empty, never 0. Nothing here is ever counted from events.
type Usage struct {
	Prompt     Opt[int] `json:"prompt_tokens"`      // all input, cached tokens included
	Cached     Opt[int] `json:"cached_tokens"`      // input read from the prompt cache, a part of Prompt
	CacheWrite Opt[int] `json:"cache_write_tokens"` // input written to the prompt cache, a part of Prompt
	Completion Opt[int] `json:"completion_tokens"`  // all output, reasoning included
	Reasoning  Opt[int] `json:"reasoning_tokens"`   // a part of Completion
}

// Reported tells whether any count is known.
func (u Usage) Reported() bool {
	return u.Prompt.Known() || u.Cached.Known() || u.CacheWrite.Known() || u.Completion.Known() || u.Reasoning.Known()
}

// Negative tells whether a count is below 0, which none can be.
func (u Usage) Negative() bool {
	return min(u.Prompt.Or(0), u.Cached.Or(0), u.CacheWrite.Or(0), u.Completion.Or(0), u.Reasoning.Or(0)) < 0
}

// TokenSource names where a trace's token counts come from, in order of trust.
type TokenSource string

// The sources of METRICS.md, "Counting tokens". The empty source is "unknown".
const (
	TokensFromUsage     TokenSource = "usage"
	TokensFromLogprobs  TokenSource = "logprobs"
	TokensFromTokenizer TokenSource = "tokenizer"
	TokensFromEstimate  TokenSource = "estimate"
)
