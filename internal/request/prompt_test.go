package request

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
)

const (
	linked = "https://h/x.png?a=1&b=2"
	inline = "data:image/png;base64,iVBORw0KGgo="
)

func prompt(s Spec, d weir.Dialect) (string, error) {
	s.Model = "m"
	e, err := Encode("http://h", d, s, nil)
	if err != nil {
		return "", err
	}
	return string(e.Body), nil
}

// TestImages: the text, then the images; messages without one stay as they are.
func TestImages(t *testing.T) {
	both := []Message{{Role: RoleUser, Text: "see", Images: []string{linked, inline}}, {Role: RoleAssistant, Text: "yes?"}, {Role: RoleUser, Text: "go"}}
	data := []Message{{Role: RoleUser, Text: "see", Images: []string{inline, inline}}, {Role: RoleAssistant, Text: "yes?"}}
	bare := []Message{{Role: RoleUser, Images: []string{inline}}}
	for _, c := range []struct {
		dialect  weir.Dialect
		messages []Message
		want     string
	}{
		{weir.OpenAIChat, both, `"messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"https://h/x.png?a=1&b=2"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]},{"role":"assistant","content":"yes?"},{"role":"user","content":"go"}]`},
		{weir.OpenAIChat, bare, `"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}]`},
		{weir.OpenAIResponses, both, `"input":[{"role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"https://h/x.png?a=1&b=2"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]},{"role":"assistant","content":"yes?"},{"role":"user","content":"go"}]`},
		{weir.Anthropic, both, `"messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"url","url":"https://h/x.png?a=1&b=2"}},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]},{"role":"assistant","content":"yes?"},{"role":"user","content":"go"}]`},
		{weir.Anthropic, bare, `"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]`},
		{weir.Gemini, data, `"contents":[{"role":"user","parts":[{"text":"see"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]},{"role":"model","parts":[{"text":"yes?"}]}]`},
		{weir.Ollama, data, `"messages":[{"role":"user","content":"see","images":["iVBORw0KGgo=","iVBORw0KGgo="]},{"role":"assistant","content":"yes?"}]`},
		{weir.Ollama, bare, `"messages":[{"role":"user","content":"","images":["iVBORw0KGgo="]}]`},
	} {
		body, err := prompt(Spec{Messages: c.messages}, c.dialect)
		if err != nil || !strings.Contains(body, c.want) {
			t.Errorf("%s: %v\n got %s\nwant %s", c.dialect, err, body, c.want)
		}
	}
}

// TestCacheMarks: a mark ends a block; other dialects are sent the same bytes
// as without.
func TestCacheMarks(t *testing.T) {
	for _, c := range []struct {
		system  string
		message Message
		want    string
	}{
		{"", Message{Text: "abcdef", CacheUpTo: 4}, `"messages":[{"role":"user","content":[{"type":"text","text":"abcd","cache_control":{"type":"ephemeral"}},{"type":"text","text":"ef"}]}]`},
		{"be brief", Message{Text: "abcdef", CacheUpTo: 4, CacheAll: true}, `"system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"abcd","cache_control":{"type":"ephemeral"}},{"type":"text","text":"ef","cache_control":{"type":"ephemeral"}}]}]`},
		{"", Message{Text: "abc", CacheUpTo: 3, CacheAll: true}, `"messages":[{"role":"user","content":[{"type":"text","text":"abc","cache_control":{"type":"ephemeral"}}]}]`},
		{"", Message{Text: "abc", CacheAll: true}, `"messages":[{"role":"user","content":[{"type":"text","text":"abc","cache_control":{"type":"ephemeral"}}]}]`},
		{"", Message{Text: "abc", CacheAll: true, Images: []string{inline}}, `"messages":[{"role":"user","content":[{"type":"text","text":"abc"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="},"cache_control":{"type":"ephemeral"}}]}]`},
		{"", Message{CacheAll: true}, `"messages":[{"role":"user","content":""}]`},
		{"be brief", Message{Text: "abc"}, `"system":"be brief","messages":[{"role":"user","content":"abc"}]`},
	} {
		c.message.Role = RoleUser
		marked := Spec{System: c.system, Messages: []Message{c.message}}
		body, err := prompt(marked, weir.Anthropic)
		if err != nil || !strings.Contains(body, c.want) {
			t.Errorf("%v\n got %s\nwant %s", err, body, c.want)
		}
		c.message.CacheUpTo, c.message.CacheAll = 0, false
		bare := Spec{System: c.system, Messages: []Message{c.message}}
		for _, d := range weir.Dialects() {
			with, errWith := prompt(marked, d)
			without, errWithout := prompt(bare, d)
			if d != weir.Anthropic && (with != without || cmp.Diff(errWith, errWithout, cmp.Comparer(sameError)) != "") {
				t.Errorf("%s: a mark changes what is sent: %s, %v, %v", d, with, errWith, errWithout)
			}
		}
	}
}

