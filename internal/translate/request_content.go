package translate

import (
	"encoding/json"
	"strings"

	"weir.dev/weir/internal/request"
)

// chatContent takes a message's content, a text or a list of parts.
func (d *decoding) chatContent(o *object) []part {
	cache, _ := o.take("cache_control") // OpenRouter has it on messages too
	parts := d.content(o, "content", d.chatPart)
	if n := len(parts); n > 0 && parts[n-1].cache == nil {
		parts[n-1].cache = cache
	}
	return parts
}

// content takes a member that is a text or a list of parts.
func (d *decoding) content(o *object, name string, onePart func(*object) part) []part {
	raw, ok := o.members[name]
	if !ok {
		return nil
	}
	if raw[0] == '"' {
		return addText(nil, part{path: o.at(name), text: o.text(name)})
	}
	var parts []part
	list, _ := read[[]json.RawMessage](o, name, "a string or a list of parts")
	for i, raw := range list {
		po := d.object(index(o.at(name), i), raw)
		p := onePart(po)
		po.close()
		if p.kind == text {
			parts = addText(parts, p)
			continue
		}
		parts = append(parts, p)
	}
	return parts
}

func (d *decoding) chatPart(o *object) part {
	p := part{path: o.path}
	p.cache, _ = o.take("cache_control")
	o.drop("prompt_cache_breakpoint")
	switch t := o.text("type"); t {
	case "text":
		p.text = o.text("text")
	case "refusal":
		p.kind, p.text = refusal, o.text("refusal")
	case "image_url":
		p.kind = image
		u := o.object("image_url")
		d.imageURL(&p, u, "url")
		u.drop("detail")
		u.close()
	case "file":
		p.kind = document
		f := o.object("file")
		f.only("file_id")
		d.fileData(&p, f)
		f.close()
	default:
		d.refuse(at(o.path, t), "parts of this type are not translated", "text, image_url or file")
	}
	return p
}

// imageURL takes an image's address, which may hold the image.
func (d *decoding) imageURL(p *part, o *object, name string) {
	p.url = o.needText(name)
	if !strings.HasPrefix(p.url, "data:") {
		return
	}
	var ok bool
	if p.media, p.data, ok = request.CutImage(p.url); !ok {
		d.refuse(o.at(name), "the data URL holds no image in base64", "data:image/png;base64,...")
	}
	p.url = ""
}

// fileData takes a PDF as OpenAI's dialects have it.
func (d *decoding) fileData(p *part, o *object) {
	const pdf = "data:application/pdf;base64,"
	p.name, p.media = o.text("filename"), "application/pdf"
	data, ok := strings.CutPrefix(o.needText("file_data"), pdf)
	if !ok {
		d.refuse(o.at("file_data"), "only PDF files are translated", pdf+"...")
	}
	p.data = data
}
