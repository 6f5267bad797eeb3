package faults

import "strings"

// Text is every healthy answer: sixty words, a token each, so that whether an
// answer is whole is an exact comparison.
const Text = `A weir is a low wall built across a river to raise the water above it and to measure how much ` +
	`flows over the top at every hour of the day so that mills below can turn, gates can open in time, and ` +
	`nobody downstream is ever surprised by the flood that follows three nights of rain in early spring.`

// Tokens is how many tokens Text has.
const Tokens = 60

// cutAt is after how many tokens a stream is cut.
const cutAt = 40

// tokens cuts Text; each but the first keeps the space before it.
func tokens() []string {
	list := strings.Fields(Text)
	for i := range list[1:] {
		list[i+1] = " " + list[i+1]
	}
	return list
}

// rightTokens counts the tokens of text that are those of Text, from the
// beginning on.
func rightTokens(text string) int {
	for n, t := range tokens() {
		rest, ok := strings.CutPrefix(text, t)
		if !ok {
			return n
		}
		text = rest
	}
	return Tokens
}

// What W10's tool call says.
const (
	toolName      = "set_gate"
	toolArguments = `{"gate":"north","opening_percent":40,"until":"06:00"}`
)
