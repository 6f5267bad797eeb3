package request

import (
	"strconv"

	"weir.dev/weir"
)

// beginObject appends the members that every chunk and body of OpenAI's chat
// API begins with.
func (s *Stream) beginObject(dst []byte, object string) []byte {
	dst = appendString(append(dst, `{"id":`...), s.ID)
	dst = appendString(append(dst, `,"object":`...), object)
	dst = strconv.AppendInt(append(dst, `,"created":`...), s.Created, 10)
	dst = appendString(append(dst, `,"model":`...), s.Model)
	return append(dst, ',')
}

// beginChunk appends a chunk up to the inside of its delta.
func (s *Stream) beginChunk(dst []byte) []byte {
	dst = s.beginObject(append(dst, "data: "...), "chat.completion.chunk")
	return append(dst, `"choices":[{"index":0,"delta":{`...)
}

// endChunk appends a chunk from the end of its delta on; no reason is null.
func (s *Stream) endChunk(dst []byte, r FinishReason, w With) []byte {
	dst = append(dst, `},"logprobs":null,"finish_reason":`...)
	if r == "" {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, r.word(s.Dialect))
	}
	dst = s.appendChunkUsage(append(dst, "}]"...), w.Usage)
	return append(appendNS(dst, w.NS), "}\n\n"...)
}

func (s *Stream) appendChunkUsage(dst []byte, u *weir.Usage) []byte {
	switch {
	case u != nil:
		return s.appendChatUsage(append(dst, `,"usage":`...), u)
	case s.NullUsage:
		return append(dst, `,"usage":null`...)
	}
	return dst
}

func (s *Stream) appendChatUsage(dst []byte, u *weir.Usage) []byte {
	dst = appendCount(append(dst, '{'), "prompt_tokens", u.Prompt)
	dst = appendCount(dst, "completion_tokens", u.Completion)
	if u.Prompt.Known() && u.Completion.Known() {
		dst = appendCount(dst, "total_tokens", weir.Some(u.Prompt.Or(0)+u.Completion.Or(0)))
	}
	if u.Cached.Known() || u.CacheWrite.Known() {
		dst = appendCount(append(dst, `"prompt_tokens_details":{`...), "cached_tokens", u.Cached)
		dst = append(endObject(appendCount(dst, "cache_write_tokens", u.CacheWrite)), ',')
	}
	if u.Reasoning.Known() {
		dst = appendCount(append(dst, `"completion_tokens_details":{`...), "reasoning_tokens", u.Reasoning)
		dst = append(endObject(dst), ',')
	}
	if hit, ok := u.Cached.Get(); ok && s.HitMiss {
		dst = appendCount(dst, "prompt_cache_hit_tokens", u.Cached)
		dst = appendCount(dst, "prompt_cache_miss_tokens", weir.Some(u.Prompt.Or(hit)-hit))
	}
	return endObject(dst)
}

func (s *Stream) appendChatDelta(dst []byte, c Channel, text string, w With) []byte {
	dst = s.beginRole(dst)
	switch c {
	case Call:
		dst = strconv.AppendInt(append(dst, `"tool_calls":[{"index":`...), int64(s.calls-1), 10)
		dst = append(appendString(append(dst, `,"function":{"arguments":`...), text), "}}]"...)
	case Refusal:
		dst = appendString(append(dst, `"refusal":`...), text)
	case Reasoning:
		dst = appendString(append(dst, `"reasoning_content":`...), text)
		if s.ThoughtFormat != "" {
			dst = append(dst, `,"reasoning_details":[`...)
			dst = append(s.appendThought(dst, s.thoughts, Block{Text: text}), ']')
		}
	default:
		dst = appendString(append(dst, `"content":`...), text)
	}
	return s.endChunk(dst, "", w)
}

// beginRole appends a chunk up to the inside of its delta, which says the role
// if none did before.
func (s *Stream) beginRole(dst []byte) []byte {
	dst = s.beginChunk(dst)
	if !s.opened {
		s.opened = true
		dst = append(dst, `"role":"assistant",`...)
	}
	return dst
}

