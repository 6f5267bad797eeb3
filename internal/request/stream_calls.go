package request

import "weir.dev/weir"

// AppendCall appends the start of a tool call, which needs its ID and Name. Its
// arguments follow as deltas of the channel Call. Completions and gemini have
// none here.
func (s *Stream) AppendCall(dst []byte, b Block, w With) []byte {
	b.Channel = Call
	switch s.Dialect {
	case weir.Anthropic:
		return s.appendBlockStart(s.AppendBlockStop(dst, With{NS: w.NS}), b, w)
	case weir.OpenAIResponses:
		return s.appendItemAdded(s.AppendBlockStop(dst, With{NS: w.NS, Whole: w.Whole}), b, w)
	case weir.OpenAICompletions, weir.Gemini:
		return dst
	}
	return s.appendChatCall(dst, b, w)
}

// AppendSignature appends what a provider wants back beside its reasoning, b's
// Signature or Redacted. It belongs to the reasoning that is open, or opens one
// without text. Responses say it where the item ends: it has to be in the Whole
// that is given there. Chat has it where there is a ThoughtFormat.
func (s *Stream) AppendSignature(dst []byte, b Block, w With) []byte {
	switch s.Dialect {
	case weir.Anthropic:
		return s.appendBlockSignature(dst, b.Signature, w)
	case weir.OpenAIResponses:
		if s.inside && (s.block == Reasoning || s.block == Summary) {
			return dst
		}
		dst = s.AppendBlockStop(dst, With{NS: w.NS, Whole: w.Whole})
		return s.appendItemAdded(dst, Block{Channel: Reasoning, Signature: b.Signature, Redacted: b.Redacted}, w)
	case weir.OpenAICompletions, weir.Gemini:
		return dst
	}
	return s.appendChatSignature(dst, b, w)
}
