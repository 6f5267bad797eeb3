package dialect

import "weir.dev/weir"

// Asked is what a request's body asked for, as far as reading the answer needs
// it.
type Asked struct {
	Model     string
	Stream    bool
	MaxTokens int // 0: not said
	IgnoreEOS bool
}

// PeekRequest reads those few members of a request's JSON body without
// decoding it. Anything it cannot read is left unsaid.
func PeekRequest(d weir.Dialect, body []byte) Asked {
	a := Asked{Stream: d == weir.Ollama} // which streams unless told not to
	c := cursor{b: body}
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "model":
			raw, _, _ := c.str()
			a.Model = name(raw)
		case "stream":
			a.Stream = string(c.raw()) == "true"
		case "ignore_eos":
			a.IgnoreEOS = string(c.raw()) == "true"
		case "max_tokens", "max_completion_tokens", "max_output_tokens":
			if n, ok := c.count(); ok {
				a.MaxTokens = n
			}
		default:
			c.skip()
		}
	}
	return a
}
