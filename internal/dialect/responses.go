package dialect

import "bytes"

// responses reads one event of the OpenAI Responses dialect, or a whole
// response object. Which event it is stands in the data; event, the SSE event
// name, serves where it does not.
func (r *record) responses(c *cursor, event []byte) {
	from := c.i
	var typ, delta, item, response []byte
	var whole responseObject
	var deltaEsc bool
	tool := int32(noIndex)
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "type":
			typ, _, _ = c.str()
		case "delta":
			delta, deltaEsc, _ = c.str()
		case "output_index":
			if n, ok := c.count(); ok && n < maxTools {
				tool = int32(n)
			}
		case "response":
			response = c.raw()
		case "item":
			item = c.raw()
		default:
			whole.member(r, c)
		}
	}
	if c.bad {
		return
	}
	if len(typ) == 0 {
		typ = event
	}
	switch {
	case string(typ) == "error" && r.fail == nil:
		r.fail = c.b[from:c.i]
	case string(whole.object) == "response": // not an event
		r.envelope = true
		whole.end(r, whole.status)
		whole.items(r)
	default:
		r.responseEvent(typ, piece{raw: delta, esc: deltaEsc, tool: tool}, response, item)
	}
}

func (r *record) responseEvent(typ []byte, delta piece, response, item []byte) {
	r.envelope = bytes.HasPrefix(typ, []byte("response."))
	switch string(typ) {
	case "response.output_text.delta":
		r.text(ChannelText, 0, delta.raw, delta.esc)
	case "response.refusal.delta":
		r.text(ChannelRefusal, 0, delta.raw, delta.esc)
	case "response.reasoning_text.delta":
		r.text(ChannelReasoning, 0, delta.raw, delta.esc)
	case "response.reasoning_summary_text.delta":
		r.text(ChannelSummary, 0, delta.raw, delta.esc)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta", "response.mcp_call_arguments.delta":
		delta.channel = ChannelCallArguments
		r.add(delta)
	case "response.output_item.added":
		if len(item) > 0 {
			r.responseItem(&cursor{b: item}, delta.tool, true)
		}
	case "response.created":
		r.role = true
		r.responseHead(response, nil)
	case "response.completed", "response.incomplete", "response.failed":
		r.done = true
		r.responseHead(response, bytes.TrimPrefix(typ, []byte("response.")))
	}
}

// responseHead reads an event's response object: who answered, the usage, how
// it ended. Its output is not read again, the deltas have given it. status is
// what the event's type says of the end; nil where it is none.
func (r *record) responseHead(response, status []byte) {
	var o responseObject
	if len(response) > 0 {
		c := cursor{b: response}
		for ok := c.object(); ok && c.field(); {
			o.member(r, &c)
		}
	}
	if status != nil {
		o.end(r, status)
	} else if len(o.usage) > 0 {
		openAIUsage(&cursor{b: o.usage}, &r.usage)
	}
}

// responseObject is what a response object says, whole or in an event.
type responseObject struct {
	object, status, output, details, usage []byte
}

func (o *responseObject) member(r *record, c *cursor) {
	switch string(c.name) {
	case "object":
		o.object, _, _ = c.str()
	case "id":
		r.id, _, _ = c.str()
	case "model":
		r.model, _, _ = c.str()
	case "status":
		o.status, _, _ = c.str()
	case "output":
		o.output = c.raw()
	case "incomplete_details":
		o.details = c.raw()
	case "usage":
		o.usage = c.raw()
	case "error":
		r.errorField(c)
	default:
		c.skip()
	}
}

// end takes how the response ended, and its usage: the finish reason is the
// reason why it is incomplete, else its status.
func (o *responseObject) end(r *record, status []byte) {
	if len(o.usage) > 0 {
		openAIUsage(&cursor{b: o.usage}, &r.usage)
	}
	switch string(status) {
	case "completed":
		r.finish(0, status)
	case "incomplete":
		r.finish(0, o.reason(status))
	case "failed":
		if r.fail == nil {
			r.fail = []byte(`{"message":"the response failed"}`)
		}
	}
}

func (o *responseObject) reason(otherwise []byte) []byte {
	if len(o.details) == 0 {
		return otherwise
	}
	c := cursor{b: o.details}
	for ok := c.object(); ok && c.field(); {
		if string(c.name) != "reason" {
			c.skip()
		} else if reason, _, _ := c.str(); len(reason) > 0 {
			return reason
		}
	}
	return otherwise
}

func (o *responseObject) items(r *record) {
	if len(o.output) == 0 {
		return
	}
	c := cursor{b: o.output}
	index := int32(0)
	for ok := c.array(); ok && c.elem(); {
		r.responseItem(&c, index, false)
		index++
	}
}

// responseItem reads an output item. When it is only being opened its texts
// are still empty, or will come as deltas, and only a call's name counts.
func (r *record) responseItem(c *cursor, index int32, opening bool) {
	first := len(r.pieces)
	var typ []byte
	var name, args piece
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "type":
			typ, _, _ = c.str()
		case "name":
			name.raw, name.esc, _ = c.str()
		case "arguments", "input":
			args = arguments(c)
		case "content":
			r.parts(c, ChannelText)
		case "summary":
			r.parts(c, ChannelSummary)
		default:
			c.skip()
		}
	}
	if opening {
		r.pieces, args = r.pieces[:first], piece{}
	}
	switch string(typ) {
	case "function_call", "custom_tool_call", "mcp_call":
		name.channel, name.tool = ChannelCallName, index
		args.channel, args.tool = ChannelCallArguments, index
		r.add(name)
		r.add(args)
	case "reasoning":
		for i := range r.pieces[first:] {
			if p := &r.pieces[first+i]; p.channel == ChannelText {
				p.channel = ChannelReasoning
			}
		}
	}
}

func (r *record) parts(c *cursor, ch Channel) {
	for ok := c.array(); ok && c.elem(); {
		r.part(c, ch)
	}
}
