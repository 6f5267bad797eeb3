package translate

import (
	"fmt"
	"slices"

	"weir.dev/weir"
)

// thinking is how long a model is to think before it answers.
type thinking struct {
	path     string
	effort   string        // "": not said; none, minimal, low, medium, high, xhigh or max
	budget   weir.Opt[int] // tokens
	adaptive bool          // as long as the model sees fit
	show     bool          // the caller wants to read it
}

func (t thinking) isSet() bool { return t.effort != "" || t.budget.Known() || t.adaptive }

// Google's own table for its chat endpoint, read in both directions.
const (
	budgetLow    = 1024
	budgetMedium = 8192
	budgetHigh   = 24576
)

// leastBudget is the smallest that Anthropic takes.
const leastBudget = 1024

// word is the effort as a word; "" where none was said.
func (t thinking) word() string {
	n, ok := t.budget.Get()
	switch {
	case t.effort != "" || !ok:
		return t.effort
	case n <= budgetLow:
		return "low"
	case n <= budgetMedium:
		return "medium"
	}
	return "high"
}

// tokens is the effort as a budget.
func (t thinking) tokens() int {
	if n, ok := t.budget.Get(); ok {
		return n
	}
	switch t.effort {
	case "none":
		return 0
	case "minimal", "low":
		return budgetLow
	case "medium", "":
		return budgetMedium
	}
	return budgetHigh
}

// isKnownEffort tells whether a word can be translated at all.
func isKnownEffort(word string) bool {
	switch word {
	case "", "none", "minimal", "low", "medium", "high", "xhigh", "max":
		return true
	}
	return false
}

// checkEffort refuses a word that only the caller's provider knows.
func (e *encoding) checkEffort() {
	if !isKnownEffort(e.thinking.effort) {
		e.refuse(e.thinking.path, "the effort "+e.thinking.effort+" is not translated", "none, minimal, low, medium, high, xhigh or max")
	}
}

// anthropicThinking writes both halves of what Anthropic has for it.
func (e *encoding) anthropicThinking(r *anthropicRequest) {
	t := e.thinking
	switch {
	case !t.isSet():
		return
	case t.effort == "none":
		r.Thinking = &anthropicThinking{Type: "disabled"}
	case !e.options.ThinkingBudget:
		r.Thinking = &anthropicThinking{Type: "adaptive"}
		if t.show {
			r.Thinking.Display = "summarized"
		}
		r.config().Effort = anthropicEffort(t.effort)
	case e.lacksThought():
		e.drop(t.path)
	default:
		// A caller's limit holds what is thought too: half of it is the answer's.
		budget := min(t.tokens(), r.MaxTokens/2)
		if budget < leastBudget {
			e.refuse(t.path, fmt.Sprintf("thinking needs a limit of %d tokens or more, and it is %d", 2*leastBudget, r.MaxTokens), "raise the limit, or leave it out")
		}
		r.Thinking = &anthropicThinking{Type: "enabled", Budget: budget}
	}
}

func anthropicEffort(word string) string {
	if word == "minimal" {
		return "low"
	}
	return word
}

// lacksThought tells whether the assistant is in the middle of calling tools
// without a signed thought before it, as after a failover from another
// provider. A model that thinks by a budget then refuses to think.
func (e *encoding) lacksThought() bool {
	for _, t := range slices.Backward(e.turns) {
		switch {
		case t.role == assistant:
			return !slices.ContainsFunc(t.parts, func(p part) bool { return p.kind == reasoning && p.signature.owner == weir.Anthropic })
		case t.role != user || t.parts[0].kind != result:
			return false
		}
	}
	return false
}

func (e *encoding) geminiThinking() *geminiThinking {
	t := e.thinking
	if !t.isSet() && !t.show {
		return nil
	}
	g := &geminiThinking{Include: t.show}
	word := t.word()
	switch {
	case word == "none":
		g.Include, g.Budget = false, new(int)
	case word == "":
	case e.options.ThinkingBudget:
		n := t.tokens()
		g.Budget = &n
	case word == "xhigh" || word == "max":
		g.Level = "high"
	default:
		g.Level = word
	}
	return g
}
