package translate

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

type anthropicRequest struct {
	Model       string             `json:"model"`
	Tools       []anthropicTool    `json:"tools,omitempty"`
	Choice      *anthropicChoice   `json:"tool_choice,omitempty"`
	System      any                `json:"system,omitempty"` // a text or []anthropicBlock
	Messages    []anthropicMessage `json:"messages"`
	Cache       json.RawMessage    `json:"cache_control,omitempty"`
	MaxTokens   int                `json:"max_tokens"`
	Temperature json.RawMessage    `json:"temperature,omitempty"`
	TopP        json.RawMessage    `json:"top_p,omitempty"`
	TopK        json.RawMessage    `json:"top_k,omitempty"`
	Stop        []string           `json:"stop_sequences,omitempty"`
	Thinking    *anthropicThinking `json:"thinking,omitempty"`
	Config      *anthropicConfig   `json:"output_config,omitempty"`
	Metadata    *anthropicMetadata `json:"metadata,omitempty"`
	Stream      bool               `json:"stream,omitempty"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
	Strict      bool            `json:"strict,omitempty"`
	Cache       json.RawMessage `json:"cache_control,omitempty"`
}

type anthropicChoice struct {
	Type       string `json:"type"`
	Name       string `json:"name,omitempty"`
	NoParallel bool   `json:"disable_parallel_tool_use,omitempty"`
}

type anthropicMessage struct {
	Role    role `json:"role"`
	Content any  `json:"content"` // a text or []anthropicBlock
}

type anthropicBlock struct {
	Type      string           `json:"type"`
	Text      string           `json:"text,omitempty"`
	Source    *anthropicSource `json:"source,omitempty"`
	Title     string           `json:"title,omitempty"`
	ID        string           `json:"id,omitempty"`
	Name      string           `json:"name,omitempty"`
	Input     json.RawMessage  `json:"input,omitempty"`
	CallID    string           `json:"tool_use_id,omitempty"`
	Content   any              `json:"content,omitempty"` // of a result: a text or []anthropicBlock
	Failed    bool             `json:"is_error,omitempty"`
	Thinking  *string          `json:"thinking,omitempty"` // needed where empty
	Signature string           `json:"signature,omitempty"`
	Data      string           `json:"data,omitempty"`
	Cache     json.RawMessage  `json:"cache_control,omitempty"`
}

type anthropicSource struct {
	Type  string `json:"type"`
	Media string `json:"media_type,omitempty"`
	Data  string `json:"data,omitempty"`
	URL   string `json:"url,omitempty"`
}

type anthropicThinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type anthropicConfig struct {
	Effort string         `json:"effort,omitempty"`
	Format *anthropicForm `json:"format,omitempty"`
}

type anthropicForm struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type anthropicMetadata struct {
	User string `json:"user_id"`
}

func (r *anthropicRequest) config() *anthropicConfig {
	if r.Config == nil {
		r.Config = &anthropicConfig{}
	}
	return r.Config
}

func (e *encoding) anthropicBody() any {
	r := &anthropicRequest{
		Model: e.options.Model, Tools: e.anthropicTools(), Choice: e.anthropicChoice(), Messages: e.anthropicMessages(), Cache: e.cache,
		MaxTokens: e.limit(), Stop: e.stop, Stream: e.stream,
	}
	e.anthropicSampling(r)
	e.needTurns(len(r.Messages))
	if len(e.system) > 0 {
		r.System = e.anthropicContent(e.system)
	}
	if e.user != "" {
		r.Metadata = &anthropicMetadata{User: e.user}
	}
	e.refuseSet(e.verbosity)
	e.checkEffort()
	e.anthropicThinking(r)
	e.anthropicFormat(r)
	return r
}

// anthropicSampling leaves out what is the default anyway: new models refuse to
// be told even that.
func (e *encoding) anthropicSampling(r *anthropicRequest) {
	e.refuseSet(e.presence.unless(0), e.frequency.unless(0))
	if e.seed.isSet() {
		e.drop(e.seed.path)
	}
	temperature, topP := e.temperature.unless(1), e.topP.unless(1)
	if e.options.NoSampling {
		e.refuseSet(temperature, topP, e.topK)
	}
	if n, _ := strconv.ParseFloat(string(temperature.value), 64); n > 1 {
		e.refuse(temperature.path, "it is "+string(temperature.value)+", and anthropic goes to 1", "0 to 1")
	}
	r.Temperature, r.TopP, r.TopK = temperature.value, topP.value, e.topK.value
}

// limit is the number of tokens that Anthropic has to be told.
func (e *encoding) limit() int {
	switch n, ok := e.maxTokens.Get(); {
	case ok:
		return n
	case e.options.MaxTokens > 0:
		return e.options.MaxTokens
	}
	return request.DefaultMaxTokens
}

func (e *encoding) anthropicFormat(r *anthropicRequest) {
	f := e.format
	switch {
	case !f.json:
	case f.schema == nil:
		e.refuse(f.path, "anthropic has no JSON without a schema", "json_schema")
	default:
		r.config().Format = &anthropicForm{Type: "json_schema", Schema: f.schema}
	}
}

func (e *encoding) anthropicMessages() []anthropicMessage {
	var out []anthropicMessage
	for _, t := range merged(e.turns) {
		if content := e.anthropicContent(t.parts); content != nil {
			out = append(out, anthropicMessage{Role: t.role, Content: content})
		}
	}
	return out
}

// anthropicContent is a text where one says it all, else blocks; nil where
// nothing is left.
func (e *encoding) anthropicContent(parts []part) any {
	if len(parts) == 1 && parts[0].kind == text && parts[0].cache == nil {
		return parts[0].text
	}
	var out []anthropicBlock
	for _, p := range parts {
		if p.kind == reasoning && p.signature.owner != weir.Anthropic {
			e.drop(p.path) // it takes no thought but its own
			continue
		}
		out = append(out, e.anthropicBlock(p))
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (e *encoding) anthropicBlock(p part) anthropicBlock {
	b := anthropicBlock{Cache: p.cache}
	switch p.kind {
	case text, refusal:
		b.Type, b.Text = "text", p.text
	case image:
		b.Type, b.Source = "image", &anthropicSource{Type: "url", URL: p.url}
	case document:
		b.Type, b.Title = "document", p.name
	case call:
		b.Type, b.ID, b.Name, b.Input = "tool_use", anthropicID(p.id), p.name, e.arguments(p)
	case result:
		b.Type, b.CallID, b.Content, b.Failed = "tool_result", anthropicID(p.id), e.anthropicContent(p.content), p.failed
	case reasoning:
		if p.redacted {
			b.Type, b.Data = "redacted_thinking", p.signature.value
			break
		}
		b.Type, b.Thinking, b.Signature = "thinking", &p.text, p.signature.value
	}
	if p.data != "" {
		b.Source = &anthropicSource{Type: "base64", Media: p.media, Data: p.data}
	}
	return b
}

// arguments are a call's as an object, which chat has as a text.
func (e *encoding) arguments(p part) json.RawMessage {
	if strings.TrimSpace(p.args) == "" {
		return json.RawMessage("{}")
	}
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(p.args), &o) != nil || o == nil {
		e.refuse(p.path, "the arguments of this call are no JSON object", `"{...}"`)
		return nil
	}
	return json.RawMessage(p.args)
}

// anthropicID keeps ids of Anthropic's alphabet, and writes others in it so
// that different ones stay different.
func anthropicID(id string) string {
	allowed := func(r rune) bool {
		return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if strings.IndexFunc(id, func(r rune) bool { return !allowed(r) }) < 0 {
		return id
	}
	plain := strings.Map(func(r rune) rune {
		if allowed(r) {
			return r
		}
		return '_'
	}, id)
	h := fnv.New32a()
	h.Write([]byte(id))
	return fmt.Sprintf("%s_%08x", plain, h.Sum32())
}

func (e *encoding) anthropicTools() []anthropicTool {
	var out []anthropicTool
	for _, t := range e.tools {
		if t.schema == nil {
			t.schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		out = append(out, anthropicTool{Name: t.name, Description: t.description, Schema: t.schema, Strict: t.strict, Cache: t.cache})
	}
	return out
}

func (e *encoding) anthropicChoice() *anthropicChoice {
	if len(e.tools) == 0 {
		return nil
	}
	c := &anthropicChoice{NoParallel: e.parallel.isSet()}
	switch e.choice.mode {
	case mustNot:
		return &anthropicChoice{Type: "none"}
	case must:
		c.Type = "any"
	case mustThis:
		c.Type, c.Name = "tool", e.choice.name
	case anyMode:
		if !c.NoParallel {
			return nil
		}
		fallthrough
	default:
		c.Type = "auto"
	}
	return c
}
