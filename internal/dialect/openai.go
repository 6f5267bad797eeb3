package dialect

import "slices"

// openAI reads one event of the chat and completions dialects, or a whole
// completion (message instead of delta).
func (r *record) openAI(c *cursor) {
	top := openAITop{from: c.i, usage: noCounters}
	for ok := c.object(); ok && c.field(); {
		top.member(r, c)
	}
	top.close(r, c)
}

// openAITop is what reading the top object needs to remember.
type openAITop struct {
	from        int
	object, typ []byte
	usage       counters
	failed      bool
}

func (t *openAITop) member(r *record, c *cursor) {
	switch string(c.name) {
	case "choices":
		r.envelope = true
		for ok := c.array(); ok && c.elem(); {
			r.openAIChoice(c)
		}
	case "usage":
		openAIUsage(c, &t.usage)
	case "x_groq":
		r.groq(c)
	case "id":
		r.id, _, _ = c.str()
	case "model":
		r.model, _, _ = c.str()
	case "system_fingerprint":
		r.print, _, _ = c.str()
	case "object":
		t.object, _, _ = c.str()
	case "type":
		t.typ, _, _ = c.str()
	case "error":
		if saysError(c.raw()) { // with its neighbours: the code may stand beside it
			t.failed = true
		}
	case "timings":
		r.provider = append(r.provider, named{"timings", c.raw()})
	case "time_info":
		r.provider = append(r.provider, named{"time_info", c.raw()})
	case "perf_metrics":
		r.provider = append(r.provider, named{"perf_metrics", c.raw()})
	default:
		c.skip()
	}
}

func (t *openAITop) close(r *record, c *cursor) {
	if t.usage.any() { // the top-level one is the last word of an event
		r.usage = t.usage
	}
	if !c.bad && (t.failed || r.fail == nil && (string(t.object) == "error" || string(t.typ) == "error")) {
		r.fail = c.b[t.from:c.i]
	}
}

// errorField takes an "error" member, unless it says that there is none.
func (r *record) errorField(c *cursor) {
	if raw := c.raw(); saysError(raw) {
		r.fail = raw
	}
}

// saysError tells an error from the empty forms that some servers put into
// every chunk.
func saysError(raw []byte) bool {
	switch string(raw) {
	case "null", "false", `""`, "{}", "[]", "0", "":
		return false
	}
	if raw[0] != '{' {
		return true
	}
	c := cursor{b: raw}
	for ok := c.object(); ok && c.field(); {
		switch v := c.raw(); string(v) {
		case "null", "false", `""`, "{}", "[]", "0":
		default:
			return true
		}
	}
	return false
}

// groq reads x_groq: usage, and the error Groq puts there.
func (r *record) groq(c *cursor) {
	c.peek()
	from := c.i
	hasUsage := false
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "usage":
			openAIUsage(c, &r.usage)
			hasUsage = true
		case "error":
			r.errorField(c)
		default:
			c.skip()
		}
	}
	if hasUsage && !c.bad {
		r.provider = append(r.provider, named{"x_groq", c.b[from:c.i]})
	}
}

func (r *record) openAIChoice(c *cursor) {
	ch := openAIChoice{first: len(r.pieces)}
	for ok := c.object(); ok && c.field(); {
		ch.member(r, c)
	}
	ch.close(r)
}

// openAIChoice is what reading one choice needs to remember.
type openAIChoice struct {
	first           int // its first piece
	index           int32
	finish, message []byte
	text            piece
	hasDelta        bool
}

func (ch *openAIChoice) member(r *record, c *cursor) {
	switch string(c.name) {
	case "index":
		if n, ok := c.count(); ok && n < maxChoices {
			ch.index = int32(n)
		}
	case "delta":
		ch.hasDelta = c.peek() == '{'
		r.openAIDelta(c)
	case "message":
		ch.message = c.raw()
	case "text":
		ch.text.raw, ch.text.esc, _ = c.str()
	case "finish_reason":
		ch.finish, _, _ = c.str()
	case "usage":
		openAIUsage(c, &r.usage)
	case "error":
		r.errorField(c)
	default:
		c.skip()
	}
}

func (ch *openAIChoice) close(r *record) {
	if !ch.hasDelta && len(ch.message) > 0 { // some relays send one whole message; others add one to each delta
		r.openAIDelta(&cursor{b: ch.message})
	}
	ch.text.tool = noIndex
	r.add(ch.text)
	for i := range r.pieces[ch.first:] { // the index may come after the delta
		r.pieces[ch.first+i].choice = ch.index
	}
	r.finish(ch.index, ch.finish)
}

// openAIDelta reads a delta or a message.
func (r *record) openAIDelta(c *cursor) {
	d := openAIDelta{first: len(r.pieces)}
	for ok := c.object(); ok && c.field(); {
		d.member(r, c)
	}
	d.close(r)
}

// openAIDelta is what reading one delta needs to remember. Of the fields that
// carry reasoning the first with text counts: reasoning_content, reasoning,
// thinking, then reasoning_details.
type openAIDelta struct {
	first   int // its first piece
	thought [3]piece
	details [2]int // the pieces that reasoning_details gave
}

