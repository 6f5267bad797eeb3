package catalog

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weir.dev/weir"
)

func TestEveryPresetIsComplete(t *testing.T) {
	all := Providers()
	if len(all) < 30 {
		t.Errorf("%d presets, want 30 or more", len(all))
	}
	taken := map[string]string{}
	for i, p := range all {
		if i > 0 && all[i-1].Name >= p.Name {
			t.Errorf("%s after %s: not sorted", p.Name, all[i-1].Name)
		}
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			if taken[name] != "" || name != strings.ToLower(name) || strings.Contains(name, "/") {
				t.Errorf("%s: the name %q is taken by %q or no id", p.Name, name, taken[name])
			}
			taken[name] = p.Name
		}
		checkPreset(t, p)
	}
}

func checkPreset(t *testing.T, p Provider) {
	t.Helper()
	scheme := "https://"
	if p.NoKey {
		scheme = "http://localhost:"
	}
	if !strings.HasPrefix(p.BaseURL, scheme) || strings.HasSuffix(p.BaseURL, "/") {
		t.Errorf("%s: base URL %s", p.Name, p.BaseURL)
	}
	if d, ok := weir.ParseDialect(string(p.Dialect)); !ok || d != p.Dialect {
		t.Errorf("%s: dialect %q", p.Name, p.Dialect)
	}
	if p.Title == "" || len(p.KeyEnv) == 0 && !p.NoKey {
		t.Errorf("%s: no title, or no key variable and not without keys", p.Name)
	}
	var named []string
	for _, a := range p.Params {
		named = append(named, a.Name)
		checkVariables(t, p.Name, a.Env)
		if len(a.Env) == 0 || !strings.Contains(p.BaseURL, "{"+a.Name+"}") {
			t.Errorf("%s: parameter %s has no variable or no place", p.Name, a.Name)
		}
	}
	for _, m := range regexp.MustCompile(`\{(.*?)\}`).FindAllStringSubmatch(p.BaseURL, -1) {
		if !slices.Contains(named, m[1]) {
			t.Errorf("%s: nothing fills %s", p.Name, m[0])
		}
	}
	checkVariables(t, p.Name, p.KeyEnv)
	if len(p.Sources) == 0 {
		t.Errorf("%s: no sources", p.Name)
	}
	for _, s := range p.Sources {
		checkPage(t, p.Name, s.URL)
		if s.Facts == "" {
			t.Errorf("%s: %s states nothing", p.Name, s.URL)
		}
	}
}

func checkVariables(t *testing.T, owner string, names []string) {
	t.Helper()
	for _, name := range names {
		if !regexp.MustCompile(`^[A-Z][A-Z0-9_]+$`).MatchString(name) {
			t.Errorf("%s: %q is no variable", owner, name)
		}
	}
}

func checkPage(t *testing.T, owner, page string) {
	t.Helper()
	if u, err := url.Parse(page); err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		t.Errorf("%s: the source %q is no https URL", owner, page)
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ name, want, hint string }{
		{"groq", "groq", ""},
		{"GROQ", "groq", ""},
		{"fireworks-ai", "fireworks", ""},
		{"google", "gemini", ""},
		{"llama.cpp", "llamacpp", ""},
		{"gorq", "", "did you mean groq"},
		{"grokk", "", "did you mean grok"},
		{"opena", "", "did you mean openai"},
		{"open", "", "openai"},
		{"deepinfar", "", "did you mean deepinfra"},
		{"mistrall", "", "did you mean mistral"},
		{"zzzzzzzz", "", "weir providers lists them all"},
		{"", "", "weir providers lists them all"},
	} {
		p, err := Find(c.name)
		var e *weir.Error
		switch {
		case c.want != "" && (err != nil || p.Name != c.want):
			t.Errorf("%q: %s, %v, want %s", c.name, p.Name, err, c.want)
		case c.want == "" && (!errors.As(err, &e) || e.Code != "unknown_provider" || !strings.Contains(e.Hint, c.hint)):
			t.Errorf("%q: %v, want a hint with %q", c.name, err, c.hint)
		}
	}
	if _, err := Find(strings.Repeat("x", 5000)); len(err.Error()) > 300 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

func TestParseTarget(t *testing.T) {
	for _, c := range []struct{ in, provider, model string }{
		{"groq/llama", "groq", "llama"},
		{"groq/openai/gpt-oss-120b", "groq", "openai/gpt-oss-120b"},
		{"cloudflare/@cf/meta/x", "cloudflare", "@cf/meta/x"},
		{"ollama/llama3.1:8b", "ollama", "llama3.1:8b"},
		{"groq", "", ""},
		{"groq/", "", ""},
		{"/llama", "", ""},
		{"", "", ""},
		{"https://h/v1", "", ""},
		{"groq/a b", "", ""},
		{"groq/a\n", "", ""},
	} {
		provider, model, err := ParseTarget(c.in)
		var e *weir.Error
		switch {
		case c.provider != "" && (err != nil || provider != c.provider || model != c.model):
			t.Errorf("%q: %q %q %v", c.in, provider, model, err)
		case c.provider == "" && (!errors.As(err, &e) || e.Code != "bad_target" || provider+model != ""):
			t.Errorf("%q: %q %q %v, want an error", c.in, provider, model, err)
		}
	}
}
