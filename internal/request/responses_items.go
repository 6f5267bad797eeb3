package request

import (
	"strconv"
	"strings"
)

// itemForm is what an output item, and the events about it, are called for the
// channel it holds.
type itemForm struct {
	id    string // what its id begins with
	part  string // its part's events, without .added and .done; "": it has no parts
	text  string // its text's events, without .delta and .done
	index string // what counts its parts
	whole string // the member with its whole text in the .done event
}

var itemForms = [...]itemForm{
	Text:      {"msg_", "response.content_part", "response.output_text", "content_index", "text"},
	Reasoning: {"rs_", "response.content_part", "response.reasoning_text", "content_index", "text"},
	Summary:   {"rs_", "response.reasoning_summary_part", "response.reasoning_summary_text", "summary_index", "text"},
	Refusal:   {"msg_", "response.content_part", "response.refusal", "content_index", "refusal"},
	Call:      {"fc_", "", "response.function_call_arguments", "", "arguments"},
}

// appendOutput appends the items of a whole answer.
func (s *Stream) appendOutput(dst []byte, parts []Block) []byte {
	for i, b := range parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.appendItem(dst, i, b, statusCompleted)
	}
	return dst
}

// appendItem appends an output item; one that is in progress is still empty.
func (s *Stream) appendItem(dst []byte, index int, b Block, status string) []byte {
	dst = s.appendItemID(append(dst, `{"id":`...), index, b.Channel)
	switch b.Channel {
	case Call:
		dst = appendString(append(dst, `,"type":"function_call","call_id":`...), b.ID)
		dst = appendString(append(dst, `,"name":`...), b.Name)
		dst = appendString(append(dst, `,"arguments":`...), b.Text)
		return append(appendString(append(dst, `,"status":`...), status), '}')
	case Reasoning, Summary:
		dst = append(dst, `,"type":"reasoning","summary":[`...)
		if b.Channel == Summary && b.Text != "" {
			dst = appendContentPart(dst, b.Channel, b.Text)
		}
		dst = append(dst, ']')
		if secret := b.Signature + b.Redacted; secret != "" {
			dst = appendString(append(dst, `,"encrypted_content":`...), secret)
		}
	default:
		dst = append(dst, `,"type":"message","role":"assistant"`...)
	}
	dst = append(appendString(append(dst, `,"status":`...), status), `,"content":[`...)
	if b.Channel != Summary && status != statusInProgress && !b.empty() {
		dst = appendContentPart(dst, b.Channel, b.Text)
	}
	return append(dst, "]}"...)
}

// empty tells reasoning of which only what its provider wants back is known.
func (b Block) empty() bool { return b.Text == "" && b.Signature+b.Redacted != "" }

func (s *Stream) appendItemID(dst []byte, index int, c Channel) []byte {
	dst = append(append(dst, '"'), itemForms[c].id...)
	_, own, cut := strings.Cut(s.ID, "_")
	if !cut {
		own = s.ID
	}
	escaped := appendString(nil, own)
	dst = append(append(dst, escaped[1:len(escaped)-1]...), '_')
	return append(strconv.AppendInt(dst, int64(index), 10), '"')
}

func appendContentPart(dst []byte, c Channel, text string) []byte {
	switch c {
	case Reasoning:
		dst = append(dst, `{"type":"reasoning_text","text":`...)
	case Summary:
		dst = append(dst, `{"type":"summary_text","text":`...)
	case Refusal:
		dst = append(dst, `{"type":"refusal","refusal":`...)
	default:
		return append(appendString(append(dst, `{"type":"output_text","text":`...), text), `,"annotations":[]}`...)
	}
	return append(appendString(dst, text), '}')
}

// beginItemEvent appends an event up to which item, and part of it, it is about.
func (s *Stream) beginItemEvent(dst []byte, typ string) []byte {
	dst = s.appendItemID(append(s.beginEvent(dst, typ), `,"item_id":`...), s.blocks-1, s.block)
	dst = strconv.AppendInt(append(dst, `,"output_index":`...), int64(s.blocks-1), 10)
	if index := itemForms[s.block].index; index != "" {
		dst = append(append(append(dst, `,"`...), index...), `":0`...)
	}
	return dst
}

func (s *Stream) appendItemAdded(dst []byte, b Block, w With) []byte {
	dst = strconv.AppendInt(append(s.beginEvent(dst, "response.output_item.added"), `,"output_index":`...), int64(s.blocks), 10)
	dst = append(dst, `,"item":`...)
	dst = endEvent(s.appendItem(dst, s.blocks, Block{Channel: b.Channel, ID: b.ID, Name: b.Name}, statusInProgress), w)
	s.blocks++
	s.inside, s.block, s.open = true, b.Channel, b
	if form := itemForms[b.Channel]; form.part != "" && !b.empty() {
		dst = append(s.beginItemEvent(dst, form.part+".added"), `,"part":`...)
		dst = endEvent(appendContentPart(dst, b.Channel, ""), w)
	}
	return dst
}

func (s *Stream) appendItemDelta(dst []byte, c Channel, text string, w With) []byte {
	if !s.inside || s.block != c {
		dst = s.AppendBlockStop(dst, With{NS: w.NS, Whole: w.Whole})
		dst = s.appendItemAdded(dst, Block{Channel: c}, With{NS: w.NS})
	}
	dst = append(s.beginItemEvent(dst, itemForms[c].text+".delta"), `,"delta":`...)
	return endEvent(appendString(dst, text), w)
}

func (s *Stream) appendItemDone(dst []byte, w With) []byte {
	s.inside = false
	b, form := w.Whole.last(s.block), itemForms[s.block]
	b.ID, b.Name = s.open.ID, s.open.Name
	if !s.open.empty() {
		dst = s.beginItemEvent(dst, form.text+".done")
		if s.block == Call {
			dst = appendString(append(dst, `,"name":`...), b.Name)
		}
		dst = append(append(append(dst, `,"`...), form.whole...), `":`...)
		dst = endEvent(appendString(dst, b.Text), w)
	}
	if form.part != "" && !s.open.empty() {
		dst = append(s.beginItemEvent(dst, form.part+".done"), `,"part":`...)
		dst = endEvent(appendContentPart(dst, s.block, b.Text), w)
	}
	dst = strconv.AppendInt(append(s.beginEvent(dst, "response.output_item.done"), `,"output_index":`...), int64(s.blocks-1), 10)
	return endEvent(s.appendItem(append(dst, `,"item":`...), s.blocks-1, b, statusCompleted), w)
}
