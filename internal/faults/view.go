package faults

import (
	"fmt"
	"time"

	"weir.dev/weir"
)

// Ending says how a call ended in its caller's eyes: those of an SDK, which
// reads events and nothing else.
type Ending string

// The endings.
const (
	Whole     Ending = "whole"     // all of Text, or the whole tool call, and a finish reason
	Failed    Ending = "error"     // an error status, or an error event
	Broken    Ending = "broken"    // the connection failed
	Truncated Ending = "truncated" // a part, presented as success
	Different Ending = "different" // a text that no target gave, presented as success
	Garbled   Ending = "garbled"   // bytes that no client can read, presented as success
	Empty     Ending = "empty"     // nothing, presented as success
	Hung      Ending = "hung"      // no end within the limit
	Left      Ending = "left"      // the caller broke it off, as planned
)

// View is what the caller saw of one call.
type View struct {
	Ended       Ending           `json:"ended"`
	EndedAfter  weir.Dur         `json:"ended_ms"`        // from the request on
	FirstOutput weir.Span        `json:"first_output_ms"` // null: none came
	Status      weir.Opt[int]    `json:"status"`          // null: no head came
	Tokens      int              `json:"tokens"`          // right ones, from the beginning
	Finish      weir.Opt[string] `json:"finish_reason"`
	Done        bool             `json:"done"` // the terminal event came
	Model       weir.Opt[string] `json:"model"`
	Usage       weir.Usage       `json:"usage"`
	Error       weir.Opt[string] `json:"error"`
	IDs         int              `json:"ids"`   // different ones in the stream
	Roles       int              `json:"roles"` // events that open an answer
	Bytes       int64            `json:"bytes"` // of the body

	sent, ended, lastOutput time.Time
}

// counts says a usage in words.
func counts(u weir.Usage) string {
	say := func(n weir.Opt[int]) string {
		if v, ok := n.Get(); ok {
			return fmt.Sprint(v)
		}
		return "no"
	}
	return say(u.Prompt) + " prompt and " + say(u.Completion) + " completion tokens"
}

// worst picks the view to judge many calls by.
func worst(views []View) View {
	order := []Ending{Whole, Left, Failed, Broken, Empty, Garbled, Different, Truncated, Hung}
	rank := func(e Ending) int {
		for i, o := range order {
			if o == e {
				return i
			}
		}
		return len(order)
	}
	var w View
	for i, v := range views {
		if i == 0 || rank(v.Ended) > rank(w.Ended) {
			w = v
		}
	}
	return w
}
