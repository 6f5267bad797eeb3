package main

import (
	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/internal/stored"
)

// contentFlags say whether prompts and answers are kept; off, nothing of them
// is.
type contentFlags struct {
	SaveContent bool `name:"save-content" help:"With --save: keep prompts and answers too, beside the traces. They may hold personal data."`
}

// checkContent refuses the flag where there is no folder to keep content in.
func (f contentFlags) checkContent(save *string) error {
	if f.SaveContent && save == nil {
		return usage("--save-content keeps prompts and answers in the folder of --save: name that too")
	}
	return nil
}

// keepContent has a run's content written to its folder, if it is wanted.
func (f contentFlags) keepContent(cfg *bench.Config, folder *stored.Writer) error {
	if !f.SaveContent {
		return nil
	}
	if err := folder.KeepContent(cfg.Targets); err != nil {
		return usage("--save-content: %v", err)
	}
	cfg.OnContent = func(c *bench.Content) { folder.AddContent(c.Target, contentOf(c)) }
	return nil
}

// contentOf is the form in which content is kept.
func contentOf(c *bench.Content) *stored.Content {
	out := &stored.Content{ID: c.ID, Request: c.Request}
	if c.RawError != nil {
		out.RawError = weir.Some(string(c.RawError))
	}
	if !c.Answered {
		return out
	}
	out.Answer = &stored.Answer{Cut: c.Answer.Cut}
	if c.Finish != "" {
		out.Answer.Finish = weir.Some(c.Finish)
	}
	for _, one := range c.Answer.Choices {
		choice := choiceOf(one)
		if one.Index == 0 {
			out.Answer.ChoiceContent = choice
		}
		if len(c.Answer.Choices) > 1 {
			out.Answer.Choices = append(out.Answer.Choices, choice)
		}
	}
	return out
}

func choiceOf(c *dialect.ChoiceText) stored.ChoiceContent {
	out := stored.ChoiceContent{Index: c.Index, Text: string(c.Text), Reasoning: string(c.Reasoning), Refusal: string(c.Refusal)}
	for _, call := range c.Calls {
		out.ToolCalls = append(out.ToolCalls, stored.ToolContent{ID: call.ID, Name: string(call.Name), Arguments: string(call.Arguments)})
	}
	return out
}
