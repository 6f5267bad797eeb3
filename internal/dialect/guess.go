package dialect

import (
	"bytes"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/sse"
)

// FromPath guesses the dialect from a request's URL path.
func FromPath(path string) (weir.Dialect, bool) {
	path = strings.TrimRight(path, "/")
	for _, c := range []struct {
		suffix  string
		dialect weir.Dialect
	}{
		{"/chat/completions", weir.OpenAIChat},
		{"/completions", weir.OpenAICompletions},
		{"/responses", weir.OpenAIResponses},
		{"/messages", weir.Anthropic},
		{":streamGenerateContent", weir.Gemini},
		{":generateContent", weir.Gemini},
		{"/api/chat", weir.Ollama},
		{"/api/generate", weir.Ollama},
	} {
		if strings.HasSuffix(path, c.suffix) {
			return c.dialect, true
		}
	}
	return "", false
}

// Guess finds the dialect of a body from its first bytes. OpenAI chat is the
// answer where nothing tells.
func Guess(head []byte) weir.Dialect {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) > 0 && (head[0] == '{' || head[0] == '[') {
		return guessJSON(head, true)
	}
	var r sse.Reader
	for {
		ev, rest, ok, err := r.Next(head)
		if err != nil || !ok {
			break
		}
		if data := trim(ev.Data); len(data) > 0 && data[0] == '{' {
			return guessJSON(data, false)
		}
		head = rest
	}
	if ev, ok := r.Pending(); ok {
		return guessJSON(trim(ev.Data), false)
	}
	return weir.OpenAIChat
}

// guessJSON looks at the members of the first JSON value, which may be cut
// short. A bare value is Ollama's only by its own members: every dialect
// answers an error so.
func guessJSON(data []byte, bare bool) weir.Dialect {
	c := cursor{b: data}
	if c.peek() == '[' {
		c.i++
	}
	var object, typ string
	guess := weir.Dialect("")
	for ok := c.object(); ok && c.field(); {
		switch string(c.name) {
		case "type":
			raw, _, _ := c.str()
			typ = string(raw)
		case "object":
			raw, _, _ := c.str()
			object = string(raw)
		case "candidates", "usageMetadata", "promptFeedback":
			guess = weir.Gemini
			c.skip()
		case "error":
			if raw := c.raw(); bytes.Contains(raw, []byte(`"status"`)) && bytes.Contains(raw, []byte(`"code"`)) {
				guess = weir.Gemini // google.rpc.Status
			}
		case "done", "done_reason", "eval_count":
			if bare {
				guess = weir.Ollama
			}
			c.skip()
		case "choices":
			if raw := c.raw(); guess == "" && bytes.Contains(raw, []byte(`"text":`)) && !bytes.Contains(raw, []byte(`"delta":`)) {
				guess = weir.OpenAICompletions
			}
		default:
			c.skip()
		}
	}
	switch {
	case object == "response", strings.HasPrefix(typ, "response."):
		return weir.OpenAIResponses
	case object == "text_completion":
		return weir.OpenAICompletions
	case strings.HasPrefix(object, "chat.completion"):
		return weir.OpenAIChat
	case strings.HasPrefix(typ, "message"), strings.HasPrefix(typ, "content_block"), typ == "ping", typ == "error":
		return weir.Anthropic
	case guess != "":
		return guess
	}
	return weir.OpenAIChat
}
