package dialect

import (
	"slices"
	"unicode/utf8"
)

// Answer collects what was generated, for those who need it: inspect, a bench
// that keeps content, and a gateway that may have to go on with it. A zero
// Answer is ready.
type Answer struct {
	Limit   int           // most bytes that are kept, of all choices and channels together; 0: no limit
	Choices []*ChoiceText // in order of appearance
	Cut     bool          // more was generated than Limit

	size int
}

// ChoiceText is one choice's output by channel.
type ChoiceText struct {
	Index     int
	Text      []byte
	Reasoning []byte // its summary too, where that is all that came
	Refusal   []byte
	Calls     []*Call
}

// Call is one tool call.
type Call struct {
	ID        string
	Name      []byte
	Arguments []byte

	index int32
}

// Choice returns the choice with the given index, or nil.
func (a *Answer) Choice(index int) *ChoiceText {
	for _, c := range a.Choices {
		if c.Index == index {
			return c
		}
	}
	return nil
}

func (a *Answer) add(p *piece) {
	if a.Cut {
		return
	}
	c := a.Choice(int(p.choice))
	if c == nil {
		c = &ChoiceText{Index: int(p.choice)}
		a.Choices = append(a.Choices, c)
	}
	switch p.channel {
	case chText:
		c.Text = a.append(c.Text, p)
	case chReasoning, chSummary:
		c.Reasoning = a.append(c.Reasoning, p)
	case chRefusal:
		c.Refusal = a.append(c.Refusal, p)
	case chToolName:
		call := c.call(p)
		name := a.append(nil, p)
		if string(name) != string(call.Name) { // some servers repeat the name on every delta
			call.Name = append(call.Name, name...)
		}
	case chToolArgs:
		call := c.call(p)
		call.Arguments = a.append(call.Arguments, p)
	}
}

// append adds a piece, or as much of it, in whole characters, as there is room
// for.
func (a *Answer) append(dst []byte, p *piece) []byte {
	had := len(dst)
	dst = appendPiece(dst, p)
	a.size += len(dst) - had
	if over := a.size - a.Limit; a.Limit > 0 && over > 0 {
		end := len(dst) - over
		for end > had && !utf8.RuneStart(dst[end]) {
			end--
		}
		dst, a.Cut = dst[:end], true
	}
	return dst
}

func appendPiece(dst []byte, p *piece) []byte {
	if p.esc && !p.literal {
		return appendText(dst, p.raw)
	}
	return append(dst, p.raw...)
}

// call finds the call a piece belongs to. Calls go by index. Where none is
// sent, or all calls are sent under one index, an id that is not the last
// call's opens a new one, and no id goes on with the last.
func (c *ChoiceText) call(p *piece) *Call {
	id := string(p.toolID)
	fresh := id == string(newCall)
	for _, call := range slices.Backward(c.Calls) {
		switch {
		case p.tool != noIndex && call.index != p.tool:
			continue
		case fresh && p.channel == chToolName, id != "" && !fresh && call.ID != "" && call.ID != id && p.channel == chToolName:
			return c.open(p, id)
		case p.tool == noIndex && id != "" && !fresh && call.ID != id:
			return c.open(p, id)
		}
		if call.ID == "" && !fresh {
			call.ID = id
		}
		return call
	}
	return c.open(p, id)
}

func (c *ChoiceText) open(p *piece, id string) *Call {
	if id == string(newCall) {
		id = ""
	}
	if len(c.Calls) >= maxTools {
		return c.Calls[len(c.Calls)-1]
	}
	call := &Call{ID: id, index: p.tool}
	c.Calls = append(c.Calls, call)
	return call
}
