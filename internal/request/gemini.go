package request

import "weir.dev/weir"

// appendCandidateChunk appends one chunk of a stream. The chunk with the reason
// is the last.
func (s *Stream) appendCandidateChunk(dst []byte, a Answer, w With) []byte {
	if !s.Array {
		return append(s.appendCandidate(append(dst, "data: "...), a, w), "\n\n"...)
	}
	if s.opened {
		dst = append(dst, ",\n"...)
	} else {
		dst = append(dst, '[')
	}
	s.opened = true
	if dst = s.appendCandidate(dst, a, w); a.Finish != "" {
		dst = append(dst, ']')
	}
	return dst
}

// appendCandidate appends a GenerateContentResponse: a chunk of a stream and a
// whole answer have the same form.
func (s *Stream) appendCandidate(dst []byte, a Answer, w With) []byte {
	dst = append(dst, `{"candidates":[{"content":{"parts":[`...)
	if a.Reasoning != "" {
		dst = append(appendString(append(dst, `{"text":`...), a.Reasoning), `,"thought":true}`...)
	}
	if a.Reasoning != "" && a.Text != "" {
		dst = append(dst, ',')
	}
	if a.Text != "" || a.Reasoning == "" {
		dst = append(appendString(append(dst, `{"text":`...), a.Text), '}')
	}
	dst = append(dst, `],"role":"model"}`...)
	if a.Finish != "" {
		dst = appendString(append(dst, `,"finishReason":`...), a.Finish.word(weir.Gemini))
	}
	dst = append(dst, `,"index":0}]`...)
	if w.Usage != nil {
		dst = appendGeminiUsage(append(dst, `,"usageMetadata":`...), w.Usage)
	}
	dst = appendString(append(dst, `,"modelVersion":`...), s.Model)
	dst = appendString(append(dst, `,"responseId":`...), s.ID)
	return append(appendNS(dst, w.NS), '}')
}

// appendGeminiUsage counts thoughts apart from the candidates.
func appendGeminiUsage(dst []byte, u *weir.Usage) []byte {
	dst = appendCount(append(dst, '{'), "promptTokenCount", u.Prompt)
	if u.Cached.Or(0) > 0 { // left out where nothing was
		dst = appendCount(dst, "cachedContentTokenCount", u.Cached)
	}
	if completion, ok := u.Completion.Get(); ok {
		dst = appendCount(dst, "candidatesTokenCount", weir.Some(completion-u.Reasoning.Or(0)))
	}
	if u.Reasoning.Or(0) > 0 {
		dst = appendCount(dst, "thoughtsTokenCount", u.Reasoning)
	}
	dst = appendCount(dst, "totalTokenCount", weir.Some(u.Prompt.Or(0)+u.Completion.Or(0)))
	return endObject(dst)
}