// appendThought appends an element of reasoning_details, in OpenRouter's form.
func (s *Stream) appendThought(dst []byte, index int, b Block) []byte {
	if b.Redacted != "" {
		dst = appendString(append(dst, `{"type":"reasoning.encrypted","data":`...), b.Redacted)
	} else {
		dst = append(dst, `{"type":"reasoning.text"`...)
	}
	if b.Text != "" {
		dst = appendString(append(dst, `,"text":`...), b.Text)
	}
	if b.Signature != "" {
		dst = appendString(append(dst, `,"signature":`...), b.Signature)
	}
	dst = appendString(append(dst, `,"format":`...), s.ThoughtFormat)
	dst = strconv.AppendInt(append(dst, `,"index":`...), int64(index), 10)
	return append(dst, '}')
}

func (s *Stream) appendChatSignature(dst []byte, b Block, w With) []byte {
	if s.ThoughtFormat == "" {
		return dst
	}
	dst = append(s.beginRole(dst), `"reasoning_details":[`...)
	dst = append(s.appendThought(dst, s.thoughts, Block{Signature: b.Signature, Redacted: b.Redacted}), ']')
	s.thoughts++
	return s.endChunk(dst, "", w)
}

func (s *Stream) appendChatCall(dst []byte, b Block, w With) []byte {
	dst = strconv.AppendInt(append(s.beginRole(dst), `"tool_calls":[{"index":`...), int64(s.calls), 10)
	s.calls++
	b.Text = ""
	return s.endChunk(append(appendChatFunction(append(dst, ','), b), ']'), "", w)
}

// appendChatFunction appends a call's members and its last brace. Google's own
// chat endpoint has the signature where this has it.
func appendChatFunction(dst []byte, b Block) []byte {
	dst = appendString(append(dst, `"id":`...), b.ID)
	dst = appendString(append(dst, `,"type":"function","function":{"name":`...), b.Name)
	dst = append(appendString(append(dst, `,"arguments":`...), b.Text), '}')
	if b.Signature != "" {
		dst = appendString(append(dst, `,"extra_content":{"google":{"thought_signature":`...), b.Signature)
		dst = append(dst, "}}"...)
	}
	return append(dst, '}')
}

func (s *Stream) appendCompletion(dst []byte, a Answer, w With) []byte {
	parts := a.parts()
	dst = s.beginObject(dst, "chat.completion")
	dst = append(dst, `"choices":[{"index":0,"message":{"role":"assistant","content":`...)
	dst = s.appendMessageParts(dst, parts)
	dst = appendString(append(dst, `},"logprobs":null,"finish_reason":`...), a.Finish.word(s.Dialect))
	dst = append(dst, "}]"...)
	if w.Usage != nil {
		dst = s.appendChatUsage(append(dst, `,"usage":`...), w.Usage)
	}
	return append(appendNS(dst, w.NS), '}')
}

// appendMessageParts appends a message's members from its content's value on.
// A message of nothing but calls has no content.
func (s *Stream) appendMessageParts(dst []byte, parts []Block) []byte {
	text, thought, refusal := joined(parts, Text, s.Dialect), joined(parts, Reasoning, s.Dialect), joined(parts, Refusal, s.Dialect)
	calls := 0
	for _, b := range parts {
		if b.Channel == Call {
			calls++
		}
	}
	if text == "" && (calls > 0 || refusal != "") {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, text)
	}
	if dst = append(dst, `,"refusal":`...); refusal == "" {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, refusal)
	}
	if thought != "" {
		dst = appendString(append(dst, `,"reasoning_content":`...), thought)
	}
	dst = s.appendThoughts(dst, parts)
	if calls > 0 {
		dst = append(dst, `,"tool_calls":[`...)
		for _, b := range parts {
			if b.Channel == Call {
				dst = append(appendChatFunction(append(dst, '{'), b), ',')
			}
		}
		dst[len(dst)-1] = ']'
	}
	return dst
}

func (s *Stream) appendThoughts(dst []byte, parts []Block) []byte {
	if s.ThoughtFormat == "" {
		return dst
	}
	n := 0
	for _, b := range parts {
		if b.Channel.in(s.Dialect) != Reasoning {
			continue
		}
		if n == 0 {
			dst = append(dst, `,"reasoning_details":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = s.appendThought(dst, n, b)
		n++
	}
	if n > 0 {
		dst = append(dst, ']')
	}
	return dst
}
