package request

import (
	"strconv"

	"weir.dev/weir"
)

// appendMessageHead appends a message's members up to its content's value.
func (s *Stream) appendMessageHead(dst []byte) []byte {
	dst = appendString(append(dst, `{"id":`...), s.ID)
	dst = appendString(append(dst, `,"type":"message","role":"assistant","model":`...), s.Model)
	return append(dst, `,"content":`...)
}

func (s *Stream) appendMessageStart(dst []byte, w With) []byte {
	dst = append(dst, `event: message_start
data: {"type":"message_start","message":`...)
	dst = s.appendMessageHead(dst)
	dst = append(dst, `[],"stop_reason":null,"stop_sequence":null`...)
	dst = append(appendMessageUsage(dst, w.Usage), '}')
	return endEvent(dst, w)
}

func (s *Stream) appendBlockStart(dst []byte, c Channel, w With) []byte {
	dst = append(dst, `event: content_block_start
data: {"type":"content_block_start","index":`...)
	dst = strconv.AppendInt(dst, int64(s.blocks), 10)
	if c == Reasoning {
		dst = append(dst, `,"content_block":{"type":"thinking","thinking":"","signature":""}`...)
	} else {
		dst = append(dst, `,"content_block":{"type":"text","text":""}`...)
	}
	s.blocks++
	s.inside, s.block = true, c
	return endEvent(dst, w)
}

func (s *Stream) appendBlockStop(dst []byte, w With) []byte {
	dst = append(dst, `event: content_block_stop
data: {"type":"content_block_stop","index":`...)
	dst = strconv.AppendInt(dst, int64(s.blocks-1), 10)
	s.inside = false
	return endEvent(dst, w)
}

func (s *Stream) appendBlockDelta(dst []byte, c Channel, text string, w With) []byte {
	if !s.inside || s.block != c {
		dst = s.AppendBlockStop(dst, With{NS: w.NS})
		dst = s.appendBlockStart(dst, c, With{NS: w.NS})
	}
	dst = append(dst, `event: content_block_delta
data: {"type":"content_block_delta","index":`...)
	dst = strconv.AppendInt(dst, int64(s.blocks-1), 10)
	if c == Reasoning {
		dst = append(dst, `,"delta":{"type":"thinking_delta","thinking":`...)
	} else {
		dst = append(dst, `,"delta":{"type":"text_delta","text":`...)
	}
	return endEvent(append(appendString(dst, text), '}'), w)
}

func (s *Stream) appendMessageDelta(dst []byte, r FinishReason, w With) []byte {
	dst = append(dst, `event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":`...)
	dst = appendString(dst, stopReason(r))
	dst = append(dst, `,"stop_sequence":null}`...)
	return endEvent(appendMessageUsage(dst, w.Usage), w)
}

func appendMessageStop(dst []byte, w With) []byte {
	return endEvent(append(dst, `event: message_stop
data: {"type":"message_stop"`...), w)
}

// endEvent closes the data object of an event.
func endEvent(dst []byte, w With) []byte { return append(appendNS(dst, w.NS), "}\n\n"...) }

// stopReason is Anthropic's word.
func stopReason(r FinishReason) string {
	switch r {
	case FinishStop:
		return "end_turn"
	case FinishLength:
		return "max_tokens"
	}
	return string(r)
}

// appendMessageUsage appends a usage member. Anthropic counts what came from
// the cache and what was written to it apart from the rest of the input.
func appendMessageUsage(dst []byte, u *weir.Usage) []byte {
	if u == nil {
		return dst
	}
	dst = append(dst, `,"usage":{`...)
	if prompt, ok := u.Prompt.Get(); ok {
		dst = appendCount(dst, "input_tokens", weir.Some(prompt-u.Cached.Or(0)-u.CacheWrite.Or(0)))
	}
	dst = appendCount(dst, "cache_creation_input_tokens", u.CacheWrite)
	dst = appendCount(dst, "cache_read_input_tokens", u.Cached)
	dst = appendCount(dst, "output_tokens", u.Completion)
	return endObject(dst)
}

func (s *Stream) appendMessage(dst []byte, a Answer, w With) []byte {
	dst = append(s.appendMessageHead(dst), '[')
	if a.Reasoning != "" {
		dst = appendString(append(dst, `{"type":"thinking","thinking":`...), a.Reasoning)
		dst = append(dst, `,"signature":""}`...)
	}
	if a.Reasoning != "" && a.Text != "" {
		dst = append(dst, ',')
	}
	if a.Text != "" {
		dst = append(appendString(append(dst, `{"type":"text","text":`...), a.Text), '}')
	}
	dst = appendString(append(dst, `],"stop_reason":`...), stopReason(a.Finish))
	dst = append(dst, `,"stop_sequence":null`...)
	return append(appendNS(appendMessageUsage(dst, w.Usage), w.NS), '}')
}
