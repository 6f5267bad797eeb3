package gateway

import (
	"encoding/json"

	"weir.dev/weir"
)

// endings are the finish reasons that an answer has had, each choice's once.
type endings struct {
	n    int
	seen []int // choices
}

// repeats tells whether an event only says again how choices ended, and notes
// those that are new. Events with output are never in question.
func (e *endings) repeats(d weir.Dialect, data []byte) bool {
	fresh := false
	for _, choice := range finished(d, data) {
		known := false
		for _, s := range e.seen {
			known = known || s == choice
		}
		if !known && len(e.seen) < maxChoices {
			e.seen = append(e.seen, choice)
			fresh = true
		}
	}
	if fresh {
		e.n = len(e.seen)
	}
	return !fresh
}

// maxChoices bounds what an answer can have remembered of itself.
const maxChoices = 128

// finished are the choices that an event gives a finish reason: those of OpenAI
// by their index, the one of any other dialect.
func finished(d weir.Dialect, data []byte) []int {
	if d != weir.OpenAIChat && d != weir.OpenAICompletions {
		return []int{0}
	}
	var e struct {
		Choices []struct {
			Index  int     `json:"index"`
			Finish *string `json:"finish_reason"`
		} `json:"choices"`
	}
	if json.Unmarshal(data, &e) != nil {
		return []int{0}
	}
	var list []int
	for _, c := range e.Choices {
		if c.Finish != nil {
			list = append(list, c.Index)
		}
	}
	return list
}
