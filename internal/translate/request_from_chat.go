package translate

import (
	"encoding/json"
	"strings"

	"weir.dev/weir"
)

// chat reads a request of OpenAI's chat API, with what vLLM and OpenRouter add
// to it and another dialect has.
func (d *decoding) chat(o *object) {
	c := &d.c
	o.take("model")
	d.chatMessages(o.list("messages"))
	d.chatTools(o)
	o.limit("max_tokens")
	o.limit("max_completion_tokens")
	d.sampling(o)
	c.seed, c.presence, c.frequency = o.number("seed"), o.number("presence_penalty"), o.number("frequency_penalty")
	c.stop = d.chatStop(o)
	d.chatFormat(o.object("response_format"))
	if effort := o.text("reasoning_effort"); effort != "" {
		c.thinking = thinking{path: o.at("reasoning_effort"), effort: effort, show: true}
	}
	d.verbosity(o)
	c.user = o.text("user")
	c.stream = o.bool("stream")
	d.chatStreamOptions(o.object("stream_options"))

	o.only("n", "1")
	o.only("logprobs", "false")
	o.only("top_logprobs", "0")
	o.only("logit_bias", "{}")
	o.only("modalities", `["text"]`)
	o.only("audio")
	o.only("web_search_options")
	o.only("moderation")
	o.only("functions", "[]")
	o.only("function_call")
	o.drop("metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "prediction")
}

// sampling has one name in all callers' dialects.
func (d *decoding) sampling(o *object) {
	d.c.temperature, d.c.topP, d.c.topK = o.number("temperature"), o.number("top_p"), o.number("top_k")
}

// verbosity of the middle is what a model does unasked.
func (d *decoding) verbosity(o *object) {
	if v := o.text("verbosity"); v != "" && v != "medium" {
		raw, _ := json.Marshal(v)
		d.c.verbosity = setting{path: o.at("verbosity"), value: raw}
	}
}

// chatStreamOptions: whether the caller gets usage is the answer's matter.
func (d *decoding) chatStreamOptions(o *object) {
	if o == nil {
		return
	}
	o.take("include_usage")
	o.drop("include_obfuscation", "continuous_usage_stats")
	o.close()
}

func (d *decoding) chatStop(o *object) []string {
	raw, ok := o.members["stop"]
	if ok && raw[0] == '"' {
		return []string{o.text("stop")}
	}
	return o.texts("stop")
}

func (d *decoding) chatMessages(messages []json.RawMessage) {
	for i, raw := range messages {
		o := d.object(index("messages", i), raw)
		switch role := o.needText("role"); role {
		case "system", "developer":
			d.chatSystem(o)
		case "user":
			d.c.add(turn{role: user, path: o.path, parts: d.chatUser(o)})
		case "assistant":
			d.c.add(turn{role: assistant, path: o.path, parts: d.chatAssistant(o)})
		case "tool":
			d.c.add(turn{role: user, path: o.path, parts: []part{d.chatResult(o)}})
		default:
			d.refuse(o.at("role"), "the role "+role+" is not known", "system, developer, user, assistant or tool")
		}
		o.close()
	}
}

// chatSystem: what stands before the conversation is the system's text, what
// comes later keeps its place.
func (d *decoding) chatSystem(o *object) {
	o.drop("name")
	parts := d.chatContent(o)
	for _, p := range parts {
		if p.kind != text {
			d.bad(p.path, "a system message holds text alone", "text")
		}
	}
	if len(d.c.turns) == 0 {
		d.c.system = append(d.c.system, parts...)
		return
	}
	d.c.add(turn{role: system, path: o.path, parts: parts})
}

func (d *decoding) chatUser(o *object) []part {
	if o.text("name") != "" {
		d.refuse(o.at("name"), "no other dialect says who of several users speaks", "put the name into the text")
	}
	return d.chatContent(o)
}

func (d *decoding) chatResult(o *object) part {
	o.drop("name")
	return part{kind: result, path: o.path, id: o.needText("tool_call_id"), content: d.chatContent(o)}
}

func (d *decoding) chatAssistant(o *object) []part {
	o.drop("name", "annotations", "parsed") // parsed: OpenAI's client for Python sends back what it made of the text
	o.only("audio")
	o.only("function_call")
	parts := d.chatReasoning(o)
	parts = append(parts, d.chatContent(o)...)
	parts = addText(parts, part{kind: refusal, path: o.at("refusal"), text: o.text("refusal")})
	for i, raw := range o.list("tool_calls") {
		parts = append(parts, d.chatCall(d.object(index(o.at("tool_calls"), i), raw)))
	}
	return parts
}

func (d *decoding) chatCall(o *object) part {
	d.wantType(o, "function", "a tool call of the type ")
	o.take("index")
	f := o.object("function")
	f.drop("parsed_arguments") // likewise
	p := part{kind: call, path: o.path, id: o.needText("id"), name: f.needText("name"), args: f.text("arguments")}
	if f == nil {
		d.bad(o.at("function"), "it is missing", `{"name": "...", "arguments": "{...}"}`)
	}
	f.close()
	if extra := o.object("extra_content"); extra != nil { // as Google's own chat endpoint has it
		if google := extra.object("google"); google != nil {
			p.signature = openSignature(google.text("thought_signature"), weir.Gemini)
			google.close()
		}
		extra.close()
	}
	o.close()
	return p
}

// chatReasoning takes the reasoning of an earlier turn under the names that
// servers give it. OpenRouter's details say whose it is.
func (d *decoding) chatReasoning(o *object) []part {
	plain := o.text("reasoning_content")
	if s := o.text("reasoning"); plain == "" {
		plain = s
	}
	var parts []part
	for i, raw := range o.list("reasoning_details") {
		detail := d.object(index(o.at("reasoning_details"), i), raw)
		parts = append(parts, d.reasoningDetail(detail))
		detail.close()
	}
	if len(parts) > 0 {
		return parts // they hold the plain text too
	}
	return addText(nil, part{kind: reasoning, path: o.at("reasoning_content"), text: plain})
}

func (d *decoding) reasoningDetail(o *object) part {
	p := part{kind: reasoning, path: o.path}
	var own weir.Dialect
	switch format := o.text("format"); {
	case strings.HasPrefix(format, "anthropic-"):
		own = weir.Anthropic
	case strings.HasPrefix(format, "google-gemini-"):
		own = weir.Gemini
	}
	p.text = o.text("text") + o.text("summary")
	signed, data := o.text("signature"), o.text("data")
	p.signature, p.redacted = openSignature(signed+data, own), data != ""
	for _, name := range []string{"type", "id", "index"} {
		o.take(name)
	}
	return p
}

// wantType refuses other types than the one; none is that one.
func (d *decoding) wantType(o *object, want, what string) {
	if t := o.text("type"); t != want && t != "" {
		d.refuse(o.at("type"), what+t+" is not translated", "only "+want)
	}
}

func (d *decoding) chatTools(o *object) {
	for i, raw := range o.list("tools") {
		t := d.object(index("tools", i), raw)
		d.wantType(t, "function", "a tool of the type ")
		f := t.object("function")
		if f == nil {
			d.bad(t.at("function"), "it is missing", `{"name": "...", "parameters": {...}}`)
		}
		cache, _ := t.take("cache_control")
		d.c.tools = append(d.c.tools, tool{
			path: t.path, name: f.needText("name"), description: f.text("description"),
			schema: f.schema("parameters"), strict: f.bool("strict"), cache: cache,
		})
		f.close()
		t.close()
	}
	d.openAIChoice(o, "function")
	d.parallel(o)
}

func (d *decoding) parallel(o *object) {
	if b, ok := read[bool](o, "parallel_tool_calls", "true or false"); ok && !b {
		d.c.parallel = setting{path: o.at("parallel_tool_calls"), value: json.RawMessage("false")}
	}
}

// openAIChoice takes tool_choice; inside names the object that holds the name
// of a tool, if there is one.
func (d *decoding) openAIChoice(o *object, inside string) {
	raw, ok := o.members["tool_choice"]
	if !ok {
		return
	}
	c := choice{path: o.at("tool_choice")}
	if raw[0] == '"' {
		switch mode := o.text("tool_choice"); mode {
		case "auto":
			c.mode = may
		case "none":
			c.mode = mustNot
		case "required":
			c.mode = must
		default:
			d.bad(c.path, "the choice "+mode+" is not known", "auto, none, required or a tool")
		}
		d.c.choice = c
		return
	}
	t := o.object("tool_choice")
	d.wantType(t, "function", "a choice of the type ")
	named := t
	if inside != "" {
		named = t.object(inside)
	}
	c.mode, c.name = mustThis, named.text("name")
	if c.name == "" {
		d.bad(c.path, "it names no tool", "auto, none, required or a tool")
	}
	named.close()
	t.close()
	d.c.choice = c
}

func (d *decoding) chatFormat(o *object) {
	if o == nil {
		return
	}
	switch t := o.text("type"); t {
	case "text":
	case "json_object":
		d.c.format = format{path: o.path, json: true}
	case "json_schema":
		s := o.object("json_schema")
		d.schemaFormat(s)
		s.close()
	default:
		d.refuse(o.at("type"), "the format "+t+" is not translated", "text, json_object or json_schema")
	}
	o.close()
}

// schemaFormat takes the members of OpenAI's JSON schema format.
func (d *decoding) schemaFormat(o *object) {
	if o == nil {
		d.bad("the format", "it has no schema", `{"name": "...", "schema": {...}}`)
		return
	}
	f := format{path: o.path, json: true, name: o.text("name"), description: o.text("description"), schema: o.schema("schema")}
	if strict, ok := read[bool](o, "strict", "true or false"); ok {
		f.strict = weir.Some(strict)
	}
	if f.schema == nil {
		d.bad(o.at("schema"), "it is missing", "a JSON schema")
	}
	d.c.format = f
}