func sameError(a, b error) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error())
}

func TestUnusableMessages(t *testing.T) {
	marked := Message{Role: RoleUser, Text: "x", CacheAll: true}
	for _, c := range []struct {
		dialect  weir.Dialect
		messages []Message
		want     string
	}{
		{weir.OpenAICompletions, []Message{{Role: RoleUser, Images: []string{inline}}}, "request to openai-completions: message 0 has an image (completions take none; use openai-chat)"},
		{weir.OpenAIChat, []Message{{Role: RoleUser}, {Role: RoleAssistant, Images: []string{inline}}}, "request to openai-chat: message 1 is the assistant's and has an image (only the user's messages take images)"},
		{weir.OpenAIChat, []Message{{Role: RoleUser, Images: []string{linked, "cat.png"}}}, `request to openai-chat: message 0 has "cat.png" as image 1 (a URL with http: or https:, or data:image/png;base64,...)`},
		{weir.OpenAIChat, []Message{{Role: RoleUser, Images: []string{"data:text/plain;base64,eA=="}}}, `request to openai-chat: message 0 has "data:text/plain;base64,eA==" as image 0 (a URL with http: or https:, or data:image/png;base64,...)`},
		{weir.Gemini, []Message{{Role: RoleUser, Images: []string{inline, linked}}}, "request to gemini: message 0 has a link as image 1 (it takes none: give the image itself, as a file or as data:image/png;base64,...)"},
		{weir.Ollama, []Message{{Role: RoleUser, Images: []string{linked}}}, "request to ollama: message 0 has a link as image 0 (it takes none: give the image itself, as a file or as data:image/png;base64,...)"},
		{weir.Anthropic, []Message{{Role: RoleUser, Text: "äb", CacheUpTo: 1}}, "request to anthropic: message 0 has a cache mark at byte 1 of 3 (between two characters of its text, or 0 for none)"},
		{weir.OpenAIChat, []Message{{Role: RoleUser, Text: "b", CacheUpTo: 2}}, "request to openai-chat: message 0 has a cache mark at byte 2 of 1 (between two characters of its text, or 0 for none)"},
		{weir.Anthropic, []Message{marked, marked, marked, marked}, "request to anthropic: 5 cache marks (at most 4, that of the system's text included)"},
	} {
		if _, err := prompt(Spec{System: "s", Messages: c.messages}, c.dialect); err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

func FuzzCutImage(f *testing.F) {
	f.Add(inline)
	f.Add("data:image/svg+xml;charset=utf-8;base64,eA==")
	f.Add("data:image/;base64,")
	f.Fuzz(func(t *testing.T, u string) {
		media, base64, ok := CutImage(u)
		if ok && "data:"+media+";base64,"+base64 != u || ok && base64 == "" || !ok && media+base64 != "" {
			t.Errorf("%q: %q, %q, %v", u, media, base64, ok)
		}
	})
}
