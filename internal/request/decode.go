package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"weir.dev/weir"
)

// Asked is what a request says, as far as answering it needs.
type Asked struct {
	Dialect         weir.Dialect
	Model           string
	Stream          bool
	IncludeUsage    bool // usage comes in the stream; always true for Anthropic
	ContinuousUsage bool // vLLM's: a running total comes with every event
	MaxTokens       int  // most output tokens; 0: the request sets none
	IgnoreEOS       bool // generate exactly MaxTokens
	Messages        int  // how many there are; 1 for a bare prompt
	PromptChars     int  // characters of all text in the prompt, the system's included
}

// Decode reads a request as a server of the dialect does. Fields it does not
// know are ignored, and null is as good as absent. It reads openai-chat,
// openai-completions and anthropic. Its errors are *weir.Error, with a message
// for whoever sent the request.
func Decode(d weir.Dialect, raw []byte) (Asked, error) {
	var b body
	switch d {
	case weir.OpenAIChat, weir.OpenAICompletions, weir.Anthropic:
	default:
		return Asked{}, badRequest("unsupported_dialect", "requests in "+string(d)+" are not read", "openai-chat, openai-completions or anthropic")
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return Asked{}, jsonError(err)
	}
	a := Asked{Dialect: d, Model: b.Model, Stream: b.Stream, IgnoreEOS: b.IgnoreEOS, IncludeUsage: d == weir.Anthropic}
	if a.Model == "" {
		return Asked{}, badRequest("missing_model", "you must provide a model", `"model": "a name that /v1/models lists"`)
	}
	if b.StreamOptions != nil && d != weir.Anthropic {
		a.IncludeUsage, a.ContinuousUsage = b.StreamOptions.IncludeUsage, b.StreamOptions.ContinuousUsageStats
	}
	var err error
	if a.MaxTokens, err = limit(b.MaxTokens, b.MaxCompletionTokens); err != nil {
		return Asked{}, err
	}
	if err := a.addPrompt(b); err != nil {
		return Asked{}, err
	}
	return a, nil
}

// body has the fields of all dialects that are read.
type body struct {
	Model               string            `json:"model"`
	Stream              bool              `json:"stream"`
	StreamOptions       *streamOptions    `json:"stream_options"`
	MaxTokens           *int              `json:"max_tokens"`
	MaxCompletionTokens *int              `json:"max_completion_tokens"`
	IgnoreEOS           bool              `json:"ignore_eos"`
	Messages            []json.RawMessage `json:"messages"` // decoded one by one, to say which is wrong
	System              json.RawMessage   `json:"system"`
	Prompt              json.RawMessage   `json:"prompt"`
}

type streamOptions struct {
	IncludeUsage         bool `json:"include_usage"`
	ContinuousUsageStats bool `json:"continuous_usage_stats"`
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// addPrompt counts the prompt's characters, wherever the dialect has them.
func (a *Asked) addPrompt(b body) error {
	var c content
	switch a.Dialect {
	case weir.OpenAICompletions:
		if json.Unmarshal(b.Prompt, &c) != nil || !c.present {
			return badRequest("missing_prompt", "you must provide a prompt", `"prompt": "..."`)
		}
		a.Messages, a.PromptChars = 1, c.chars
		return nil
	case weir.Anthropic:
		if len(b.System) > 0 && json.Unmarshal(b.System, &c) != nil {
			return badRequest("invalid_type", "system has the wrong type", "it is a text or a list of text blocks")
		}
		a.PromptChars = c.chars
	}
	return a.addMessages(b.Messages)
}

func (a *Asked) addMessages(messages []json.RawMessage) error {
	if len(messages) == 0 {
		return badRequest("missing_messages", "you must provide messages", `"messages": [{"role": "user", "content": "..."}]`)
	}
	for i, raw := range messages {
		var m message
		if err := json.Unmarshal(raw, &m); err != nil {
			return badRequest("invalid_message", fmt.Sprintf("messages[%d] is not a message", i), "an object with role and content, a text or a list of parts")
		}
		if m.Role == "" {
			return badRequest("invalid_message", fmt.Sprintf("messages[%d] has no role", i), "user, assistant or system")
		}
		a.PromptChars += m.Content.chars
	}
	a.Messages = len(messages)
	return nil
}

// limit is the smaller of the two names' values, where both stand.
func limit(old, current *int) (int, error) {
	n := 0
	for _, v := range []struct {
		name  string
		value *int
	}{{oldTokensName, old}, {newTokensName, current}} {
		switch {
		case v.value == nil:
		case *v.value < 1:
			return 0, badRequest("invalid_max_tokens", fmt.Sprintf("%s is %d", v.name, *v.value), "1 or more")
		case n == 0 || *v.value < n:
			n = *v.value
		}
	}
	return n, nil
}

// content is the text of a prompt: a string, a list of strings, or a list of
// parts of which those with a text count. Token ids count as a word each.
type content struct {
	present bool
	chars   int
}

// charsPerToken is the usual guess for English text.
const charsPerToken = 4

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	c.present = true
	switch b[0] {
	case '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		c.chars += utf8.RuneCountInString(s)
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(b, &list); err != nil {
			return err
		}
		for _, item := range list {
			if err := c.addItem(item); err != nil {
				return err
			}
		}
	default:
		return errors.New("content is neither a text nor a list")
	}
	return nil
}

func (c *content) addItem(b json.RawMessage) error {
	switch b[0] {
	case '"':
		return c.UnmarshalJSON(b)
	case '{':
		var part struct{ Text any }
		if err := json.Unmarshal(b, &part); err != nil {
			return err
		}
		if s, ok := part.Text.(string); ok {
			c.chars += utf8.RuneCountInString(s)
		}
	default:
		c.chars += charsPerToken
	}
	return nil
}

// PromptTokens estimates the prompt's tokens from its characters, four to a
// token, at least 1: whoever reports it says that it is an estimate.
func (a Asked) PromptTokens() int {
	return max(1, (a.PromptChars+charsPerToken-1)/charsPerToken)
}

func badRequest(code, message, hint string) error {
	return &weir.Error{Code: code, Message: message, Hint: hint}
}

// jsonError tells a body that is not JSON from one whose field has a wrong type.
func jsonError(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &wrong):
		return &weir.Error{Code: "bad_json", Message: "the body is not JSON", Err: err}
	case wrong.Field == "":
		return badRequest("invalid_type", "the body is "+wrong.Value+", not an object", `{"model": "...", ...}`)
	}
	return badRequest("invalid_type", wrong.Field+" has the wrong type: "+wrong.Value, "it is "+typeName(wrong.Type.Kind()))
}

func typeName(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "an integer"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}
