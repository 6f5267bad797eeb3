package translate

import (
	"encoding/json"

	"weir.dev/weir"
)

// anthropic reads a request of Anthropic's Messages API.
func (d *decoding) anthropic(o *object) {
	c := &d.c
	o.take("model")
	c.cache, _ = o.take("cache_control")
	for _, p := range d.content(o, "system", d.anthropicPart) {
		if p.kind != text {
			d.bad(p.path, "the system's blocks are text", "text")
		}
		c.system = append(c.system, p)
	}
	d.anthropicMessages(o.list("messages"))
	d.anthropicTools(o)
	o.limit("max_tokens")
	d.sampling(o)
	c.stop = o.texts("stop_sequences")
	d.anthropicThinking(o)
	if m := o.object("metadata"); m != nil {
		c.user = m.text("user_id")
		m.close()
	}
	c.stream = o.bool("stream")

	o.only("container")
	o.only("mcp_servers", "[]")
	o.drop("service_tier", "inference_geo", "speed", "user_profile_id", "workspace_id", "diagnostics", "context_management")
}

// anthropicThinking: thinking says whether and how long, output_config how
// hard. Thinking that is off is what a model does unasked, and where it is not,
// hardly any target can be told so.
func (d *decoding) anthropicThinking(o *object) {
	t := &d.c.thinking
	if config := o.object("output_config"); config != nil {
		t.effort, t.path = config.text("effort"), config.at("effort")
		if f := config.object("format"); f != nil {
			d.wantType(f, "json_schema", "the format ")
			d.c.format = format{path: f.path, json: true, schema: f.schema("schema"), strict: weir.Some(true)}
			if d.c.format.schema == nil {
				d.bad(f.at("schema"), "it is missing", "a JSON schema")
			}
			f.close()
		}
		config.only("task_budget")
		config.close()
	}
	mode := o.object("thinking")
	if mode == nil {
		return
	}
	switch kind := mode.text("type"); kind {
	case "disabled":
		if t.effort != "" {
			d.c.dropped = append(d.c.dropped, t.path)
		}
		*t = thinking{}
		d.c.dropped = append(d.c.dropped, mode.path)
	case "enabled":
		if n, ok := read[int](mode, "budget_tokens", "an integer"); ok {
			t.budget = weir.Some(n)
		}
		t.path, t.show = mode.at("budget_tokens"), true
	case "adaptive":
		t.adaptive, t.show = true, true
	default:
		d.refuse(mode.at("type"), "thinking of the type "+kind+" is not translated", "enabled, adaptive or disabled")
	}
	if mode.text("display") == "omitted" {
		t.show = false
	}
	mode.close()
}

func (d *decoding) anthropicMessages(messages []json.RawMessage) {
	for i, raw := range messages {
		o := d.object(index("messages", i), raw)
		t := turn{path: o.path, parts: d.content(o, "content", d.anthropicPart)}
		switch r := o.needText("role"); r {
		case "user", "assistant", "system":
			t.role = role(r)
		default:
			d.refuse(o.at("role"), "the role "+r+" is not known", "user or assistant")
		}
		o.close()
		d.c.add(t)
	}
}

func (d *decoding) anthropicPart(o *object) part {
	p := part{path: o.path}
	p.cache, _ = o.take("cache_control")
	switch t := o.text("type"); t {
	case "text":
		p.text = o.text("text")
		o.drop("citations")
	case "image":
		p.kind = image
		d.anthropicSource(&p, o.object("source"))
	case "document":
		p.kind = document
		p.name = o.text("title")
		o.only("context")
		o.only("citations", `{"enabled":false}`)
		d.anthropicSource(&p, o.object("source"))
	case "tool_use":
		p.kind, p.id, p.name = call, o.needText("id"), o.needText("name")
		p.args = string(o.schema("input"))
		o.only("caller", `{"type":"direct"}`)
	case "tool_result":
		p.kind, p.id, p.failed = result, o.needText("tool_use_id"), o.bool("is_error")
		p.content = d.content(o, "content", d.anthropicResultPart)
	case "thinking":
		p.kind, p.text = reasoning, o.text("thinking")
		p.signature = openSignature(o.text("signature"), weir.Anthropic)
	case "redacted_thinking":
		p.kind, p.redacted = reasoning, true
		p.signature = openSignature(o.text("data"), weir.Anthropic)
	default:
		d.refuse(at(o.path, t), "blocks of this type are not translated", "text, image, document, tool_use, tool_result or thinking")
	}
	return p
}

// anthropicResultPart is a block of what a tool gave back; it holds no results.
func (d *decoding) anthropicResultPart(o *object) part {
	raw := o.members["type"]
	switch string(raw) {
	case `"text"`, `"image"`, `"document"`:
		return d.anthropicPart(o)
	}
	d.refuse(o.path, "a tool's result of this type is not translated", "text, image or document")
	return part{}
}

func (d *decoding) anthropicSource(p *part, o *object) {
	if o == nil {
		d.bad(at(p.path, "source"), "it is missing", `{"type": "base64", "media_type": "...", "data": "..."}`)
		return
	}
	switch t := o.text("type"); {
	case t == "base64":
		p.media, p.data = o.needText("media_type"), o.needText("data")
	case t == "url" && p.kind == image:
		p.url = o.needText("url")
	default:
		d.refuse(o.at("type"), "a source of the type "+t+" is not translated", "base64, or the URL of an image")
	}
	if p.kind == document && p.media != "application/pdf" {
		d.refuse(o.at("media_type"), "only PDF documents are translated", "application/pdf, or a text block")
	}
	o.close()
}

func (d *decoding) anthropicTools(o *object) {
	for i, raw := range o.list("tools") {
		t := d.object(index("tools", i), raw)
		d.wantType(t, "custom", "a tool of the type ")
		t.only("defer_loading", "false")
		t.only("allowed_callers", `["direct"]`, "[]")
		t.only("input_examples", "[]")
		t.drop("eager_input_streaming")
		tl := tool{
			path: t.path, name: t.needText("name"), description: t.text("description"),
			schema: t.schema("input_schema"), strict: t.bool("strict"),
		}
		tl.cache, _ = t.take("cache_control")
		d.c.tools = append(d.c.tools, tl)
		t.close()
	}
	d.anthropicChoice(o.object("tool_choice"))
}

func (d *decoding) anthropicChoice(o *object) {
	if o == nil {
		return
	}
	c := choice{path: o.path}
	switch t := o.text("type"); t {
	case "auto":
		c.mode = may
	case "any":
		c.mode = must
	case "none":
		c.mode = mustNot
	case "tool":
		c.mode, c.name = mustThis, o.needText("name")
	default:
		d.bad(o.at("type"), "the choice "+t+" is not known", "auto, any, none or tool")
	}
	if o.bool("disable_parallel_tool_use") {
		d.c.parallel = setting{path: o.at("disable_parallel_tool_use"), value: json.RawMessage("false")}
	}
	d.c.choice = c
	o.close()
}