func (d *openAIDelta) member(r *record, c *cursor) {
	switch string(c.name) {
	case "content":
		r.content(c)
	case "role":
		role, _, ok := c.str()
		r.role = r.role || (ok && len(role) > 0)
	case "reasoning_content":
		d.thought[0].raw, d.thought[0].esc, _ = c.str()
	case "reasoning":
		d.thought[1].raw, d.thought[1].esc, _ = c.str()
	case "thinking":
		d.thought[2].raw, d.thought[2].esc, _ = c.str()
	case "reasoning_details":
		d.details[0] = len(r.pieces)
		r.reasoningDetails(c)
		d.details[1] = len(r.pieces)
	case "refusal":
		raw, esc, _ := c.str()
		r.text(ChannelRefusal, 0, raw, esc)
	case "tool_calls":
		for ok := c.array(); ok && c.elem(); {
			r.toolCall(c)
		}
	case "function_call":
		r.function(c, 0, nil)
	default:
		c.skip()
	}
}

func (d *openAIDelta) close(r *record) {
	for _, p := range d.thought {
		if len(p.raw) > 0 {
			r.pieces = slices.Delete(r.pieces, d.details[0], d.details[1])
			p.channel, p.tool = ChannelReasoning, noIndex
			r.pieces = slices.Insert(r.pieces, d.first, p) // it came before what it led to
			return
		}
	}
}

func (r *record) reasoningDetails(c *cursor) {
	for ok := c.array(); ok && c.elem(); {
		for ok := c.object(); ok && c.field(); {
			ch := ChannelReasoning
			switch string(c.name) {
			case "summary":
				ch = ChannelSummary
			case "text":
			default:
				c.skip()
				continue
			}
			raw, esc, _ := c.str()
			r.text(ch, 0, raw, esc)
		}
	}
}

// content is a string, or a list of parts (Mistral's reasoning models).
func (r *record) content(c *cursor) {
	if c.peek() != '[' {
		if c.depth == deltaDepth {
			r.mark = c.i
		}
		raw, esc, _ := c.str()
		r.text(ChannelText, 0, raw, esc)
		return
	}
	for c.array(); c.elem(); {
		r.part(c, ChannelText)
	}
}

// part is one element of a list of content parts: text, refusal, or thinking
// that holds a string or parts of its own.
func (r *record) part(c *cursor, ch Channel) {
	if c.peek() == '"' {
		raw, esc, _ := c.str()
		r.text(ch, 0, raw, esc)
		return
	}
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "text":
			raw, esc, _ := c.str()
			r.text(ch, 0, raw, esc)
		case "refusal":
			raw, esc, _ := c.str()
			r.text(ChannelRefusal, 0, raw, esc)
		case "thinking":
			if c.peek() != '[' {
				raw, esc, _ := c.str()
				r.text(ChannelReasoning, 0, raw, esc)
				continue
			}
			for c.array(); c.elem(); {
				r.part(c, ChannelReasoning)
			}
		default:
			c.skip()
		}
	}
}

// toolCall reads one element of tool_calls.
func (r *record) toolCall(c *cursor) {
	first, index := len(r.pieces), int32(noIndex)
	var id []byte
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "index":
			if n, ok := c.count(); ok && n < maxTools {
				index = int32(n)
			}
		case "id":
			id, _, _ = c.str()
		case "function", "custom":
			r.function(c, noIndex, nil)
		default:
			c.skip()
		}
	}
	for i := range r.pieces[first:] {
		p := &r.pieces[first+i]
		p.tool, p.toolID = index, id
	}
}

func (r *record) function(c *cursor, index int32, id []byte) {
	var name, args piece
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "name":
			name.raw, name.esc, _ = c.str()
		case "id": // Gemini's, where it has one
			if own, _, _ := c.str(); len(own) > 0 {
				id = own
			}
		case "arguments", "args", "input":
			args = arguments(c)
		default:
			c.skip()
		}
	}
	name.channel, name.tool, name.toolID = ChannelCallName, index, id
	args.channel, args.tool, args.toolID = ChannelCallArguments, index, id
	r.add(name)
	r.add(args)
}

// arguments are a string that holds JSON or, from some servers, the JSON itself.
func arguments(c *cursor) (p piece) {
	switch c.peek() {
	case '"':
		p.raw, p.esc, _ = c.str()
	case '{', '[':
		p.raw, p.literal = c.raw(), true
	default:
		c.skip()
	}
	return p
}

// openAIUsage overwrites u if the object holds any counter. Names beyond
// OpenAI's own: input_tokens/output_tokens (Responses, and relays of it),
// prompt_cache_hit_tokens (DeepSeek), cached_tokens at the top (Moonshot).
func openAIUsage(c *cursor, u *counters) {
	n := noCounters
	top := -1
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "prompt_tokens", "input_tokens":
			set(c, &n.prompt)
		case "completion_tokens", "output_tokens":
			set(c, &n.completion)
		case "total_tokens":
			set(c, &n.total)
		case "prompt_tokens_details", "input_tokens_details":
			for ok := c.object(); ok && c.field(); {
				switch string(c.name) {
				case "cached_tokens":
					set(c, &n.cached)
				case "cache_write_tokens", "cache_creation_tokens":
					set(c, &n.cacheWrite)
				default:
					c.skip()
				}
			}
		case "completion_tokens_details", "output_tokens_details":
			for ok := c.object(); ok && c.field(); {
				if string(c.name) == "reasoning_tokens" {
					set(c, &n.reasoning)
				} else {
					c.skip()
				}
			}
		case "prompt_cache_hit_tokens", "cached_tokens":
			set(c, &top)
		default:
			c.skip()
		}
	}
	if n.cached < 0 {
		n.cached = top
	}
	if n.any() {
		*u = n
	}
}

func set(c *cursor, n *int) {
	if v, ok := c.count(); ok {
		*n = v
	}
}
