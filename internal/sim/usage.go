package sim

import (
	"weir.dev/weir"
)

// counts says which token counts an event carries.
type counts uint8

const (
	noUsage counts = iota
	zeroUsage
	runningUsage // of the output so far, which at the end is all
)

// usageIn is what an event of the step carries, if it is the one last yielded.
func (s *schedule) usageIn(step Step) counts {
	form := s.plan.Usage
	every := form == UsageEvery || s.form() == UsageEnd && s.asked.IncludeUsage && s.asked.ContinuousUsage
	switch {
	case step == StepUsage:
		return runningUsage
	case s.anthropic:
		if step == StepOpen || step == StepFinish {
			return runningUsage
		}
	case step != StepOpen && step != StepFinish && !step.output():
	case every, form == UsageFinish && step == StepFinish:
		return runningUsage
	case form == UsageZerosFirst && (step == StepOpen || s.plan.NoRole && step.output() && s.events == 1):
		return zeroUsage
	}
	return noUsage
}

// usageChunk tells whether usage comes in a chunk of its own.
func (s *schedule) usageChunk() bool {
	switch s.form() {
	case UsageEnd, UsageEvery:
		return s.asked.IncludeUsage && !s.anthropic
	case UsageZerosFirst:
		return !s.anthropic
	}
	return false
}

func (s *schedule) form() UsageForm {
	if s.plan.Usage == "" {
		return UsageEnd
	}
	return s.plan.Usage
}

// fill writes the counts of the event just yielded into u, and is nil where it
// carries none.
func (s *schedule) fill(u *weir.Usage, step Step) *weir.Usage {
	switch s.usageIn(step) {
	case noUsage:
		return nil
	case zeroUsage:
		*u = weir.Usage{Prompt: weir.Some(0), Completion: weir.Some(0)}
		return u
	}
	s.sofar(u)
	switch {
	case s.anthropic && step == StepFinish: // the prompt's were in the first event
		u.Prompt = weir.None[int]()
	case s.anthropic: // its API counts one from the start
		u.Completion = weir.Some(1)
	}
	return u
}

// sofar counts what was yielded until now. The prompt's tokens are estimated
// from its characters; the output's are exact.
func (s *schedule) sofar(u *weir.Usage) {
	*u = weir.Usage{Prompt: weir.Some(s.asked.PromptTokens()), Completion: weir.Some(s.tokens)}
	if s.plan.Reasoning > 0 {
		u.Reasoning = weir.Some(min(s.tokens, s.plan.Reasoning))
	}
}
