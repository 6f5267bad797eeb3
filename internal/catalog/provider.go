package catalog

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/nearest"
)

// Provider is a preset: how one place that serves models is reached. It is a
// value without secrets; keys come from the environment that Target is given.
type Provider struct {
	Name    string   // lower-case id, the first part of provider/model
	Aliases []string // other ids that people know it by
	Title   string   // as the provider writes itself

	// BaseURL may hold placeholders such as {resource}; Params says what fills
	// each of them.
	BaseURL string
	Params  []Param
	Dialect weir.Dialect

	KeyEnv  []string // variables that usually hold the key; the first that is set wins
	NoKey   bool     // a server of one's own: works without a key, and takes one if a variable of KeyEnv is set
	KeyPage string   // where the provider hands out keys; empty: not known
	Command []string // prints a short-lived token, where that is the usual way in; see Command

	Quirks      Quirks
	Sources     []Source
	Unconfirmed []string // facts that no page of the provider's own was seen to state
}

// Param is a part of a base URL that differs from user to user.
type Param struct {
	Name    string   // as in {name}, and the key in the config that fills it
	Env     []string // variables that fill it; the first that is set wins
	Default string   // empty: there is none
}

// Quirks are the ways in which a provider differs from its dialect, as far as
// Weir acts on them. What an endpoint refuses is also learned from its 400s
// (request.Learned); a quirk saves that first refusal.
type Quirks struct {
	NoStreamOptions bool     // stream_options is refused: streams report usage unasked, or not at all
	MaxTokensName   string   // the field that limits output where max_tokens is refused, by some models or all: max_completion_tokens
	NoTemperature   []string // models that refuse a temperature whatever else is asked, as path.Match has patterns
	KeepAlive       bool     // streams hold comments while the request waits: bytes that are no progress
	Router          bool     // picks a host for each request: its figures are of no one host
	ModelsPath      string   // where models are listed, relative to the base URL, where it is not models
}

// Refused names the fields of requests that the provider is known to refuse for
// a model, as request.Learned.Assume takes them.
func (q Quirks) Refused(model string) []string {
	var names []string
	if q.MaxTokensName != "" {
		names = append(names, "max_tokens")
	}
	if q.NoStreamOptions {
		names = append(names, "stream_options")
	}
	refuses := func(pattern string) bool {
		matched, err := path.Match(pattern, model)
		return matched && err == nil
	}
	if slices.ContainsFunc(q.NoTemperature, refuses) {
		names = append(names, "temperature")
	}
	return names
}

// Source is a page, and what it was seen to state.
type Source struct{ Facts, URL string }

// Providers lists all presets by name.
func Providers() []Provider {
	all := slices.Concat(labs(), otherLabs(), moreLabs(), hosts(), moreHosts(), smallHosts(), clouds(), moreClouds(), localServers())
	pages := keyPages()
	for i := range all {
		all[i].KeyPage = pages[all[i].Name]
	}
	slices.SortFunc(all, func(a, b Provider) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Find returns the preset with this name or alias, in any case. Its error is a
// *weir.Error that names the nearest ones.
func Find(name string) (Provider, error) {
	var known []string
	for _, p := range Providers() {
		if strings.EqualFold(p.Name, name) || slices.ContainsFunc(p.Aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
			return p, nil
		}
		known = append(known, p.Name)
		known = append(known, p.Aliases...)
	}
	hint := "weir providers lists them all"
	if near := nearest.Names(name, known); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "? " + hint
	}
	return Provider{}, &weir.Error{Code: "unknown_provider", Message: "there is no provider " + shown(name), Hint: hint}
}

// ParseTarget splits provider/model. The model may hold slashes itself. It
// does not look the provider up.
func ParseTarget(s string) (provider, model string, err error) {
	provider, model, found := strings.Cut(s, "/")
	bad := func(what string) error {
		return &weir.Error{Code: "bad_target", Message: shown(s) + ": " + what, Hint: "a target is provider/model, such as groq/openai/gpt-oss-120b"}
	}
	switch {
	case strings.Contains(s, "://"):
		return "", "", bad("a URL is no provider/model")
	case strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "", "", bad("there is a blank or a control character in it")
	case !found:
		return "", "", bad("the model is missing")
	case provider == "":
		return "", "", bad("the provider is missing")
	case model == "":
		return "", "", bad("the model is missing")
	}
	return provider, model, nil
}

// shown quotes what a user wrote, cut to a length that fits an error.
func shown(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return fmt.Sprintf("%q", s)
}
