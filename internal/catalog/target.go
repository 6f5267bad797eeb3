package catalog

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"weir.dev/weir"
)

// Env looks a variable up, as os.LookupEnv does.
type Env = func(name string) (value string, ok bool)

// Target returns the target for a model and the key for it, from the
// environment. The key is empty where none is needed and none is set.
func (p Provider) Target(model string, env Env) (t weir.Target, key string, err error) {
	if t, err = p.Endpoint(model, env); err != nil {
		return weir.Target{}, "", err
	}
	if key, err = p.Key(env); err != nil {
		return weir.Target{}, "", err
	}
	return t, key, nil
}

// Endpoint is Target without the key, for those whose key comes from elsewhere.
func (p Provider) Endpoint(model string, env Env) (weir.Target, error) {
	base := p.BaseURL
	for _, param := range p.Params {
		value, err := param.value(p.Name, env)
		if err != nil {
			return weir.Target{}, err
		}
		base = strings.ReplaceAll(base, "{"+param.Name+"}", value)
	}
	// Google's one host without a region in its name.
	base = strings.Replace(base, "//global-aiplatform.", "//aiplatform.", 1)
	if model == "" {
		return weir.Target{}, &weir.Error{Code: "no_model", Message: "no model for " + p.Name, Hint: p.Name + "/MODEL; weir models " + p.Name + " lists them"}
	}
	return weir.Target{Name: p.Name + "/" + model, URL: base, Dialect: p.Dialect, Model: model, Router: p.Quirks.Router}, nil
}

// Key returns the first key that is set. None is an error that names the
// variables, unless the provider works without.
func (p Provider) Key(env Env) (string, error) {
	if value, _ := firstSet(p.KeyEnv, env); value != "" {
		return value, nil
	}
	if p.NoKey {
		return "", nil
	}
	return "", &weir.Error{
		Code:    "missing_key",
		Message: fmt.Sprintf("%s needs a key: %s %s not set", p.Name, strings.Join(p.KeyEnv, " or "), isOrAre(p.KeyEnv)),
		Hint:    p.keyHint(),
	}
}

func (p Provider) keyHint() string {
	hint := "export " + p.KeyEnv[0] + "=..."
	if p.KeyPage != "" {
		hint += ", keys are at " + p.KeyPage
	}
	if len(p.Command) > 0 {
		hint += fmt.Sprintf(", or in the config: auth: {command: [%s]}", strings.Join(p.Command, ", "))
	}
	return hint
}

// value is what fills the parameter: one label of a host name or segment of a
// path, so that no variable can lead a key to another host.
func (a Param) value(provider string, env Env) (string, error) {
	value, name := firstSet(a.Env, env)
	switch {
	case value == "" && a.Default != "":
		return a.Default, nil
	case value == "":
		return "", &weir.Error{
			Code:    "missing_parameter",
			Message: fmt.Sprintf("%s needs its %s: %s %s not set", provider, a.Name, strings.Join(a.Env, " or "), isOrAre(a.Env)),
			Hint:    fmt.Sprintf("export %s=..., or params: {%s: ...} in the config", a.Env[0], a.Name),
		}
	case strings.ContainsFunc(value, func(r rune) bool { return !isLabel(r) }):
		return "", &weir.Error{
			Code:    "bad_parameter",
			Message: fmt.Sprintf("%s holds no %s of %s: only letters, digits, -, _ and . may be in it", name, a.Name, provider),
			Hint:    "the bare name, not a URL",
		}
	}
	return value, nil
}

func isLabel(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.'
}

// firstSet returns the first value that is not blank, and its variable.
func firstSet(names []string, env Env) (value, name string) {
	for _, name := range names {
		if value, _ := env(name); strings.TrimSpace(value) != "" {
			return strings.TrimSpace(value), name
		}
	}
	return "", ""
}

func isOrAre(names []string) string {
	if len(names) == 1 {
		return "is"
	}
	return "are"
}

// AtURL returns the preset that a URL belongs to, by its host. Of several at
// one host it is the one whose base the URL begins with, else the first.
func AtURL(raw string) (Provider, bool) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return Provider{}, false
	}
	host := strings.Replace(u.Host, "aiplatform.", "global-aiplatform.", 1)
	if strings.Contains(u.Host, "-aiplatform.") {
		host = u.Host
	}
	var at Provider
	found := false
	for _, p := range Providers() {
		wantHost, wantPath := splitBase(p.BaseURL)
		switch {
		case p.NoKey && len(p.Params) > 0: // any port would fit
		case !fits(wantHost+"$", host):
		case fits(wantPath+"(/|$)", u.Path):
			return p, true
		case !found:
			at, found = p, true
		}
	}
	return at, found
}

// splitBase cuts a base URL into regular expressions of its host and path, in
// which anything fills a placeholder that may.
func splitBase(base string) (host, path string) {
	_, rest, _ := strings.Cut(base, "://")
	quoted := regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(regexp.QuoteMeta(rest), "[A-Za-z0-9._-]+")
	if i := strings.IndexByte(quoted, '/'); i >= 0 {
		return quoted[:i], quoted[i:]
	}
	return quoted, ""
}

func fits(pattern, text string) bool {
	return regexp.MustCompile("^" + pattern).MatchString(text)
}
