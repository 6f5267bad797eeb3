package request

import (
	"strconv"
	"strings"
)

// beginEvent appends an event of Responses up to its sequence number.
func (s *Stream) beginEvent(dst []byte, typ string) []byte {
	dst = append(append(append(dst, "event: "...), typ...), "\ndata: "...)
	dst = appendString(append(dst, `{"type":`...), typ)
	dst = strconv.AppendInt(append(dst, `,"sequence_number":`...), int64(s.sequence), 10)
	s.sequence++
	return dst
}

func (s *Stream) appendCreated(dst []byte, w With) []byte {
	for _, typ := range []string{"response.created", "response.in_progress"} {
		dst = append(s.beginEvent(dst, typ), `,"response":`...)
		dst = endEvent(append(s.appendResponse(dst, "in_progress", With{}), '}'), w)
	}
	return dst
}

// appendResponse appends a response object, its last brace left out.
func (s *Stream) appendResponse(dst []byte, status string, w With) []byte {
	dst = appendString(append(dst, `{"id":`...), s.ID)
	dst = strconv.AppendInt(append(dst, `,"object":"response","created_at":`...), s.Created, 10)
	dst = appendString(append(dst, `,"status":`...), status)
	dst = append(dst, `,"error":null,"incomplete_details":`...)
	if status == statusIncomplete {
		dst = append(dst, `{"reason":"max_output_tokens"}`...)
	} else {
		dst = append(dst, "null"...)
	}
	dst = appendString(append(dst, `,"model":`...), s.Model)
	dst = append(dst, `,"output":[`...)
	if w.Whole != nil {
		dst = s.appendOutput(dst, *w.Whole)
	}
	dst = append(dst, `],"parallel_tool_calls":true,"tool_choice":"auto","tools":[],"usage":`...)
	return appendResponsesUsage(dst, w.Usage)
}

const statusIncomplete = "incomplete"

func statusOf(r FinishReason) string {
	if r == FinishLength {
		return statusIncomplete
	}
	return "completed"
}

// appendOutput appends the items of a whole answer.
func (s *Stream) appendOutput(dst []byte, a Answer) []byte {
	n := 0
	for _, c := range []Channel{Reasoning, Text} {
		text := a.of(c)
		if text == "" {
			continue
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = s.appendItem(dst, n, c, "completed", &text)
		n++
	}
	return dst
}

func (a Answer) of(c Channel) string {
	if c == Reasoning {
		return a.Reasoning
	}
	return a.Text
}

// appendItem appends an output item; without text it is only being opened.
func (s *Stream) appendItem(dst []byte, index int, c Channel, status string, text *string) []byte {
	dst = append(s.appendItemID(append(dst, `{"id":`...), index), `,"type":`...)
	if c == Reasoning {
		dst = append(dst, `"reasoning","summary":[]`...)
	} else {
		dst = append(dst, `"message","role":"assistant"`...)
	}
	dst = append(appendString(append(dst, `,"status":`...), status), `,"content":[`...)
	if text != nil {
		dst = appendContentPart(dst, c, *text)
	}
	return append(dst, "]}"...)
}

func (s *Stream) appendItemID(dst []byte, index int) []byte {
	dst = append(dst, `"item_`...)
	dst = append(dst, strings.TrimPrefix(s.ID, "resp_")...)
	dst = append(dst, '_')
	return append(strconv.AppendInt(dst, int64(index), 10), '"')
}

func appendContentPart(dst []byte, c Channel, text string) []byte {
	if c == Reasoning {
		return append(appendString(append(dst, `{"type":"reasoning_text","text":`...), text), '}')
	}
	return append(appendString(append(dst, `{"type":"output_text","text":`...), text), `,"annotations":[]}`...)
}

// appendPlace appends which item and part of it an event is about.
func (s *Stream) appendPlace(dst []byte) []byte {
	dst = s.appendItemID(append(dst, `,"item_id":`...), s.blocks-1)
	dst = strconv.AppendInt(append(dst, `,"output_index":`...), int64(s.blocks-1), 10)
	return append(dst, `,"content_index":0`...)
}

func (s *Stream) appendItemAdded(dst []byte, c Channel, w With) []byte {
	dst = strconv.AppendInt(append(s.beginEvent(dst, "response.output_item.added"), `,"output_index":`...), int64(s.blocks), 10)
	dst = endEvent(s.appendItem(append(dst, `,"item":`...), s.blocks, c, "in_progress", nil), w)
	s.blocks++
	s.inside, s.block = true, c
	dst = append(s.appendPlace(s.beginEvent(dst, "response.content_part.added")), `,"part":`...)
	return endEvent(appendContentPart(dst, c, ""), w)
}

func (s *Stream) appendItemDelta(dst []byte, c Channel, text string, w With) []byte {
	if !s.inside || s.block != c {
		dst = s.AppendBlockStop(dst, With{NS: w.NS, Whole: w.Whole})
		dst = s.appendItemAdded(dst, c, With{NS: w.NS})
	}
	typ := "response.output_text.delta"
	if c == Reasoning {
		typ = "response.reasoning_text.delta"
	}
	dst = append(s.appendPlace(s.beginEvent(dst, typ)), `,"delta":`...)
	return endEvent(appendString(dst, text), w)
}

func (s *Stream) appendItemDone(dst []byte, w With) []byte {
	s.inside = false
	text, typ := "", "response.output_text.done"
	if w.Whole != nil {
		text = w.Whole.of(s.block)
	}
	if s.block == Reasoning {
		typ = "response.reasoning_text.done"
	}
	dst = append(s.appendPlace(s.beginEvent(dst, typ)), `,"text":`...)
	dst = endEvent(appendString(dst, text), w)
	dst = append(s.appendPlace(s.beginEvent(dst, "response.content_part.done")), `,"part":`...)
	dst = endEvent(appendContentPart(dst, s.block, text), w)
	dst = strconv.AppendInt(append(s.beginEvent(dst, "response.output_item.done"), `,"output_index":`...), int64(s.blocks-1), 10)
	return endEvent(s.appendItem(append(dst, `,"item":`...), s.blocks-1, s.block, "completed", &text), w)
}

func (s *Stream) appendCompleted(dst []byte, r FinishReason, w With) []byte {
	status := statusOf(r)
	dst = append(s.beginEvent(dst, "response."+status), `,"response":`...)
	return endEvent(append(s.appendResponse(dst, status, w), '}'), w)
}

func (s *Stream) appendResponseError(dst []byte, p Problem, w With) []byte {
	dst = appendString(append(s.beginEvent(dst, "error"), `,"code":`...), or(p.Code, openAIType(p.Status)))
	dst = appendString(append(dst, `,"message":`...), p.Message)
	return endEvent(append(dst, `,"param":null`...), w)
}
