package dialect

import "bytes"

// responses reads one event of the OpenAI Responses dialect, or a whole
// response object.
func (r *record) responses(c *cursor) {
	from := c.i
	var typ, object, delta, status, response, item, output, reason, usage []byte
	var deltaEsc bool
	tool := int32(noIndex)
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "type":
			typ, _, _ = c.str()
		case "object":
			object, _, _ = c.str()
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
		case "error":
			r.errorField(c)
		case "id":
			r.id, _, _ = c.str()
		case "model":
			r.model, _, _ = c.str()
		case "status":
			status, _, _ = c.str()
		case "output":
			output = c.raw()
		case "incomplete_details":
			reason = c.raw()
		case "usage":
			usage = c.raw()
		default:
			c.skip()
		}
	}
	if c.bad {
		return
	}
	if string(typ) == "error" && r.fail == nil {
		r.fail = c.b[from:c.i]
	}
	if string(object) == "response" { // a whole response, not an event
		r.envelope = true
		r.responseObject(status, output, reason, usage)
		return
	}
	r.responseEvent(typ, piece{raw: delta, esc: deltaEsc, tool: tool}, response, item)
}

func (r *record) responseEvent(typ []byte, delta piece, response, item []byte) {
	r.envelope = bytes.HasPrefix(typ, []byte("response."))
	switch string(typ) {
	case "response.output_text.delta":
		r.text(chText, 0, delta.raw, delta.esc)
	case "response.refusal.delta":
		r.text(chRefusal, 0, delta.raw, delta.esc)
	case "response.reasoning_text.delta":
		r.text(chReasoning, 0, delta.raw, delta.esc)
	case "response.reasoning_summary_text.delta":
		r.text(chSummary, 0, delta.raw, delta.esc)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta", "response.mcp_call_arguments.delta":
		delta.channel = chToolArgs
		r.add(delta)
	case "response.output_item.added":
		r.responseItem(&cursor{b: item}, delta.tool, true)
	case "response.created":
		r.role = true
		r.responseHead(response)
	case "response.completed", "response.incomplete", "response.failed":
		r.done = true
		r.responseHead(response)
	}
}

// responseHead reads what an event's response object adds: not its output,
// which the deltas have given.
func (r *record) responseHead(response []byte) {
	var inner record
	inner.reset()
	inner.responses(&cursor{b: response})
	r.id, r.model = inner.id, inner.model
	r.usage, r.fail = inner.usage, inner.fail
	if r.done {
		r.choices = append(r.choices, inner.choices...)
		if len(inner.choices) == 0 && r.fail == nil {
			r.finish(0, nil)
		}
	}
}

// responseObject reads a whole response: its end, usage and output.
func (r *record) responseObject(status, output, reason, usage []byte) {
	finish := status
	switch string(status) {
	case "incomplete":
		c := cursor{b: reason}
		for ok := c.object(); ok && c.field(); {
			if string(c.name) == "reason" {
				finish, _, _ = c.str()
			} else {
				c.skip()
			}
		}
	case "completed":
	case "failed":
		if r.fail == nil {
			r.fail = []byte(`{"message":"the response failed"}`)
		}
		finish = nil
	default:
		finish = nil
	}
	if len(finish) > 0 {
		r.finish(0, finish)
	}
	if len(usage) > 0 {
		openAIUsage(&cursor{b: usage}, &r.usage)
	}
	if len(output) > 0 {
		index := int32(0)
		c := cursor{b: output}
		for ok := c.array(); ok && c.elem(); {
			r.responseItem(&c, index, false)
			index++
		}
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
			r.parts(c, chText)
		case "summary":
			r.parts(c, chSummary)
		default:
			c.skip()
		}
	}
	if opening {
		r.pieces, args = r.pieces[:first], piece{}
	}
	switch string(typ) {
	case "function_call", "custom_tool_call", "mcp_call":
		name.channel, name.tool = chToolName, index
		args.channel, args.tool = chToolArgs, index
		r.add(name)
		r.add(args)
	case "reasoning":
		for i := range r.pieces[first:] {
			if p := &r.pieces[first+i]; p.channel == chText {
				p.channel = chReasoning
			}
		}
	}
}

func (r *record) parts(c *cursor, ch channel) {
	for ok := c.array(); ok && c.elem(); {
		r.part(c, ch)
	}
}
