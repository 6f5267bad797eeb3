package catalog

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"weir.dev/weir"
)

// redacted stands where a secret was.
const redacted = "[key]"

// shortestHeader is the shortest header value that is taken for a secret: to
// take out every "1" or "beta" would garble what a provider says.
const shortestHeader = 12

// shortestDisguised is the shortest secret that is looked for in other forms
// than its own, and the shortest beginning of one that a text may end in. Less
// could be chance.
const shortestDisguised = 6

// Hide has Scrub and Redact take out a secret that goes to providers by another
// way than Add: a proxy's password, a field of the body.
func (a *Auth) Hide(secret string) {
	if secret == "" {
		return
	}
	for _, d := range disguises(secret) {
		if !slices.Contains(a.hidden, d) { // many targets share a key
			a.hidden = append(a.hidden, d)
		}
	}
}

// HideHeader is Hide for a header's value, with and without the scheme in front
// (Basic, Bearer). Short values are taken for no secret.
func (a *Auth) HideHeader(value string) {
	if len(value) < shortestHeader {
		return
	}
	a.Hide(value)
	if _, credentials, ok := strings.Cut(value, " "); ok && len(credentials) >= shortestHeader {
		a.Hide(credentials)
	}
}

// Scrub takes every secret out of what a provider said of a call: some repeat
// the key they refuse, whole, cut short, encoded or in another case.
func (a *Auth) Scrub(t *weir.Trace) {
	known := a.known()
	if len(known) == 0 {
		return
	}
	for _, s := range []*string{&t.ErrorType, &t.ErrorText, &t.RequestID, &t.ServedModel, &t.Fingerprint, &t.Finish} {
		*s = redact(*s, known)
	}
	for name, value := range t.RateLimits {
		t.RateLimits[name] = redact(value, known)
	}
	if plain := unescaped(t.Provider); redact(plain, known) != plain {
		t.Provider = nil
	}
}

// Redact takes every secret out of a text.
func (a *Auth) Redact(s string) string { return redact(s, a.known()) }

// redactor takes out what a round tripper knows to be secret.
func redactor(rt http.RoundTripper) func(string) string {
	if a, ok := rt.(*Auth); ok {
		return a.Redact
	}
	return func(s string) string { return s }
}

// redactError leaves the chain of causes whole: its text may quote a provider.
func redactError(rt http.RoundTripper, err error) error {
	if text := redactor(rt)(err.Error()); text != err.Error() {
		return &redactedError{text, err}
	}
	return err
}

type redactedError struct {
	text  string
	cause error
}

func (e *redactedError) Error() string { return e.text }

// Unwrap returns the cause, for errors.Is.
func (e *redactedError) Unwrap() error { return e.cause }

func (m *Model) redact(redact func(string) string) {
	for _, s := range []*string{&m.ID, &m.Title, &m.Owner, &m.Kind, &m.Quantisation} {
		*s = redact(*s)
	}
}

// known are all secrets, the last tokens of commands among them.
func (a *Auth) known() []disguise {
	all := a.hidden
	for _, k := range a.keys {
		if k.mint != nil {
			all = slices.Concat(all, k.mint.known())
		}
	}
	return all
}

// disguise is a form in which a secret may come back.
type disguise struct {
	text    string
	letters string // empty: the secret is too short to look for more than text
}

// disguises are the secret itself, and as URLs, JSON and Basic authorisation
// write it.
func disguises(secret string) []disguise {
	if len(secret) < shortestDisguised {
		return []disguise{{text: secret}}
	}
	var out []disguise
	for _, form := range []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), inJSON(secret, true), inJSON(secret, false),
		inJSON(inJSON(secret, true), false), inJSON(inJSON(secret, false), false), // JSON in a text of JSON
		base64.RawStdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
	} {
		if !slices.ContainsFunc(out, func(d disguise) bool { return d.text == form }) {
			out = append(out, disguise{form, letters(form)})
		}
	}
	return out
}

// inJSON is a text between the quotes of JSON.
func inJSON(s string, escapeHTML bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escapeHTML)
	if enc.Encode(s) != nil {
		return s
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// unescaped is JSON with no more escapes than it needs. Anything else is left
// as it is.
func unescaped(raw json.RawMessage) string {
	if !bytes.ContainsRune(raw, '\\') {
		return string(raw)
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(b)
}

func redact(s string, known []disguise) string {
	if s == "" || len(known) == 0 {
		return s
	}
	for _, d := range known {
		s = strings.ReplaceAll(s, d.text, redacted)
	}
	bare := letters(s)
	for _, d := range known {
		if len(d.letters) >= shortestDisguised && (strings.Contains(bare, d.letters) || endsWithin(bare, d.letters)) {
			return redacted
		}
	}
	return s
}

// letters is what is left of a key when others have changed its case or taken
// signs out of it.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, s)
}

// endsWithin tells whether the text was cut short inside the key: its end is
// the key's beginning, long enough to be no chance.
func endsWithin(text, key string) bool {
	for from := 0; ; from++ {
		at := strings.Index(text[from:], key[:shortestDisguised])
		if at < 0 {
			return false
		}
		if from += at; strings.HasPrefix(key, text[from:]) {
			return true
		}
	}
}
