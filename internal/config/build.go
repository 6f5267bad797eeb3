package config

import (
	"iter"
	"net/http"
	"slices"
	"strings"

	"weir.dev/weir"
)

// get is a value in a value, or nil.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	return v.fields[name]
}

// str is the text of a value, or "".
func (v *value) str() string {
	if v == nil {
		return ""
	}
	return v.text
}

// all are the fields of a mapping, in the order of the file.
func (v *value) all() iter.Seq2[string, *value] {
	return func(yield func(string, *value) bool) {
		if v == nil {
			return
		}
		for _, name := range v.names {
			if !yield(name, v.fields[name]) {
				return
			}
		}
	}
}

func (v *value) opt() weir.Opt[float64] {
	if v == nil {
		return weir.None[float64]()
	}
	return weir.Some(v.num)
}

// builder makes the config of what the walk left, and notes what only shows
// when the parts are seen together.
type builder struct {
	*reader
	file   *value
	c      *Config
	known  map[string]bool     // providers, sound or not
	offers map[string][]*offer // by the model's name
	loose  map[string]*offer   // targets that only a route names
}

// offer is a target, where the file says what it is, and who asks it.
type offer struct {
	Target
	own    *value // nil: only a route names it
	routes []*Route
}

func (r *reader) build(file *value) *Config {
	b := &builder{reader: r, file: file, c: &Config{}, known: map[string]bool{}, offers: map[string][]*offer{}, loose: map[string]*offer{}}
	b.c.Gateway = r.settings(file.get("gateway"))
	b.providers()
	b.models()
	b.gateway()
	if c := b.c; len(r.found) == 0 && len(c.Providers) == 0 && len(c.Models) == 0 && len(c.Routes) == 0 {
		r.bad(pos{}, "", "begin with providers: and models:, or with routes:", "the file says nothing")
	}
	return b.c
}

func (b *builder) providers() {
	for name, v := range b.file.get("providers").all() {
		b.known[name] = true
		if p, ok := b.provider(name, v); ok {
			b.c.Providers = append(b.c.Providers, p)
		}
	}
}

func (b *builder) models() {
	for name, v := range b.file.get("models").all() {
		m := Model{Name: name}
		b.offers[name] = b.targets(v)
		for _, o := range b.offers[name] {
			m.Targets = append(m.Targets, o.Target)
		}
		if len(m.Targets) > 0 {
			b.c.Models = append(b.c.Models, m)
		}
	}
}

func (r *reader) provider(name string, v *value) (Provider, bool) {
	preset, isPreset := r.world.Preset(name)
	p := Provider{Name: name, Preset: isPreset, BaseURL: preset.BaseURL, Dialect: dialectOr(preset.Dialect, weir.OpenAIChat)}
	p.Dialect = dialectOr(v.get("dialect").str(), p.Dialect)
	p.APIKey = Hide(strings.TrimSpace(v.get("api_key").str()))
	own := v.get("base_url")
	r.params(&p, v.get("params"), preset, own != nil)
	if own != nil {
		p.BaseURL = own.text
	}
	if a := v.get("auth"); a != nil {
		p.Auth = auth(a)
		if k := v.get("api_key"); k != nil {
			r.bad(k.keyPos, k.path, "keep one of them", "%s has both api_key and auth", name)
		}
	}
	p.Headers = r.headers(p, v)
	if p.BaseURL == "" && !r.faulty(v.path) && !r.faulty(v.path+".base_url") {
		r.noURL(name, isPreset, v)
		return p, false
	}
	return p, p.BaseURL != ""
}

// faulty tells whether something was said about a path already.
func (r *reader) faulty(path string) bool {
	return slices.ContainsFunc(r.found, func(p Problem) bool { return p.Path == scrub(path) })
}

func (r *reader) noURL(name string, isPreset bool, v *value) {
	if isPreset {
		r.bad(v.keyPos, v.path, "add base_url", "%s needs a base_url: its preset has none, since everyone's differs", quote(name))
		return
	}
	hint := suggest(name, r.world.Presets)
	if hint == "" {
		hint = "add base_url, or take a preset's name: weir providers lists them"
	}
	r.bad(v.keyPos, v.path, hint, "%s has no base_url and is no preset", quote(name))
}

func dialectOr(s string, other weir.Dialect) weir.Dialect {
	if d, ok := weir.ParseDialect(s); ok {
		return d
	}
	return other
}

// params fills the placeholders of a preset's URL.
func (r *reader) params(p *Provider, v *value, preset Preset, ownURL bool) {
	if v == nil {
		return
	}
	if ownURL || len(preset.Params) == 0 {
		why := "the preset's URL has no placeholders"
		switch {
		case ownURL:
			why = "base_url is given in full"
		case !p.Preset:
			why = p.Name + " is no preset"
		}
		r.bad(v.keyPos, v.path, "delete it", "params has no effect: %s", why)
		return
	}
	for _, name := range v.names {
		f := v.fields[name]
		if !slices.Contains(preset.Params, name) {
			r.bad(f.keyPos, f.path, "known here: "+strings.Join(preset.Params, ", "), "%s has no placeholder %s", p.Name, quote(name))
			continue
		}
		if p.Params == nil {
			p.Params = map[string]string{}
		}
		p.Params[name] = f.text
		p.BaseURL = strings.ReplaceAll(p.BaseURL, "{"+name+"}", f.text)
	}
}

func auth(v *value) *Auth {
	a := &Auth{}
	if c := v.get("command"); c != nil {
		for _, arg := range c.items {
			a.Command = append(a.Command, arg.text)
		}
	}
	if d := v.get("refresh"); d != nil {
		a.Refresh, _ = parseRefresh(&scalar{text: d.text}) // the walk has checked it
	}
	if len(a.Command) == 0 {
		return nil
	}
	return a
}

// headers refuses those that something else sets: they would have no effect,
// or break the request.
func (r *reader) headers(p Provider, v *value) []Header {
	hs := v.get("headers")
	if hs == nil {
		return nil
	}
	keyed := v.get("api_key") != nil || v.get("auth") != nil
	lines := map[string]int{}
	var out []Header
	for _, name := range hs.names {
		h, canonical := hs.fields[name], http.CanonicalHeaderKey(name)
		switch first, twice := lines[canonical]; {
		case twice:
			r.bad(h.keyPos, h.path, "case does not matter in a header's name; keep one", "%s is on line %d already", scrub(name), first)
		case slices.Contains([]string{"Host", "Content-Length", "Content-Type", "Transfer-Encoding", "Connection", "Accept-Encoding"}, canonical):
			r.bad(h.keyPos, h.path, "delete it", "Weir sets the header %s itself", canonical)
		case keyed && canonical == keyHeader(p.Dialect):
			r.bad(h.keyPos, h.path, "keep one of them", "the header %s has no effect beside api_key or auth, which set it", canonical)
		default:
			out = append(out, Header{canonical, Hide(h.text)})
		}
		lines[canonical] = h.keyPos.line
	}
	return out
}

// keyHeader is the header that carries the key.
func keyHeader(d weir.Dialect) string {
	switch d {
	case weir.Anthropic:
		return "X-Api-Key"
	case weir.Gemini:
		return "X-Goog-Api-Key"
	}
	return "Authorization"
}
