package translate

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"weir.dev/weir"
)

// geminiRequest is a GenerateContentRequest. The model, and whether to stream,
// stand in the URL.
type geminiRequest struct {
	System     *geminiContent    `json:"systemInstruction,omitempty"`
	Tools      []geminiTools     `json:"tools,omitempty"`
	ToolConfig *geminiToolConfig `json:"toolConfig,omitempty"`
	Contents   []geminiContent   `json:"contents"`
	Config     geminiConfig      `json:"generationConfig,omitzero"`
}

type geminiContent struct {
	Role  string       `json:"role,omitempty"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text      *string         `json:"text,omitempty"`
	Thought   bool            `json:"thought,omitempty"`
	Inline    *geminiBlob     `json:"inlineData,omitempty"`
	File      *geminiFile     `json:"fileData,omitempty"`
	Call      *geminiCall     `json:"functionCall,omitempty"`
	Response  *geminiResponse `json:"functionResponse,omitempty"`
	Signature string          `json:"thoughtSignature,omitempty"`
}

type geminiBlob struct {
	Media string `json:"mimeType"`
	Data  string `json:"data"`
}

type geminiFile struct {
	Media string `json:"mimeType,omitempty"`
	URI   string `json:"fileUri"`
}

type geminiCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type geminiResponse struct {
	Name     string                     `json:"name"`
	Response map[string]json.RawMessage `json:"response"`
	Parts    []geminiPart               `json:"parts,omitempty"`
}

type geminiTools struct {
	Functions []geminiFunction `json:"functionDeclarations"`
}

type geminiFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

type geminiToolConfig struct {
	Calling geminiCalling `json:"functionCallingConfig"`
}

type geminiCalling struct {
	Mode    string   `json:"mode"`
	Allowed []string `json:"allowedFunctionNames,omitempty"`
}

type geminiConfig struct {
	MaxTokens   int             `json:"maxOutputTokens,omitempty"`
	Temperature json.RawMessage `json:"temperature,omitempty"`
	TopP        json.RawMessage `json:"topP,omitempty"`
	TopK        json.RawMessage `json:"topK,omitempty"`
	Seed        json.RawMessage `json:"seed,omitempty"`
	Presence    json.RawMessage `json:"presencePenalty,omitempty"`
	Frequency   json.RawMessage `json:"frequencyPenalty,omitempty"`
	Stop        []string        `json:"stopSequences,omitempty"`
	Media       string          `json:"responseMimeType,omitempty"`
	Schema      json.RawMessage `json:"responseJsonSchema,omitempty"`
	Thinking    *geminiThinking `json:"thinkingConfig,omitempty"`
}

type geminiThinking struct {
	Include bool   `json:"includeThoughts,omitempty"`
	Level   string `json:"thinkingLevel,omitempty"`
	Budget  *int   `json:"thinkingBudget,omitempty"`
}

// noSignature is what Google documents for calls that its model did not make:
// Gemini 3 refuses a call without a signature.
const noSignature = "skip_thought_signature_validator"

func (e *encoding) geminiBody() any {
	r := geminiRequest{
		Contents: e.geminiContents(), ToolConfig: e.geminiChoice(),
		Config: geminiConfig{
			MaxTokens: e.maxTokens.Or(0), Temperature: e.temperature.value, TopP: e.topP.value, TopK: e.topK.value, Seed: e.seed.value,
			Presence: e.presence.value, Frequency: e.frequency.value, Stop: e.stop, Thinking: e.geminiThinking(),
		},
	}
	if len(e.system) > 0 {
		r.System = &geminiContent{Parts: e.geminiParts(e.system)}
	}
	e.needTurns(len(r.Contents))
	var functions []geminiFunction
	for _, t := range e.tools {
		e.dropCache(part{path: t.path, cache: t.cache})
		functions = append(functions, geminiFunction{Name: t.name, Description: t.description, Schema: t.schema})
	}
	if len(functions) > 0 {
		r.Tools = []geminiTools{{functions}}
	}
	if e.format.json {
		r.Config.Media, r.Config.Schema = "application/json", e.format.schema
	}
	e.checkEffort()
	e.refuseSet(e.verbosity)
	if len(e.tools) > 0 {
		e.refuseSet(e.parallel)
	}
	if e.user != "" {
		e.drop("user")
	}
	if e.cache != nil {
		e.drop("cache_control")
	}
	return r
}

// geminiContents joins calls and what they gave back by their order: Gemini's
// have names alone.
func (e *encoding) geminiContents() []geminiContent {
	var out []geminiContent
	var open []part // the calls of the last turn of the model
	for _, t := range merged(e.turns) {
		switch t.role {
		case system:
			e.refuse(t.path, "gemini has no instructions within the conversation", "put it before the first message")
		case assistant:
			open = nil
			for _, p := range t.parts {
				if p.kind == call {
					open = append(open, p)
				}
			}
			if parts := e.geminiParts(t.parts); len(parts) > 0 {
				out = append(out, geminiContent{Role: "model", Parts: parts})
			}
		default:
			e.nameResults(t.parts, open)
			out = append(out, geminiContent{Role: "user", Parts: e.geminiParts(t.parts)})
		}
	}
	return out
}

// nameResults gives the results, which stand first, the names of their calls,
// in the order of the calls.
func (e *encoding) nameResults(parts, calls []part) {
	byID := func(id string) int { return slices.IndexFunc(calls, func(c part) bool { return c.id == id }) }
	n := 0
	for ; n < len(parts) && parts[n].kind == result; n++ {
		i := byID(parts[n].id)
		if i < 0 {
			e.bad(parts[n].path, "no call before it has the id "+parts[n].id, "what a tool gave back follows the call")
			return
		}
		parts[n].name = calls[i].name
	}
	slices.SortStableFunc(parts[:n], func(a, b part) int { return byID(a.id) - byID(b.id) })
}

// geminiParts writes a turn's parts. A signature stands on the part that came
// after the thought.
func (e *encoding) geminiParts(parts []part) []geminiPart {
	var out []geminiPart
	signature, called := "", false
	for _, p := range parts {
		e.dropCache(p)
		if p.kind == reasoning {
			if p.signature.owner != weir.Gemini {
				e.drop(p.path)
				continue
			}
			signature = p.signature.value
			if p.text != "" {
				out = append(out, geminiPart{Text: &p.text, Thought: true})
			}
			continue
		}
		g := e.geminiPart(p)
		if p.signature.owner == weir.Gemini {
			signature = p.signature.value
		}
		if p.kind == call {
			if signature == "" && !called && !e.options.ThinkingBudget {
				signature = noSignature
			}
			called = true
		}
		g.Signature, signature = signature, ""
		out = append(out, g)
	}
	return out
}

func (e *encoding) geminiPart(p part) geminiPart {
	switch p.kind {
	case image:
		return e.geminiImage(p)
	case document:
		return geminiPart{Inline: &geminiBlob{Media: p.media, Data: p.data}}
	case call:
		return geminiPart{Call: &geminiCall{Name: p.name, Args: e.arguments(p)}}
	case result:
		return geminiPart{Response: e.geminiResponse(p)}
	}
	return geminiPart{Text: &p.text}
}

// geminiImage: Gemini fetches from Google's own stores alone.
func (e *encoding) geminiImage(p part) geminiPart {
	if p.data != "" {
		return geminiPart{Inline: &geminiBlob{Media: p.media, Data: p.data}}
	}
	if !strings.HasPrefix(p.url, "gs://") && !strings.HasPrefix(p.url, "https://generativelanguage.googleapis.com/") {
		e.refuse(p.path, "gemini fetches no images from elsewhere", "send the image inline, in base64")
	}
	return geminiPart{File: &geminiFile{Media: imageType(p.url), URI: p.url}}
}

// imageType is the type that a file's name says; "" where it says none.
func imageType(name string) string {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".png", ".webp", ".gif", ".heic", ".heif":
		return "image/" + ext[1:]
	case ".jpg", ".jpeg":
		return "image/jpeg"
	}
	return ""
}

// geminiResponse has what the tool gave back under the name that Google reads;
// JSON stays JSON.
func (e *encoding) geminiResponse(p part) *geminiResponse {
	r := &geminiResponse{Name: p.name}
	var texts []string
	for _, c := range p.content {
		if c.kind == text {
			texts = append(texts, c.text)
			continue
		}
		r.Parts = append(r.Parts, e.geminiPart(c))
	}
	value := strings.TrimSpace(strings.Join(texts, "\n"))
	raw := json.RawMessage(value)
	if value == "" || value[0] != '{' && value[0] != '[' || !json.Valid(raw) {
		raw, _ = json.Marshal(strings.Join(texts, "\n"))
	}
	name := "output"
	if p.failed {
		name = "error"
	}
	r.Response = map[string]json.RawMessage{name: raw}
	return r
}

// geminiChoice: a strict tool needs a mode in which arguments obey the schema.
func (e *encoding) geminiChoice() *geminiToolConfig {
	if len(e.tools) == 0 {
		return nil
	}
	c := geminiCalling{Mode: "AUTO"}
	switch strict := slices.ContainsFunc(e.tools, func(t tool) bool { return t.strict }); e.choice.mode {
	case mustNot:
		c.Mode = "NONE"
	case must:
		c.Mode = "ANY"
	case mustThis:
		c.Mode, c.Allowed = "ANY", []string{e.choice.name}
	default:
		if strict {
			c.Mode = "VALIDATED"
		} else if e.choice.mode == anyMode {
			return nil
		}
	}
	return &geminiToolConfig{Calling: c}
}
