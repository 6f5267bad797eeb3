package catalog

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"weir.dev/weir"
)

// page is one page of a list of models.
type page struct {
	models []Model
	next   url.Values // what asks for the page after it; nil: there is none
}

// readPage reads a page in any of the known forms. It is not ok if the body is
// none of them; entries without a name are left out.
func readPage(body []byte) (page, bool) {
	body = bytes.TrimSpace(body)
	var list struct {
		Data, Models, Result *[]map[string]any
		HasMore              bool   `json:"has_more"`
		LastID               string `json:"last_id"`
		NextPageToken        string `json:"nextPageToken"`
	}
	var entries []map[string]any
	if bytes.HasPrefix(body, []byte("[")) { // Together's
		if json.Unmarshal(body, &entries) != nil {
			return page{}, false
		}
	} else {
		if json.Unmarshal(body, &list) != nil {
			return page{}, false
		}
		switch {
		case list.Data != nil:
			entries = *list.Data
		case list.Models != nil:
			entries = *list.Models
		case list.Result != nil: // Cloudflare's
			entries = *list.Result
		default:
			return page{}, false
		}
	}
	var p page
	for _, e := range entries {
		if m := entry(e).model(list.Result != nil); m.ID != "" {
			p.models = append(p.models, m)
		}
	}
	switch {
	case len(p.models) == 0: // a page without models ends even a list that says it goes on
		return p, len(entries) == 0
	case list.NextPageToken != "":
		p.next = url.Values{"pageToken": {list.NextPageToken}}
	case list.HasMore && list.LastID != "":
		p.next = url.Values{"after_id": {list.LastID}}
	}
	return p, true
}

// entry is one model as some provider describes it.
type entry map[string]any

// model picks the fields by the names that providers give them. In Cloudflare's
// list the id is a number of its own and name is what requests use.
func (e entry) model(named bool) Model {
	m := Model{
		ID:           e.text("id", "model", "name"),
		Title:        e.text("display_name", "displayName", "name"),
		Owner:        e.text("owned_by", "organization"),
		Kind:         e.text("type", "model_type"),
		Context:      e.count("context_length", "context_window", "max_model_len", "max_context_length", "context_size", "inputTokenLimit", "max_input_tokens"),
		Quantisation: e.text("quantization", "quantisation", "precision"),
		Created:      e.when("created", "created_at"),
	}
	if named {
		m.ID = e.text("name")
	}
	if details, ok := e["details"].(map[string]any); ok { // Ollama's
		m.Quantisation = entry(details).text("quantization_level")
	}
	m.ID = strings.TrimPrefix(m.ID, "models/") // Gemini's
	if m.Title == m.ID || strings.HasPrefix(m.Title, "models/") {
		m.Title = ""
	}
	if m.Kind == "model" {
		m.Kind = ""
	}
	return m
}

// text is the first of these fields that holds a text, cut to a sane length
// and to its printable part.
func (e entry) text(names ...string) string {
	const most = 256
	for _, name := range names {
		s, _ := e[name].(string)
		s = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return -1
			}
			return r
		}, s)
		if s != "" && len(s) <= most {
			return strings.ToValidUTF8(s, "?")
		}
	}
	return ""
}

func (e entry) count(names ...string) weir.Opt[int] {
	const most = 1 << 40
	for _, name := range names {
		if n, ok := e[name].(float64); ok && n >= 1 && n <= most {
			return weir.Some(int(n))
		}
	}
	return weir.Opt[int]{}
}

// when reads Unix seconds or RFC 3339. A time before computers is none.
func (e entry) when(names ...string) time.Time {
	const latest = 1 << 38
	for _, name := range names {
		switch v := e[name].(type) {
		case float64:
			if v >= 1 && v < latest {
				return time.Unix(int64(v), 0).UTC()
			}
		case string:
			if t, err := time.Parse(time.RFC3339, v); err == nil && t.Unix() > 0 {
				return t.UTC()
			}
		}
	}
	return time.Time{}
}
