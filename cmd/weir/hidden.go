package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/config"
	"weir.dev/weir/internal/dialect"
)

// hidden stands where a secret would be shown.
const hidden = "[key]"

var (
	// secretName is a header or a part of a query whose value may be a key.
	secretName = regexp.MustCompile(`(?i)key|token|secret|passw|signature|^sig$|auth|credential|cookie`)
	// secretField is a field of a body whose value is one. Bodies are full of
	// max_tokens and prompt_cache_key, which are none.
	secretField = regexp.MustCompile(`(?i)^key$|(api|access|secret|private|subscription|account|auth)[-_]?key$|` +
		`(^|(api|access|auth|bearer|session|refresh|security|id|user)[-_]?)token$|^auth$|authorization|secret|passw|credential|cookie|signature`)
	// userInfo is what stands before the host where a URL holds a password.
	userInfo = regexp.MustCompile(`[^\s"'@/]+:[^\s"'@/]+@`)
)

// careful takes out of a complaint what looks like a key: someone may have
// typed it where it does not belong.
func careful(s string) string {
	return userInfo.ReplaceAllString(config.MaskKeys(s), hidden+"@")
}

// newAuth is an Auth that knows the secrets of the proxies.
func newAuth(p *process, base http.RoundTripper) (*catalog.Auth, error) {
	auth := &catalog.Auth{Base: base}
	for _, name := range proxyVariables() {
		value, _ := p.env(name)
		if value == "" {
			continue
		}
		u, err := parseProxy(value)
		if err != nil {
			return nil, usage("%s is no URL of a proxy: it looks like http://proxy.example:3128", name)
		}
		if u.User == nil {
			continue
		}
		user := u.User.Username()
		password, ok := u.User.Password()
		auth.Hide(user + ":" + password) // as Basic authorisation encodes it
		if !ok {                         // the name is the secret
			password = user
		}
		auth.Hide(password)
	}
	return auth, nil
}

func proxyVariables() []string {
	return []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"}
}

// parseProxy reads a proxy as net/http does: a host alone is one too. Its error
// is not to be shown.
func parseProxy(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Host == "" {
		u, err = url.Parse("http://" + s)
	}
	if err == nil && u.Hostname() == "" {
		err = fmt.Errorf("no host")
	}
	return u, err
}

// masked are the fields of a body as they may be shown and kept: without the
// values of those that are called like credentials.
func masked(fields map[string]json.RawMessage) map[string]json.RawMessage {
	if fields == nil {
		return nil
	}
	out := make(map[string]json.RawMessage, len(fields))
	for name, raw := range fields {
		out[name] = raw
		var v any
		if json.Unmarshal(raw, &v) != nil {
			continue
		}
		if clean, some := mask(name, v, func(string) {}); some {
			out[name], _ = json.Marshal(clean) // a value that was JSON is
		}
	}
	return out
}

// hideFields has auth take those values out of what providers say.
func hideFields(fields map[string]json.RawMessage, auth *catalog.Auth) {
	for name, raw := range fields {
		var v any
		if json.Unmarshal(raw, &v) == nil {
			mask(name, v, auth.HideHeader)
		}
	}
}

// mask hides what is secret in a field. It tells whether there was anything,
// and hands each such text to found.
func mask(name string, v any, found func(string)) (clean any, some bool) {
	if secretField.MatchString(name) || strings.EqualFold(name, "headers") {
		return maskAll(v, found), true
	}
	switch x := v.(type) {
	case map[string]any:
		for k, inner := range x {
			if c, is := mask(k, inner, found); is {
				x[k], some = c, true
			}
		}
	case []any:
		for i, inner := range x {
			if c, is := mask("", inner, found); is {
				x[i], some = c, true
			}
		}
	}
	return v, some
}

// maskAll hides all values and leaves the names.
func maskAll(v any, found func(string)) any {
	switch x := v.(type) {
	case map[string]any:
		for k, inner := range x {
			x[k] = maskAll(inner, found)
		}
		return x
	case []any:
		for i, inner := range x {
			x[i] = maskAll(inner, found)
		}
		return x
	case string:
		found(x)
	}
	return hidden
}

// maskedHeader is a header as it may be shown.
func maskedHeader(h http.Header) http.Header {
	out := h.Clone()
	for name, values := range out {
		for i := range values {
			if values[i] = config.MaskKeys(values[i]); secretName.MatchString(name) {
				values[i] = hidden
			}
		}
	}
	return out
}

// hide has calls go through auth, and what it knows to be secret taken out of
// what providers say.
func hide(cfg *bench.Config, auth *catalog.Auth) {
	hideFields(cfg.Work.Extra, auth)
	for _, values := range cfg.Work.Headers {
		for _, v := range values {
			auth.HideHeader(v)
		}
	}
	cfg.Base, cfg.Scrub = auth, auth.Scrub
}

// keysOf knows the keys that presets find in the environment.
func keysOf(p *process) *catalog.Auth {
	auth := &catalog.Auth{}
	for _, one := range catalog.Providers() {
		for _, name := range one.KeyEnv {
			value, _ := p.env(name)
			auth.Hide(strings.TrimSpace(value))
		}
	}
	return auth
}

// redactInspection takes keys out of a recording of an answer: people pass on
// what inspect shows.
func redactInspection(seen *dialect.Inspection, secrets *catalog.Auth) {
	long := secrets.Mask
	texts := []*string{&seen.OutputText, &seen.ReasoningText, &seen.RefusalText}
	for i := range seen.ToolCalls {
		texts = append(texts, &seen.ToolCalls[i].Name, &seen.ToolCalls[i].Arguments)
	}
	words := []*weir.Opt[string]{&seen.FinishReason, &seen.ErrorType, &seen.ErrorMessage}
	for i := range seen.Choices {
		texts, words = append(texts, &seen.Choices[i].Text), append(words, &seen.Choices[i].FinishReason)
	}
	for _, s := range texts {
		*s = long(*s)
	}
	for _, o := range words {
		if s, ok := o.Get(); ok {
			*o = weir.Some(secrets.Redact(s))
		}
	}
}
