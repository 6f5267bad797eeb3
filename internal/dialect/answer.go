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

	// OnPiece, if not nil, is called for each piece as it is added: for those who
	// pass on what is generated and need its order. It gets no more once Cut.
	OnPiece func(Piece)

	size    int
	scratch []byte
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

// maxID bounds a call's id. Some relays hide a signature in it.
const maxID = 8 << 10

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
	case ChannelText:
		a.grow(&c.Text, p, nil)
	case ChannelReasoning, ChannelSummary:
		a.grow(&c.Reasoning, p, nil)
	case ChannelRefusal:
		a.grow(&c.Refusal, p, nil)
	case ChannelCallName:
		call := c.call(p)
		name := a.append(nil, p)
		if string(name) != string(call.Name) { // some servers repeat the name on every delta
			call.Name = append(call.Name, name...)
			a.told(p, name, call)
		}
	case ChannelCallArguments:
		call := c.call(p)
		a.grow(&call.Arguments, p, call)
	case ChannelSignature, ChannelRedacted:
		a.scratch = appendPiece(a.scratch[:0], p)
		a.told(p, a.scratch, nil)
	}
}

// grow adds a piece to what there is of its kind.
func (a *Answer) grow(dst *[]byte, p *piece, of *Call) {
	had := len(*dst)
	*dst = a.append(*dst, p)
	a.told(p, (*dst)[had:], of)
}

func (a *Answer) told(p *piece, text []byte, of *Call) {
	if a.OnPiece != nil && len(text) > 0 {
		a.OnPiece(Piece{Channel: p.channel, Choice: int(p.choice), Text: text, Call: of, Hosted: p.hosted})
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
	id := string(appendText(nil, p.toolID[:min(len(p.toolID), maxID)]))
	fresh := id == string(newCall)
	for _, call := range slices.Backward(c.Calls) {
		switch {
		case p.tool != noIndex && call.index != p.tool:
			continue
		case fresh && p.channel == ChannelCallName, id != "" && !fresh && call.ID != "" && call.ID != id && p.channel == ChannelCallName:
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
