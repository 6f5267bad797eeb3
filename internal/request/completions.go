package request

import "weir.dev/weir"

// appendTextChoice appends the one choice of the completions dialect.
func appendTextChoice(dst []byte, text string, r FinishReason) []byte {
	dst = appendString(append(dst, `"choices":[{"index":0,"text":`...), text)
	dst = append(dst, `,"logprobs":null,"finish_reason":`...)
	if r == "" {
		return append(dst, "null}]"...)
	}
	return append(appendString(dst, r.word(weir.OpenAICompletions)), "}]"...)
}

func (s *Stream) appendTextChunk(dst []byte, text string, r FinishReason, w With) []byte {
	dst = s.beginObject(append(dst, "data: "...), "text_completion")
	dst = s.appendChunkUsage(appendTextChoice(dst, text, r), w.Usage)
	return append(appendNS(dst, w.NS), "}\n\n"...)
}

func (s *Stream) appendTextCompletion(dst []byte, a Answer, w With) []byte {
	dst = appendTextChoice(s.beginObject(dst, "text_completion"), a.Reasoning+a.Text, a.Finish)
	if w.Usage != nil {
		dst = s.appendChatUsage(append(dst, `,"usage":`...), w.Usage)
	}
	return append(appendNS(dst, w.NS), '}')
}

// appendResponsesUsage appends a usage object under the names of Responses.
func appendResponsesUsage(dst []byte, u *weir.Usage) []byte {
	if u == nil {
		return append(dst, "null"...)
	}
	dst = appendCount(append(dst, '{'), "input_tokens", u.Prompt)
	dst = appendCount(append(dst, `"input_tokens_details":{`...), "cached_tokens", weir.Some(u.Cached.Or(0)))
	dst = appendCount(dst, "cache_write_tokens", u.CacheWrite)
	dst = appendCount(append(endObject(dst), ','), "output_tokens", u.Completion)
	dst = appendCount(append(dst, `"output_tokens_details":{`...), "reasoning_tokens", weir.Some(u.Reasoning.Or(0)))
	dst = appendCount(append(endObject(dst), ','), "total_tokens", weir.Some(u.Prompt.Or(0)+u.Completion.Or(0)))
	return endObject(dst)
}
