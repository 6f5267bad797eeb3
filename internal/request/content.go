package request

import "strings"

// turns writes the messages, each with the content that its dialect has.
func (s Spec) turns(content func(Message) any) []fields {
	turns := make([]fields, len(s.Messages))
	for i, m := range s.Messages {
		turns[i] = fields{{"role", m.Role}, {"content", content(m)}}
	}
	return turns
}

// withSystem has the system's text as the first message.
func (s Spec) withSystem(turns []fields) []fields {
	if s.System == "" {
		return turns
	}
	return append([]fields{{{"role", "system"}, {"content", s.System}}}, turns...)
}

// parts is a message's text, where there is one, and its images.
func (m Message) parts(text, image func(string) fields) []fields {
	var parts []fields
	if m.Text != "" {
		parts = append(parts, text(m.Text))
	}
	for _, u := range m.Images {
		parts = append(parts, image(u))
	}
	return parts
}

func typedText(text string) fields { return fields{{"type", "text"}, {"text", text}} }

func chatContent(m Message) any {
	if len(m.Images) == 0 {
		return m.Text
	}
	return m.parts(typedText, func(u string) fields {
		return fields{{"type", "image_url"}, {"image_url", fields{{"url", u}}}}
	})
}

func responsesContent(m Message) any {
	if len(m.Images) == 0 {
		return m.Text
	}
	text := func(s string) fields { return fields{{"type", "input_text"}, {"text", s}} }
	return m.parts(text, func(u string) fields {
		return fields{{"type", "input_image"}, {"image_url", u}}
	})
}

// anthropicContent cuts the text in two at a mark within it: a mark is a
// block's, and keeps the block whole.
func anthropicContent(m Message) any {
	marked := m.CacheUpTo > 0 || m.CacheAll
	if len(m.Images) == 0 && (!marked || m.Text == "") {
		return m.Text
	}
	var blocks []fields
	rest := m
	if m.CacheUpTo > 0 {
		blocks = append(blocks, mark(typedText(m.Text[:m.CacheUpTo])))
		rest.Text = m.Text[m.CacheUpTo:]
	}
	if more := rest.parts(typedText, anthropicImage); len(more) > 0 {
		if last := &more[len(more)-1]; m.CacheAll {
			*last = mark(*last)
		}
		blocks = append(blocks, more...)
	}
	return blocks
}

func anthropicImage(u string) fields {
	source := fields{{"type", "url"}, {"url", u}}
	if media, base64, ok := CutImage(u); ok {
		source = fields{{"type", "base64"}, {"media_type", media}, {"data", base64}}
	}
	return fields{{"type", "image"}, {"source", source}}
}

func (s Spec) anthropicSystem() any {
	if s.marks() == 0 {
		return s.System
	}
	return []fields{mark(typedText(s.System))}
}

// mark has Anthropic's cache keep all up to the block's end, for five minutes
// since it was last asked for.
func mark(block fields) fields {
	return append(block, field{"cache_control", fields{{"type", "ephemeral"}}})
}

func geminiText(text string) fields { return fields{{"text", text}} }

func geminiParts(m Message) []fields {
	if len(m.Images) == 0 {
		return []fields{geminiText(m.Text)}
	}
	return m.parts(geminiText, func(u string) fields {
		media, base64, _ := CutImage(u)
		return fields{{"inlineData", fields{{"mimeType", media}, {"data", base64}}}}
	})
}

// ollamaTurns has the images beside the text, as bare base64.
func (s Spec) ollamaTurns() []fields {
	turns := s.turns(func(m Message) any { return m.Text })
	for i, m := range s.Messages {
		var images []string
		for _, u := range m.Images {
			_, base64, _ := CutImage(u)
			images = append(images, base64)
		}
		turns[i].addIf(len(images) > 0, "images", images)
	}
	return turns
}

// plainPrompt is for a dialect without roles: the texts, an empty line between.
func (s Spec) plainPrompt() string {
	var texts []string
	if s.System != "" {
		texts = append(texts, s.System)
	}
	for _, m := range s.Messages {
		texts = append(texts, m.Text)
	}
	return strings.Join(texts, "\n\n")
}
