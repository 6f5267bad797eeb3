package dialect

// ollama reads one line of /api/chat or /api/generate.
func (r *record) ollama(c *cursor) {
	var reason []byte
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "message":
			r.ollamaMessage(c)
		case "response":
			raw, esc, _ := c.str()
			r.text(ChannelText, 0, raw, esc)
		case "thinking":
			raw, esc, _ := c.str()
			r.text(ChannelReasoning, 0, raw, esc)
		case "done":
			r.envelope = true
			r.done = string(c.raw()) == "true"
		case "done_reason":
			reason, _, _ = c.str()
		case "prompt_eval_count":
			set(c, &r.usage.prompt)
		case "eval_count":
			set(c, &r.usage.completion)
		case "total_duration":
			r.provider = append(r.provider, named{"total_duration", c.raw()})
		case "load_duration":
			r.provider = append(r.provider, named{"load_duration", c.raw()})
		case "prompt_eval_duration":
			r.provider = append(r.provider, named{"prompt_eval_duration", c.raw()})
		case "eval_duration":
			r.provider = append(r.provider, named{"eval_duration", c.raw()})
		case "model":
			r.model, _, _ = c.str()
		case "error":
			r.errorField(c)
		default:
			c.skip()
		}
	}
	if len(reason) > 0 {
		r.finish(0, reason)
	}
}

func (r *record) ollamaMessage(c *cursor) {
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "content":
			raw, esc, _ := c.str()
			r.text(ChannelText, 0, raw, esc)
		case "thinking":
			raw, esc, _ := c.str()
			r.text(ChannelReasoning, 0, raw, esc)
		case "tool_calls":
			for ok := c.array(); ok && c.elem(); {
				first := len(r.pieces)
				r.toolCall(c)
				for i := range r.pieces[first:] { // Ollama sends each call whole
					if p := &r.pieces[first+i]; p.tool == noIndex && len(p.toolID) == 0 {
						p.toolID = newCall
					}
				}
			}
		default:
			c.skip()
		}
	}
}
