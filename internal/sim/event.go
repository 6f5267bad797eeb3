package sim

import (
	"fmt"
	"time"

	"weir.dev/weir"
)

// Event is one write of a response: when it is due and what it is.
type Event struct {
	At     time.Duration // due, after the request's arrival
	Step   Step
	Kind   weir.TickKind // what a reader of the stream takes it for; 0 for what carries nothing, and for no event
	Text   string        // generated text; of a StepWhole the answer's only
	Tokens int           // output tokens in it
	Stall  time.Duration // the part of the wait before it that is the plan's stall
	Status int           // HTTP status of a StepStatus
}

// Step says what is written.
type Step uint8

// The steps. One stream has them in this order, with deltas mixed.
const (
	StepOpen       Step = iota // OpenAI's role chunk, Anthropic's message_start
	StepBlockStart             // Anthropic's content_block_start
	StepReasoning              // generated reasoning
	StepText                   // generated text
	StepBlockStop              // Anthropic's content_block_stop
	StepFinish                 // the finish reason
	StepUsage                  // OpenAI's usage chunk
	StepDone                   // the terminal event
	StepError                  // an error inside the stream, the end
	StepCut                    // nothing is written: the connection is aborted
	StepStatus                 // the whole response is an error with a status
	StepWhole                  // the whole response is one JSON body
)

// String implements fmt.Stringer.
func (s Step) String() string {
	names := [...]string{
		"open", "block_start", "reasoning", "text", "block_stop", "finish", "usage", "done", "error", "cut", "status", "whole",
	}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("step %d", uint8(s))
}

// kind is what a reader takes the step for, usage apart.
func (s Step) kind() weir.TickKind {
	switch s {
	case StepOpen:
		return weir.TickRole
	case StepReasoning:
		return weir.TickReasoning
	case StepText:
		return weir.TickText
	case StepFinish:
		return weir.TickFinish
	case StepDone:
		return weir.TickDone
	case StepError:
		return weir.TickError
	}
	return 0
}

func (s Step) output() bool { return s == StepText || s == StepReasoning }
