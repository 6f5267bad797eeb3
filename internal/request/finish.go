package request

import (
	"slices"

	"weir.dev/weir"
)

// FinishReason says why an answer ended. Each dialect has its own words for it.
type FinishReason string

// The reasons. FinishBroken is a failure that the provider calls an end: there
// is no answer to build on, and it is best passed on as an error.
const (
	FinishStop     FinishReason = "stop"           // the model was done
	FinishSequence FinishReason = "stop_sequence"  // it came to a text at which it had to stop
	FinishLength   FinishReason = "length"         // a limit was reached
	FinishCalls    FinishReason = "tool_calls"     // it waits for what its tools give back
	FinishFilter   FinishReason = "content_filter" // it was not allowed to go on, or did not want to
	FinishBroken   FinishReason = "error"
)

// words are one reason's words in each dialect. The first is the one to write;
// where there is none, FinishStop's is.
type words struct {
	reason                  FinishReason
	chat, anthropic, gemini []string
	responses               []string // the reason of an incomplete response, or the status of a complete one
}

var finishes = []words{
	{
		reason:    FinishStop,
		chat:      []string{"stop", "eos", "eos_token", "end_turn"},
		anthropic: []string{"end_turn"},
		gemini:    []string{"STOP"},
		responses: []string{"completed"},
	},
	{
		reason:    FinishSequence,
		chat:      []string{"stop", "stop_sequence"},
		anthropic: []string{"stop_sequence"},
	},
	{
		reason:    FinishLength,
		chat:      []string{"length", "max_tokens", "model_length"},
		anthropic: []string{"max_tokens", "model_context_window_exceeded", "pause_turn"},
		gemini:    []string{"MAX_TOKENS"},
		responses: []string{"max_output_tokens"},
	},
	{
		reason:    FinishCalls,
		chat:      []string{"tool_calls", "function_call", "tool_use"},
		anthropic: []string{"tool_use"},
	},
	{
		reason:    FinishFilter,
		chat:      []string{"content_filter", "safety", "refusal"},
		anthropic: []string{"refusal"},
		gemini:    []string{"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"},
		responses: []string{"content_filter"},
	},
	{
		reason: FinishBroken,
		chat:   []string{"error", "abort", "cancelled", "insufficient_system_resource"},
		gemini: []string{"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE", "OTHER", "FINISH_REASON_UNSPECIFIED"},
	},
}

func (w *words) in(d weir.Dialect) []string {
	switch d {
	case weir.Anthropic:
		return w.anthropic
	case weir.Gemini:
		return w.gemini
	case weir.OpenAIResponses:
		return w.responses
	}
	return w.chat
}

// ReadFinish is the reason that a word of the dialect d stands for. Servers of
// the chat and Anthropic dialects have words of their own for a plain end, so
// an unknown one is FinishStop; all but two of Gemini's say that the answer is
// not as it should be, so there it is FinishBroken.
func ReadFinish(d weir.Dialect, word string) FinishReason {
	for i := range finishes {
		if slices.Contains(finishes[i].in(d), word) {
			return finishes[i].reason
		}
	}
	if d == weir.Gemini {
		return FinishBroken
	}
	return FinishStop
}

// word is what the dialect d has for r; for a reason that is not on the list it
// is the reason itself.
func (r FinishReason) word(d weir.Dialect) string {
	for i := range finishes {
		if finishes[i].reason != r {
			continue
		}
		if own := finishes[i].in(d); len(own) > 0 {
			return own[0]
		}
		return finishes[0].in(d)[0]
	}
	if d == weir.OpenAIResponses {
		return finishes[0].responses[0]
	}
	return string(r)
}
