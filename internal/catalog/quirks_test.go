package catalog

import (
	"path"
	"slices"
	"testing"

	"weir.dev/weir/internal/request"
)

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		provider, model string
		want            []string
	}{
		{"openai", "gpt-4o-mini", []string{"max_tokens"}},
		{"openai", "o3-mini-2025-01-31", []string{"max_tokens", "temperature"}},
		{"openai", "gpt-5-2025-08-07", []string{"max_tokens", "temperature"}},
		{"openai", "gpt-5-chat-latest", []string{"max_tokens"}},
		{"openai", "gpt-5.2", []string{"max_tokens"}},
		{"azure", "gpt-5-mini", []string{"max_tokens", "temperature"}},
		{"cohere", "command-a", []string{"stream_options"}},
		{"groq", "openai/gpt-oss-120b", nil},
	} {
		p, err := Find(c.provider)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Quirks.Refused(c.model); !slices.Equal(got, c.want) {
			t.Errorf("%s/%s: %q, not %q", c.provider, c.model, got, c.want)
		}
	}
}

// TestQuirksAreActedOn: the request package knows each name, and each pattern
// can be read.
func TestQuirksAreActedOn(t *testing.T) {
	for _, p := range Providers() {
		if name := p.Quirks.MaxTokensName; name != "" && name != "max_completion_tokens" {
			t.Errorf("%s: the field %s for the limit is not known", p.Name, name)
		}
		for _, pattern := range p.Quirks.NoTemperature {
			if _, err := path.Match(pattern, "model"); err != nil {
				t.Errorf("%s: %q: %v", p.Name, pattern, err)
			}
		}
		var l request.Learned
		refused := p.Quirks.Refused("o1")
		l.Assume(refused...)
		for _, name := range refused {
			if name != "max_tokens" && !slices.Contains(l.Dropped(), name) {
				t.Errorf("%s: %s is sent all the same", p.Name, name)
			}
		}
	}
}
