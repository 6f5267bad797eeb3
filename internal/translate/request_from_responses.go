package translate

import (
	"encoding/json"
	"strings"

	"weir.dev/weir"
)

// responses reads a request of OpenAI's Responses API.
func (d *decoding) responses(o *object) {
	c := &d.c
	o.take("model")
	c.system = addText(c.system, part{path: o.at("instructions"), text: o.text("instructions")})
	d.responsesInput(o)
	d.responsesTools(o)
	o.limit("max_output_tokens")
	d.sampling(o)
	if t := o.object("text"); t != nil {
		d.responsesFormat(t.object("format"))
		d.verbosity(t)
		t.close()
	}
	d.responsesReasoning(o.object("reasoning"))
	d.responsesInclude(o)
	c.user = o.text("user")
	c.stream = o.bool("stream")

	o.only("previous_response_id")
	o.only("conversation")
	o.only("prompt")
	o.only("background", "false")
	o.only("top_logprobs", "0")
	o.only("moderation")
	o.drop("metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention",
		"prompt_cache_options", "stream_options", "truncation", "max_tool_calls", "context_management")
}

// responsesInclude: what the answer is to hold beside the output. Of tools that
// are refused anyway there is nothing to include.
func (d *decoding) responsesInclude(o *object) {
	for i, name := range o.texts("include") {
		if name == "message.output_text.logprobs" {
			d.refuse(index(o.at("include"), i), "no target of another dialect has logprobs", "leave it out")
		}
	}
}

func (d *decoding) responsesReasoning(o *object) {
	if o == nil {
		return
	}
	effort, summary := o.text("effort"), o.text("summary")+o.text("generate_summary")
	if effort != "" || summary != "" {
		d.c.thinking = thinking{path: o.at("effort"), effort: effort, show: summary != ""}
	}
	o.only("mode", `"standard"`)
	o.drop("context")
	o.close()
}

func (d *decoding) responsesFormat(o *object) {
	if o == nil {
		return
	}
	switch t := o.text("type"); t {
	case "text":
	case "json_object":
		d.c.format = format{path: o.path, json: true}
	case "json_schema":
		d.schemaFormat(o)
	default:
		d.refuse(o.at("type"), "the format "+t+" is not translated", "text, json_object or json_schema")
	}
	o.close()
}

// responsesInput reads the input: a text, or items. What the assistant did in a
// row of items is one turn.
func (d *decoding) responsesInput(o *object) {
	raw, ok := o.members["input"]
	if ok && raw[0] == '"' {
		d.c.add(turn{role: user, path: o.at("input"), parts: addText(nil, part{path: o.at("input"), text: o.text("input")})})
		return
	}
	items, _ := read[[]json.RawMessage](o, "input", "a string or a list of items")
	for i, raw := range items {
		item := d.object(index("input", i), raw)
		t := d.responsesItem(item)
		item.close()
		if n := len(d.c.turns); n > 0 && t.role == assistant && d.c.turns[n-1].role == assistant {
			d.c.turns[n-1].parts = append(d.c.turns[n-1].parts, t.parts...)
			continue
		}
		d.c.add(t)
	}
}

func (d *decoding) responsesItem(o *object) turn {
	o.take("id")
	o.take("status")
	t := turn{path: o.path}
	switch kind := o.text("type"); kind {
	case "message", "":
		return d.responsesMessage(o)
	case "function_call":
		t.role, t.parts = assistant, []part{d.responsesCall(o)}
	case "function_call_output":
		t.role, t.parts = user, []part{{
			kind: result, path: o.path, id: o.needText("call_id"), content: d.content(o, "output", d.responsesPart),
		}}
		o.drop("name")
		o.only("caller", `{"type":"direct"}`)
	case "reasoning":
		t.role, t.parts = assistant, []part{d.responsesThought(o)}
	default:
		d.refuse(at(o.path, kind), "items of this type are not translated", "message, function_call, function_call_output or reasoning")
	}
	return t
}

func (d *decoding) responsesCall(o *object) part {
	o.only("caller", `{"type":"direct"}`)
	o.only("namespace")
	o.only("async", "false")
	return part{kind: call, path: o.path, id: o.needText("call_id"), name: o.needText("name"), args: o.text("arguments")}
}

// responsesMessage: instructions and what developers say before the
// conversation are the system's text.
func (d *decoding) responsesMessage(o *object) turn {
	o.drop("phase")
	parts := d.content(o, "content", d.responsesPart)
	t := turn{path: o.path, parts: parts}
	switch r := o.needText("role"); r {
	case "user":
		t.role = user
	case "assistant":
		t.role = assistant
	case "system", "developer":
		for _, p := range parts {
			if p.kind != text {
				d.refuse(p.path, "a system message holds text alone", "put it into a message of the user")
			}
		}
		if len(d.c.turns) > 0 {
			t.role = system
			break
		}
		d.c.system = append(d.c.system, parts...)
		t.parts = nil
	default:
		d.refuse(o.at("role"), "the role "+r+" is not known", "user, assistant, system or developer")
	}
	return t
}

func (d *decoding) responsesThought(o *object) part {
	p := part{kind: reasoning, path: o.path}
	var texts []string
	for _, name := range []string{"summary", "content"} {
		for i, raw := range o.list(name) {
			s := d.object(index(o.at(name), i), raw)
			texts = append(texts, s.text("text"))
			s.take("type")
			s.close()
		}
	}
	p.text = strings.Join(texts, "\n\n")
	p.signature = openSignature(o.text("encrypted_content"), weir.OpenAIResponses)
	p.redacted = p.text == "" && p.signature.value != ""
	return p
}

func (d *decoding) responsesPart(o *object) part {
	p := part{path: o.path}
	o.drop("prompt_cache_breakpoint")
	switch t := o.text("type"); t {
	case "input_text", "output_text", "text":
		p.text = o.text("text")
		o.drop("annotations", "logprobs")
	case "refusal":
		p.kind, p.text = refusal, o.text("refusal")
	case "input_image":
		p.kind = image
		o.only("file_id")
		d.imageURL(&p, o, "image_url")
		o.drop("detail")
	case "input_file":
		p.kind = document
		o.only("file_id")
		o.only("file_url")
		d.fileData(&p, o)
		o.drop("detail")
	default:
		d.refuse(at(o.path, t), "parts of this type are not translated", "input_text, input_image or input_file")
	}
	return p
}

func (d *decoding) responsesTools(o *object) {
	for i, raw := range o.list("tools") {
		t := d.object(index("tools", i), raw)
		d.wantType(t, "function", "a tool of the type ")
		t.only("defer_loading", "false")
		t.only("async", "false")
		t.only("allowed_callers", `["direct"]`, "[]")
		t.drop("output_schema")
		d.c.tools = append(d.c.tools, tool{
			path: t.path, name: t.needText("name"), description: t.text("description"),
			schema: t.schema("parameters"), strict: t.bool("strict"),
		})
		t.close()
	}
	d.openAIChoice(o, "")
	d.parallel(o)
}
