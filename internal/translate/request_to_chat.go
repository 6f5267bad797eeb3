package translate

import (
	"encoding/json"
)

// The order of the members is the order in which they are written: prompt
// caches may hash bytes.
type chatRequest struct {
	Model           string             `json:"model"`
	Messages        []chatMessage      `json:"messages"`
	Tools           []chatTool         `json:"tools,omitempty"`
	Choice          any                `json:"tool_choice,omitempty"` // a word or a chatTool
	Parallel        json.RawMessage    `json:"parallel_tool_calls,omitempty"`
	Format          *chatFormat        `json:"response_format,omitempty"`
	OldLimit        int                `json:"max_tokens,omitempty"`
	NewLimit        int                `json:"max_completion_tokens,omitempty"`
	Temperature     json.RawMessage    `json:"temperature,omitempty"`
	TopP            json.RawMessage    `json:"top_p,omitempty"`
	Stop            []string           `json:"stop,omitempty"`
	ReasoningEffort string             `json:"reasoning_effort,omitempty"`
	Verbosity       json.RawMessage    `json:"verbosity,omitempty"`
	Stream          bool               `json:"stream,omitempty"`
	StreamOptions   *chatStreamOptions `json:"stream_options,omitempty"`
}

type chatStreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatMessage struct {
	Role      role       `json:"role"`
	Reasoning string     `json:"reasoning_content,omitempty"`
	Content   any        `json:"content"` // a text, []chatPart or null
	Refusal   string     `json:"refusal,omitempty"`
	Calls     []chatCall `json:"tool_calls,omitempty"`
	CallID    string     `json:"tool_call_id,omitempty"`
}

type chatPart struct {
	Type    string     `json:"type"`
	Text    string     `json:"text,omitempty"`
	Refusal string     `json:"refusal,omitempty"`
	Image   *chatImage `json:"image_url,omitempty"`
	File    *chatFile  `json:"file,omitempty"`
}

type chatImage struct {
	URL string `json:"url"`
}

type chatFile struct {
	Name string `json:"filename"`
	Data string `json:"file_data"`
}

type chatCall struct {
	ID       string           `json:"id"`
	Type     string           `json:"type"`
	Function chatCallFunction `json:"function"`
}

type chatCallFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      bool            `json:"strict,omitempty"`
}

type chatFormat struct {
	Type   string      `json:"type"`
	Schema *chatSchema `json:"json_schema,omitempty"`
}

type chatSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"`
	Strict      *bool           `json:"strict,omitempty"`
}

func (e *encoding) chatBody() any {
	r := chatRequest{
		Model: e.options.Model, Messages: e.chatMessages(), Tools: e.chatTools(), Choice: e.chatChoice(), Format: e.chatFormat(),
		Temperature: e.temperature.value, TopP: e.topP.value, Stop: e.stop, Verbosity: e.verbosity.value, Stream: e.stream,
	}
	e.needTurns(len(r.Messages))
	if len(e.tools) > 0 {
		r.Parallel = e.parallel.value
	}
	if e.options.NewTokensName {
		r.NewLimit = e.maxTokens.Or(0)
	} else {
		r.OldLimit = e.maxTokens.Or(0)
	}
	e.checkEffort()
	r.ReasoningEffort = e.thinking.word()
	if e.stream && !e.options.NoStreamOptions {
		r.StreamOptions = &chatStreamOptions{IncludeUsage: true}
	}
	e.refuseSet(e.topK)
	if e.user != "" {
		e.drop("user")
	}
	if e.cache != nil {
		e.drop("cache_control")
	}
	return r
}

func (e *encoding) chatMessages() []chatMessage {
	var out []chatMessage
	if len(e.system) > 0 {
		out = append(out, chatMessage{Role: system, Content: e.chatContent(e.system)})
	}
	for _, t := range e.turns {
		if t.role == assistant {
			if m := e.chatAssistant(t); m.Content != nil || m.Calls != nil || m.Refusal != "" || m.Reasoning != "" {
				out = append(out, m)
			}
			continue
		}
		var rest []part
		for _, p := range t.parts {
			if p.kind == result { // right behind the calls, before what else the user says
				out = append(out, e.chatResult(p))
			} else {
				rest = append(rest, p)
			}
		}
		if len(rest) > 0 {
			out = append(out, chatMessage{Role: t.role, Content: e.chatContent(rest)})
		}
	}
	return out
}

