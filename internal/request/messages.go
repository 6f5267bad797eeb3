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
	dst = append(s.appendMessageUsage(dst, w.Usage), '}')
	return endEvent(dst, w)
}

func (s *Stream) appendBlockStart(dst []byte, b Block, w With) []byte {
	dst = append(dst, `event: content_block_start
data: {"type":"content_block_start","index":`...)
	dst = strconv.AppendInt(dst, int64(s.blocks), 10)
	dst = append(dst, `,"content_block":`...)
	dst = appendContentBlock(dst, Block{Channel: b.Channel, ID: b.ID, Name: b.Name})
	s.blocks++
	s.inside, s.block = true, b.Channel
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
		dst = s.appendBlockStart(dst, Block{Channel: c}, With{NS: w.NS})
	}
	dst = append(dst, `event: content_block_delta
data: {"type":"content_block_delta","index":`...)
	dst = strconv.AppendInt(dst, int64(s.blocks-1), 10)
	switch c {
	case Reasoning:
		dst = append(dst, `,"delta":{"type":"thinking_delta","thinking":`...)
	case Call:
		dst = append(dst, `,"delta":{"type":"input_json_delta","partial_json":`...)
	default:
		dst = append(dst, `,"delta":{"type":"text_delta","text":`...)
	}
	return endEvent(append(appendString(dst, text), '}'), w)
}

func (s *Stream) appendBlockSignature(dst []byte, signature string, w With) []byte {
	if !s.inside || s.block != Reasoning {
		dst = s.AppendBlockStop(dst, With{NS: w.NS})
		dst = s.appendBlockStart(dst, Block{Channel: Reasoning}, With{NS: w.NS})
	}
	dst = append(dst, `event: content_block_delta
data: {"type":"content_block_delta","index":`...)
	dst = strconv.AppendInt(dst, int64(s.blocks-1), 10)
	dst = append(dst, `,"delta":{"type":"signature_delta","signature":`...)
	return endEvent(append(appendString(dst, signature), '}'), w)
}

func (s *Stream) appendMessageDelta(dst []byte, r FinishReason, w With) []byte {
	dst = append(dst, `event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":`...)
	dst = appendString(dst, r.word(weir.Anthropic))
	dst = append(dst, `,"stop_sequence":null}`...)
	return endEvent(s.appendMessageUsage(dst, w.Usage), w)
}

func appendMessageStop(dst []byte, w With) []byte {
	return endEvent(append(dst, `event: message_stop
data: {"type":"message_stop"`...), w)
}

// endEvent closes the data object of an event.
func endEvent(dst []byte, w With) []byte { return append(appendNS(dst, w.NS), "}\n\n"...) }

// appendMessageUsage appends a usage member. Anthropic counts what came from
// the cache and what was written to it apart from the rest of the input.
func (s *Stream) appendMessageUsage(dst []byte, u *weir.Usage) []byte {
	if u == nil {
		return dst
	}
	dst = append(dst, `,"usage":{`...)
	if prompt, ok := u.Prompt.Get(); ok {
		dst = appendCount(dst, "input_tokens", weir.Some(max(0, prompt-u.Cached.Or(0)-u.CacheWrite.Or(0))))
	}
	dst = appendCount(dst, "cache_creation_input_tokens", u.CacheWrite)
	dst = appendCount(dst, "cache_read_input_tokens", u.Cached)
	if written, ok := u.CacheWrite.Get(); ok {
		dst = append(dst, `"cache_creation":{`...)
		dst = appendCount(dst, "ephemeral_5m_input_tokens", weir.Some(written-s.HourWrite))
		dst = appendCount(dst, "ephemeral_1h_input_tokens", weir.Some(s.HourWrite))
		dst = append(endObject(dst), ',')
	}
	dst = appendCount(dst, "output_tokens", u.Completion)
	if u.Reasoning.Known() {
		dst = appendCount(append(dst, `"output_tokens_details":{`...), "thinking_tokens", u.Reasoning)
		dst = append(endObject(dst), ',')
	}
	return endObject(dst)
}

func (s *Stream) appendMessage(dst []byte, a Answer, w With) []byte {
	dst = append(s.appendMessageHead(dst), '[')
	for i, b := range a.parts() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendContentBlock(dst, b)
	}
	dst = appendString(append(dst, `],"stop_reason":`...), a.Finish.word(weir.Anthropic))
	dst = append(dst, `,"stop_sequence":null`...)
	return append(appendNS(s.appendMessageUsage(dst, w.Usage), w.NS), '}')
}

// appendContentBlock appends a block of a message. What a call was given is
// JSON in JSON here, so it has to be sound.
func appendContentBlock(dst []byte, b Block) []byte {
	switch b.Channel.in(weir.Anthropic) {
	case Reasoning:
		dst = appendString(append(dst, `{"type":"thinking","thinking":`...), b.Text)
		return append(appendString(append(dst, `,"signature":`...), b.Signature), '}')
	case Call:
		dst = appendString(append(dst, `{"type":"tool_use","id":`...), b.ID)
		dst = appendString(append(dst, `,"name":`...), b.Name)
		return append(append(append(dst, `,"input":`...), or(b.Text, "{}")...), '}')
	}
	return append(appendString(append(dst, `{"type":"text","text":`...), b.Text), '}')
}
