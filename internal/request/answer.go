package request

import (
	"strings"

	"weir.dev/weir"
)

// Answer is a whole answer.
type Answer struct {
	Text      string
	Reasoning string // empty: none
	Finish    FinishReason

	// Blocks are an answer that has more to it than reasoning and then text, in
	// its order. Where there are any, Text and Reasoning are not looked at.
	Blocks []Block
}

// Block is a part of an answer.
type Block struct {
	Channel   Channel
	Text      string // of a call: its arguments, which are JSON
	ID, Name  string // of a call
	Signature string // of reasoning: what its provider wants back beside it. In chat, of a call: Google's
	Redacted  string // of reasoning, instead of its text: what only its provider can read
}

// with is a part of an answer, of one channel.
func (a Answer) with(c Channel, text string) Answer {
	if c == Reasoning {
		a.Reasoning = text
	} else {
		a.Text = text
	}
	return a
}

// parts are the answer's blocks.
func (a *Answer) parts() []Block {
	if a.Blocks != nil {
		return a.Blocks
	}
	var parts []Block
	if a.Reasoning != "" {
		parts = append(parts, Block{Channel: Reasoning, Text: a.Reasoning})
	}
	if a.Text != "" {
		parts = append(parts, Block{Channel: Text, Text: a.Text})
	}
	return parts
}

// last is the block that is open while the answer is being written.
func (a *Answer) last(c Channel) Block {
	switch {
	case a == nil:
		return Block{Channel: c}
	case len(a.Blocks) > 0:
		return a.Blocks[len(a.Blocks)-1]
	case c == Reasoning:
		return Block{Channel: c, Text: a.Reasoning}
	}
	return Block{Channel: c, Text: a.Text}
}

// joined is all text of a channel, as the dialect d has it.
func joined(parts []Block, c Channel, d weir.Dialect) string {
	var text strings.Builder
	for _, b := range parts {
		if b.Channel.in(d) == c {
			text.WriteString(b.Text)
		}
	}
	return text.String()
}

// AppendWhole appends the JSON body of an answer that is not streamed.
func (s *Stream) AppendWhole(dst []byte, a Answer, w With) []byte {
	switch s.Dialect {
	case weir.Anthropic:
		return s.appendMessage(dst, a, w)
	case weir.OpenAIResponses:
		w.Whole = &a
		return append(appendNS(s.appendResponse(dst, a.Finish, w), w.NS), '}')
	case weir.OpenAICompletions:
		return s.appendTextCompletion(dst, a, w)
	case weir.Gemini:
		return s.appendCandidate(dst, a, w)
	}
	return s.appendCompletion(dst, a, w)
}