func (e *encoding) chatResult(p part) chatMessage {
	for _, c := range p.content {
		if c.kind != text {
			e.refuse(c.path, "openai-chat takes text alone from a tool", "send it in a message of the user")
		}
	}
	if p.failed {
		e.drop(p.path + ".is_error")
	}
	m := chatMessage{Role: "tool", CallID: p.id, Content: e.chatContent(p.content)}
	if m.Content == nil {
		m.Content = ""
	}
	return m
}

func (e *encoding) chatAssistant(t turn) chatMessage {
	m := chatMessage{Role: assistant}
	var said []part
	for _, p := range t.parts {
		switch p.kind {
		case reasoning:
			if e.options.ReasoningInput && p.text != "" {
				m.Reasoning += p.text
			} else {
				e.drop(p.path)
			}
		case call:
			if p.args == "" {
				p.args = "{}"
			}
			m.Calls = append(m.Calls, chatCall{ID: p.id, Type: "function", Function: chatCallFunction{Name: p.name, Arguments: p.args}})
		case text, refusal:
			said = append(said, p)
		default:
			e.refuse(p.path, "openai-chat takes text and tool calls alone from the assistant", "send it in a message of the user")
		}
	}
	if len(said) == 1 && said[0].kind == refusal {
		m.Refusal = said[0].text
		return m
	}
	m.Content = e.chatContent(said)
	return m
}

// chatContent is a text where it can be, since every server takes that.
func (e *encoding) chatContent(parts []part) any {
	if len(parts) == 0 {
		return nil
	}
	if len(parts) == 1 && parts[0].kind == text {
		e.dropCache(parts[0])
		return parts[0].text
	}
	out := make([]chatPart, len(parts))
	for i, p := range parts {
		out[i] = e.chatPart(p)
	}
	return out
}

func (e *encoding) chatPart(p part) chatPart {
	e.dropCache(p)
	switch p.kind {
	case refusal:
		return chatPart{Type: "refusal", Refusal: p.text}
	case image:
		u := p.url
		if u == "" {
			u = "data:" + p.media + ";base64," + p.data
		}
		return chatPart{Type: "image_url", Image: &chatImage{URL: u}}
	case document:
		name := p.name
		if name == "" {
			name = "document.pdf"
		}
		return chatPart{Type: "file", File: &chatFile{Name: name, Data: "data:" + p.media + ";base64," + p.data}}
	case text:
	default:
		e.refuse(p.path, "it stands in a message where openai-chat has no place for it", "tool calls and reasoning are the assistant's")
	}
	return chatPart{Type: "text", Text: p.text}
}

// dropCache notes a cache mark: the target's cache needs none, or has none.
func (e *encoding) dropCache(p part) {
	if p.cache != nil {
		e.drop(p.path + ".cache_control")
	}
}

func (e *encoding) chatTools() []chatTool {
	var out []chatTool
	for _, t := range e.tools {
		e.dropCache(part{path: t.path, cache: t.cache})
		out = append(out, chatTool{Type: "function", Function: chatFunction{
			Name: t.name, Description: t.description, Parameters: t.schema, Strict: t.strict,
		}})
	}
	return out
}

func (e *encoding) chatChoice() any {
	switch e.choice.mode {
	case may:
		return "auto"
	case mustNot:
		return "none"
	case must:
		return "required"
	case mustThis:
		return chatTool{Type: "function", Function: chatFunction{Name: e.choice.name}}
	}
	return nil
}

func (e *encoding) chatFormat() *chatFormat {
	f := e.format
	switch {
	case !f.json:
		return nil
	case f.schema == nil:
		return &chatFormat{Type: "json_object"}
	}
	s := &chatSchema{Name: f.name, Description: f.description, Schema: f.schema}
	if s.Name == "" {
		s.Name = "answer" // Anthropic's have none
	}
	if strict, ok := f.strict.Get(); ok {
		s.Strict = &strict
	}
	return &chatFormat{Type: "json_schema", Schema: s}
}
