package request

import (
	"strconv"
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
		dst = endEvent(append(s.appendResponse(dst, "", With{}), '}'), w)
	}
	return dst
}

// appendResponse appends a response object, its last brace left out. Without a
// reason it is in progress.
func (s *Stream) appendResponse(dst []byte, r FinishReason, w With) []byte {
	dst = appendString(append(dst, `{"id":`...), s.ID)
	dst = strconv.AppendInt(append(dst, `,"object":"response","created_at":`...), s.Created, 10)
	dst = appendString(append(dst, `,"status":`...), statusOf(r))
	dst = append(dst, `,"error":null,"incomplete_details":`...)
	if statusOf(r) == statusIncomplete {
		dst = append(appendString(append(dst, `{"reason":`...), r.word(s.Dialect)), '}')
	} else {
		dst = append(dst, "null"...)
	}
	dst = appendString(append(dst, `,"model":`...), s.Model)
	dst = append(dst, `,"output":[`...)
	if w.Whole != nil {
		dst = s.appendOutput(dst, w.Whole.parts())
	}
	dst = append(dst, `],"parallel_tool_calls":true`...)
	if s.TextFormat != nil {
		dst = append(append(dst, `,"text":`...), s.TextFormat...)
	}
	dst = append(dst, `,"tool_choice":"auto","tools":[],"usage":`...)
	return appendResponsesUsage(dst, w.Usage)
}

const (
	statusInProgress = "in_progress"
	statusIncomplete = "incomplete"
	statusCompleted  = "completed"
)

func statusOf(r FinishReason) string {
	switch r {
	case "":
		return statusInProgress
	case FinishLength, FinishFilter:
		return statusIncomplete
	}
	return statusCompleted
}

func (s *Stream) appendCompleted(dst []byte, r FinishReason, w With) []byte {
	if r == "" {
		r = FinishStop
	}
	dst = append(s.beginEvent(dst, "response."+statusOf(r)), `,"response":`...)
	return endEvent(append(s.appendResponse(dst, r, w), '}'), w)
}

// appendResponseError says the error twice: beside the type, as it is
// documented, and in an object, as OpenAI's servers send it. Its clients raise
// only the second as an exception, and give their caller the first as one more
// event.
func (s *Stream) appendResponseError(dst []byte, p Problem, w With) []byte {
	said := func(dst []byte) []byte {
		dst = appendString(append(dst, `"code":`...), or(p.Code, openAIType(p.Status)))
		dst = appendString(append(dst, `,"message":`...), p.Message)
		return append(dst, `,"param":null`...)
	}
	dst = append(said(append(s.beginEvent(dst, "error"), ',')), `,"error":{"type":`...)
	dst = append(appendString(dst, or(p.Type, openAIType(p.Status))), ',')
	return endEvent(append(said(dst), '}'), w)
}
