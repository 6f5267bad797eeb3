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
	IncludeUsage    bool // usage comes in the stream; a choice only in chat and completions
	ContinuousUsage bool // vLLM's: a running total comes with every event
	MaxTokens       int  // most output tokens; 0: the request sets none
	IgnoreEOS       bool // generate exactly MaxTokens
	Messages        int  // how many there are; 1 for a bare prompt
	PromptChars     int  // characters of all text in the prompt, the system's included
	CacheKey        string
	Parts           []Part // the text of the prompt, in its order
	Array           bool   // Gemini's stream is to be a JSON array; Decode does not know
}

// Part is a run of text in a prompt.
type Part struct {
	Role   string // of its message; "system" for what stands apart, "user" for a bare prompt
	Text   string
	Marked bool // the prompt's cache is to keep all up to its end
	Hour   bool // for an hour; else as long as it keeps things by default
}

// Decode reads a request as a server of the dialect does. Fields it does not
// know are ignored, and null is as good as absent. It reads all but ollama; what
// Gemini says in the URL, the model and whether to stream, is left to the
// caller. Its errors are *weir.Error, with a message for whoever sent the
// request.
func Decode(d weir.Dialect, raw []byte) (Asked, error) {
	var b body
	switch d {
	case weir.OpenAIChat, weir.OpenAICompletions, weir.OpenAIResponses, weir.Anthropic, weir.Gemini:
	default:
		return Asked{}, badRequest("unsupported_dialect", "requests in "+string(d)+" are not read", "any other dialect")
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return Asked{}, jsonError(err)
	}
	a := Asked{Dialect: d, Model: b.Model, Stream: b.Stream, IgnoreEOS: b.IgnoreEOS, CacheKey: b.PromptCacheKey}
	a.IncludeUsage = d == weir.Anthropic || d == weir.OpenAIResponses || d == weir.Gemini
	if a.Model == "" && d != weir.Gemini {
		return Asked{}, badRequest("missing_model", "you must provide a model", `"model": "a name that /v1/models lists"`)
	}
	if b.StreamOptions != nil && (d == weir.OpenAIChat || d == weir.OpenAICompletions) {
		a.IncludeUsage, a.ContinuousUsage = b.StreamOptions.IncludeUsage, b.StreamOptions.ContinuousUsageStats
	}
	var err error
	if a.MaxTokens, err = b.limit(); err != nil {
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
	PromptCacheKey      string            `json:"prompt_cache_key"`
	Messages            []json.RawMessage `json:"messages"` // decoded one by one, to say which is wrong
	System              json.RawMessage   `json:"system"`
	Prompt              json.RawMessage   `json:"prompt"`

	// Responses.
	Instructions    string          `json:"instructions"`
	Input           json.RawMessage `json:"input"`
	MaxOutputTokens *int            `json:"max_output_tokens"`

	// Gemini.
	SystemInstruction *geminiTurn  `json:"systemInstruction"`
	Contents          []geminiTurn `json:"contents"`
	GenerationConfig  struct {
		MaxOutputTokens *int `json:"maxOutputTokens"`
	} `json:"generationConfig"`
}

type geminiTurn struct {
	Role  string `json:"role"`
	Parts []struct {
		Text string `json:"text"`
	} `json:"parts"`
}

type streamOptions struct {
	IncludeUsage         bool `json:"include_usage"`
	ContinuousUsageStats bool `json:"continuous_usage_stats"`
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// addPrompt takes the prompt from wherever the dialect has it.
func (a *Asked) addPrompt(b body) error {
	switch a.Dialect {
	case weir.OpenAICompletions:
		var c content
		if json.Unmarshal(b.Prompt, &c) != nil || !c.present {
			return badRequest("missing_prompt", "you must provide a prompt", `"prompt": "..."`)
		}
		a.Messages = 1
		a.add(RoleUser, c)
		return nil
	case weir.OpenAIResponses:
		return a.addInput(b)
	case weir.Gemini:
		return a.addTurns(b)
	case weir.Anthropic:
		var c content
		if len(b.System) > 0 && json.Unmarshal(b.System, &c) != nil {
			return badRequest("invalid_type", "system has the wrong type", "it is a text or a list of text blocks")
		}
		a.add(roleSystem, c)
	}
	return a.addMessages(b.Messages)
}

const roleSystem = "system"

// add appends the text of a message.
func (a *Asked) add(role string, c content) {
	for _, p := range c.parts {
		p.Role = role
		a.Parts = append(a.Parts, p)
		a.PromptChars += utf8.RuneCountInString(p.Text)
	}
}

// addInput reads the input of Responses: a text, or items of which those with a
// role are messages and the others carry no text.
func (a *Asked) addInput(b body) error {
	if b.Instructions != "" {
		a.add(roleSystem, content{parts: []Part{{Text: b.Instructions}}})
	}
	var text string
	if json.Unmarshal(b.Input, &text) == nil && len(b.Input) > 0 && b.Input[0] == '"' {
		a.Messages = 1
		a.add(RoleUser, content{parts: []Part{{Text: text}}})
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(b.Input, &items) != nil || len(items) == 0 {
		return badRequest("missing_input", "you must provide input", `"input": "..." or a list of items`)
	}
	for i, raw := range items {
		var m message
		if err := json.Unmarshal(raw, &m); err != nil {
			return badRequest("invalid_item", fmt.Sprintf("input[%d] is not an item", i), "an object with role and content, or with a type")
		}
		a.add(m.Role, m.Content)
	}
	a.Messages = len(items)
	return nil
}

// addTurns reads Gemini's contents.
func (a *Asked) addTurns(b body) error {
	if len(b.Contents) == 0 {
		return badRequest("missing_contents", "you must provide contents", `"contents": [{"role": "user", "parts": [{"text": "..."}]}]`)
	}
	turn := func(role string, t geminiTurn) {
		for _, p := range t.Parts {
			a.add(role, content{parts: []Part{{Text: p.Text}}})
		}
	}
	if b.SystemInstruction != nil {
		turn(roleSystem, *b.SystemInstruction)
	}
	for _, t := range b.Contents {
		turn(t.Role, t)
	}
	a.Messages = len(b.Contents)
	return nil
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
		a.add(m.Role, m.Content)
	}
	a.Messages = len(messages)
	return nil
}

// limit is the smallest of the values that stand under any name.
func (b body) limit() (int, error) {
	n := 0
	for _, v := range []struct {
		name  string
		value *int
	}{{oldTokensName, b.MaxTokens}, {newTokensName, b.MaxCompletionTokens}, {"max_output_tokens", b.MaxOutputTokens}, {"maxOutputTokens", b.GenerationConfig.MaxOutputTokens}} {
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
