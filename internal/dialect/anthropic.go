package dialect

// anthropic reads one event of Anthropic Messages, or a whole message. Which
// event it is stands in the data; name, the SSE event name, serves where it
// does not.
func (r *record) anthropic(c *cursor, name []byte) {
	from := c.i
	var typ, delta, block, message, content, stop, usage []byte
	index := int32(noIndex)
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "type":
			typ, _, _ = c.str()
		case "index":
			if n, ok := c.count(); ok && n < maxTools {
				index = int32(n)
			}
		case "delta":
			delta = c.raw()
		case "content_block":
			block = c.raw()
		case "message":
			message = c.raw()
		case "content":
			content = c.raw()
		case "usage":
			usage = c.raw()
		case "stop_reason":
			stop, _, _ = c.str()
		case "id":
			r.id, _, _ = c.str()
		case "model":
			r.model, _, _ = c.str()
		case "error":
			r.errorField(c)
		default:
			c.skip()
		}
	}
	if c.bad {
		return
	}
	if len(typ) == 0 {
		typ = name
	}
	r.envelope = true
	switch string(typ) {
	case "message_start":
		r.role, r.seed = true, true
		r.anthropicStart(message)
	case "content_block_start":
		r.anthropicBlock(&cursor{b: block}, index)
	case "content_block_delta":
		r.anthropicBlock(&cursor{b: delta}, index)
	case "message_delta":
		r.anthropicStop(delta, usage)
	case "message_stop":
		r.done = true
	case "message":
		r.anthropicWhole(content, stop, usage)
	case "error":
		if r.fail == nil {
			r.fail = c.b[from:c.i]
		}
	default:
		r.envelope = false
	}
}

func (r *record) anthropicStart(message []byte) {
	if len(message) == 0 {
		return
	}
	c := cursor{b: message}
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "id":
			r.id, _, _ = c.str()
		case "model":
			r.model, _, _ = c.str()
		case "usage":
			r.anthropicUsage(&c)
		default:
			c.skip()
		}
	}
}

func (r *record) anthropicStop(delta, usage []byte) {
	if len(delta) > 0 {
		c := cursor{b: delta}
		for ok := c.object(); ok && c.field(); {
			if string(c.name) == "stop_reason" {
				if stop, _, _ := c.str(); len(stop) > 0 {
					r.finish(0, stop)
				}
			} else {
				c.skip()
			}
		}
	}
	if len(usage) > 0 {
		r.anthropicUsage(&cursor{b: usage})
	}
}

func (r *record) anthropicWhole(content, stop, usage []byte) {
	if len(content) > 0 {
		c := cursor{b: content}
		for i, ok := int32(0), c.array(); ok && c.elem(); i++ {
			r.anthropicBlock(&c, i)
		}
	}
	r.finish(0, stop)
	if len(usage) > 0 {
		r.anthropicUsage(&cursor{b: usage})
	}
}

// anthropicBlock reads a content block or a delta to one. Signatures and
// redacted thinking are not output; a tool's input counts as sent in deltas,
// not as the empty object that opens the block.
func (r *record) anthropicBlock(c *cursor, index int32) {
	var typ, id []byte
	var name, args, input, sign, data piece
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "type":
			typ, _, _ = c.str()
		case "text":
			raw, esc, _ := c.str()
			r.text(ChannelText, 0, raw, esc)
		case "thinking":
			raw, esc, _ := c.str()
			r.text(ChannelReasoning, 0, raw, esc)
		case "signature":
			raw, esc, _ := c.str()
			sign = piece{channel: ChannelSignature, raw: raw, esc: esc, tool: noIndex}
		case "data":
			raw, esc, _ := c.str()
			data = piece{channel: ChannelRedacted, raw: raw, esc: esc, tool: noIndex}
		case "partial_json":
			args.raw, args.esc, _ = c.str()
		case "id":
			id, _, _ = c.str()
		case "name":
			name.raw, name.esc, _ = c.str()
		case "input":
			input = arguments(c)
		default:
			c.skip()
		}
	}
	switch string(typ) {
	case "thinking", "signature_delta":
		r.add(sign) // after the text, wherever it stands
	case "redacted_thinking":
		r.add(data)
	case "tool_use", "server_tool_use", "mcp_tool_use":
		name.channel, name.tool, name.toolID, name.hosted = ChannelCallName, index, id, string(typ) != "tool_use"
		r.add(name)
		if string(input.raw) != "{}" {
			input.channel, input.tool, input.toolID = ChannelCallArguments, index, id
			r.add(input)
		}
	case "input_json_delta":
		args.channel, args.tool = ChannelCallArguments, index
		r.add(args)
	}
}

func (r *record) anthropicUsage(c *cursor) {
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "input_tokens":
			set(c, &r.usage.input)
		case "cache_read_input_tokens":
			set(c, &r.usage.cached)
		case "cache_creation_input_tokens":
			set(c, &r.usage.cacheWrite)
		case "output_tokens":
			set(c, &r.usage.completion)
		case "output_tokens_details":
			for ok := c.object(); ok && c.field(); {
				switch string(c.name) {
				case "thinking_tokens", "reasoning_tokens":
					set(c, &r.usage.reasoning)
				default:
					c.skip()
				}
			}
		default:
			c.skip()
		}
	}
}
