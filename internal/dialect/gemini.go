package dialect

import "slices"

// gemini reads one GenerateContentResponse: a chunk of a stream or a whole
// answer, they have the same form.
func (r *record) gemini(c *cursor) {
	var blocked []byte
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "candidates":
			r.envelope = true
			for ok := c.array(); ok && c.elem(); {
				r.candidate(c)
			}
		case "usageMetadata":
			r.geminiUsage(c)
		case "promptFeedback":
			for ok := c.object(); ok && c.field(); {
				if string(c.name) == "blockReason" {
					blocked, _, _ = c.str()
				} else {
					c.skip()
				}
			}
		case "modelVersion":
			r.model, _, _ = c.str()
		case "responseId":
			r.id, _, _ = c.str()
		case "error":
			r.errorField(c)
		default:
			c.skip()
		}
	}
	if len(blocked) > 0 && !c.bad && r.fail == nil {
		r.envelope = true
		r.fail = []byte(blockedPrompt)
	}
}

// blockedPrompt stands for a prompt that Gemini refused inside a 200: the
// prompt is at fault, not the provider.
const blockedPrompt = `{"message":"the prompt was blocked","type":"prompt_blocked"}`

func (r *record) candidate(c *cursor) {
	first, index := len(r.pieces), int32(0)
	var finish []byte
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "index":
			if n, ok := c.count(); ok && n < maxChoices {
				index = int32(n)
			}
		case "finishReason":
			finish, _, _ = c.str()
		case "content":
			for ok := c.object(); ok && c.field(); {
				if string(c.name) != "parts" {
					c.skip()
					continue
				}
				for ok := c.array(); ok && c.elem(); {
					r.geminiPart(c)
				}
			}
		default:
			c.skip()
		}
	}
	for i := range r.pieces[first:] {
		r.pieces[first+i].choice = index
	}
	r.finish(index, finish)
}

func (r *record) geminiPart(c *cursor) {
	var text, sign piece
	first := len(r.pieces)
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "text":
			text.raw, text.esc, _ = c.str()
		case "thought":
			if raw := c.raw(); string(raw) == "true" {
				text.channel = ChannelSummary // a summary, by its documentation
			}
		case "thoughtSignature":
			sign.raw, sign.esc, _ = c.str()
		case "functionCall":
			r.function(c, noIndex, newCall) // each part is a call of its own
		default:
			c.skip()
		}
	}
	text.tool = noIndex
	r.add(text)
	if len(sign.raw) > 0 {
		sign.channel, sign.tool = ChannelSignature, noIndex
		r.pieces = slices.Insert(r.pieces, first, sign)
	}
}

// newCall marks a tool call that has no id and is nonetheless a new one.
var newCall = []byte{0}

// geminiUsage: candidates and thoughts are apart, and both are output.
func (r *record) geminiUsage(c *cursor) {
	u, candidates := noCounters, -1
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "promptTokenCount":
			set(c, &u.prompt)
		case "candidatesTokenCount":
			set(c, &candidates)
		case "thoughtsTokenCount":
			set(c, &u.reasoning)
		case "cachedContentTokenCount":
			set(c, &u.cached)
		case "toolUsePromptTokenCount":
			set(c, &u.input)
		case "totalTokenCount":
			set(c, &u.total)
		default:
			c.skip()
		}
	}
	if candidates >= 0 || u.reasoning >= 0 {
		u.completion = max(candidates, 0) + max(u.reasoning, 0)
	}
	if u.prompt >= 0 && u.input > 0 {
		u.prompt += u.input
	}
	u.input = -1
	if u.any() {
		r.usage = u
	}
}
