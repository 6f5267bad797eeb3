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
		dst = appendString(dst, string(r))
	}
	dst = s.appendChunkUsage(append(dst, "}]"...), w.Usage)
	return append(appendNS(dst, w.NS), "}\n\n"...)
}

func (s *Stream) appendChunkUsage(dst []byte, u *weir.Usage) []byte {
	switch {
	case u != nil:
		return appendChatUsage(append(dst, `,"usage":`...), u)
	case s.NullUsage:
		return append(dst, `,"usage":null`...)
	}
	return dst
}

func appendChatUsage(dst []byte, u *weir.Usage) []byte {
	dst = appendCount(append(dst, '{'), "prompt_tokens", u.Prompt)
	dst = appendCount(dst, "completion_tokens", u.Completion)
	if u.Prompt.Known() && u.Completion.Known() {
		dst = appendCount(dst, "total_tokens", weir.Some(u.Prompt.Or(0)+u.Completion.Or(0)))
	}
	if u.Cached.Known() {
		dst = appendCount(append(dst, `"prompt_tokens_details":{`...), "cached_tokens", u.Cached)
		dst = append(endObject(dst), ',')
	}
	if u.Reasoning.Known() {
		dst = appendCount(append(dst, `"completion_tokens_details":{`...), "reasoning_tokens", u.Reasoning)
		dst = append(endObject(dst), ',')
	}
	return endObject(dst)
}

func (s *Stream) appendCompletion(dst []byte, a Answer, w With) []byte {
	dst = s.beginObject(dst, "chat.completion")
	dst = append(dst, `"choices":[{"index":0,"message":{"role":"assistant","content":`...)
	dst = append(appendString(dst, a.Text), `,"refusal":null`...)
	if a.Reasoning != "" {
		dst = appendString(append(dst, `,"reasoning_content":`...), a.Reasoning)
	}
	dst = appendString(append(dst, `},"logprobs":null,"finish_reason":`...), string(a.Finish))
	dst = append(dst, "}]"...)
	if w.Usage != nil {
		dst = appendChatUsage(append(dst, `,"usage":`...), w.Usage)
	}
	return append(appendNS(dst, w.NS), '}')
}
