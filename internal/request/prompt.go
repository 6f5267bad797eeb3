package request

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"weir.dev/weir"
)

// The roles a message of a Spec can have. What the system says is Spec.System.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	Role   string
	Text   string
	Images []string `json:",omitempty"` // the user's, after the text: URLs with http:, https: or data:image/png;base64,

	// The marks tell a prompt cache to keep all that is asked up to them, so that
	// another request with the same beginning finds it. Only Anthropic has marks,
	// and keeps nothing without one; the others keep what they like, and what they
	// are sent is the same with a mark and without.
	CacheUpTo int  `json:",omitempty"` // a mark after so many bytes of Text, where what is shared with other requests ends; 0: none
	CacheAll  bool `json:",omitempty"` // a mark at the message's end, images included
}

// mostMarks is how many marks Anthropic takes in one request.
const mostMarks = 4

// marks counts the marks of s. With one in a message the system's text gets one
// too: it may be shared where the messages are not.
func (s Spec) marks() int {
	n := 0
	for _, m := range s.Messages {
		if m.CacheUpTo > 0 {
			n++
		}
		if m.CacheAll {
			n++
		}
	}
	if n > 0 && s.System != "" {
		n++
	}
	return n
}

// flaw is what is wrong with a message in the dialect d, and what would be
// right; both are empty for a sound one.
func (m Message) flaw(d weir.Dialect) (what, hint string) {
	n := m.CacheUpTo
	switch {
	case m.Role != RoleUser && m.Role != RoleAssistant:
		return fmt.Sprintf("has the role %q", m.Role), "user or assistant; what the system says is apart"
	case n < 0 || n > len(m.Text) || n < len(m.Text) && !utf8.RuneStart(m.Text[n]):
		return fmt.Sprintf("has a cache mark at byte %d of %d", n, len(m.Text)), "between two characters of its text, or 0 for none"
	case len(m.Images) == 0:
		return "", ""
	case m.Role == RoleAssistant:
		return "is the assistant's and has an image", "only the user's messages take images"
	case d == weir.OpenAICompletions:
		return "has an image", "completions take none; use openai-chat"
	}
	for i, u := range m.Images {
		if _, _, ok := CutImage(u); ok {
			continue
		}
		switch {
		case !strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://"):
			return fmt.Sprintf("has %.40q as image %d", u, i), "a URL with http: or https:, or data:image/png;base64,..."
		case d == weir.Gemini || d == weir.Ollama:
			return fmt.Sprintf("has a link as image %d", i), "it takes none: give the image itself, as a file or as data:image/png;base64,..."
		}
	}
	return "", ""
}

// CutImage cuts the URL of an image that is in the URL itself,
// data:image/png;base64,..., into its media type and its base64. It is not ok
// for any other. What the base64 holds is not looked at.
func CutImage(u string) (media, base64 string, ok bool) {
	head, base64, _ := strings.Cut(u, ",")
	media, isBase64 := strings.CutSuffix(strings.TrimPrefix(head, "data:"), ";base64")
	kind, isImage := strings.CutPrefix(media, "image/")
	if !strings.HasPrefix(u, "data:") || !isBase64 || !isImage || kind == "" || strings.Contains(kind, ";") || base64 == "" {
		return "", "", false
	}
	return media, base64, true
}
