package sim

import (
	"net/http"
	"strings"

	"weir.dev/weir"
)

// arranged is the whole schedule as it is carried out: event by event, held
// back to the end of a buffered stream, or as one body.
func arranged(s schedule) []Event {
	if whole(&s) {
		return []Event{asBody(s)}
	}
	end := s.end().At
	var all []Event
	for e, ok := s.next(); ok; e, ok = s.next() {
		if s.plan.Buffer {
			e.At, e.Stall = end, 0
		}
		all = append(all, e)
	}
	return all
}

// asBody is the one event of an answer that is not streamed. An error inside
// the stream becomes a status.
func asBody(s schedule) Event {
	last := s.end()
	switch last.Step {
	case StepStatus, StepCut:
		return last
	case StepError:
		return Event{At: last.At, Step: StepStatus, Status: http.StatusInternalServerError}
	}
	text, reasoning := s.rest()
	body := Event{At: last.At, Step: StepWhole, Kind: weir.TickFinish, Text: text, Tokens: s.tokens}
	if text != "" {
		body.Kind |= weir.TickText
	}
	if reasoning != "" {
		body.Kind |= weir.TickReasoning
	}
	return body
}

// end is the last event that s will yield. s, a copy, stays where it is.
func (s schedule) end() (last Event) {
	for e, ok := s.next(); ok; e, ok = s.next() {
		last = e
	}
	return last
}

// rest yields all events and returns their text.
func (s *schedule) rest() (text, reasoning string) {
	var t, r strings.Builder
	for e, ok := s.next(); ok; e, ok = s.next() {
		switch e.Step {
		case StepText:
			t.WriteString(e.Text)
		case StepReasoning:
			r.WriteString(e.Text)
		}
	}
	return t.String(), r.String()
}
