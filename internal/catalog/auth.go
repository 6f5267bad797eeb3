package catalog

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"weir.dev/weir"
)

// Auth is a RoundTripper that adds the key of the target a request is for: one
// that was given, or one that a command prints (AddCommand). A request to
// another host than the target's gets none, so that a redirect cannot carry a
// key away. Its zero value adds nothing. Add before use; it is then safe for
// concurrent use.
type Auth struct {
	Base    http.RoundTripper
	keys    map[string]secret
	headers map[string]headers
	hidden  []disguise // of all that was given; what commands print, their mints have
}

type secret struct {
	host   string
	header string
	prefix string // before the key, in the header
	key    string // empty where mint has it
	mint   *mint  // nil for a key that was given
}

// AddHeader has every request to a target carry a header.
func (a *Auth) AddHeader(t weir.Target, name, value string) error {
	u, err := url.Parse(t.URL)
	if err != nil {
		return &weir.Error{Code: "bad_url", Message: fmt.Sprintf("the URL of %s cannot be read", t.Name)}
	}
	if a.headers == nil {
		a.headers = make(map[string]headers)
	}
	h := a.headers[t.Name]
	if h.header == nil {
		h = headers{host: u.Host, header: http.Header{}}
	}
	h.header.Add(name, value)
	a.headers[t.Name] = h
	a.HideHeader(value)
	return nil
}

// headers are what the requests to one target carry.
type headers struct {
	host   string
	header http.Header
}

func (a *Auth) dress(name string, r *http.Request) *http.Request {
	h, ok := a.headers[name]
	if !ok || h.host != r.URL.Host {
		return r
	}
	r = r.Clone(r.Context())
	for k, v := range h.header {
		r.Header[http.CanonicalHeaderKey(k)] = v
	}
	return r
}

type targetKey struct{}

// WithTarget returns a context for a request to the named target.
func WithTarget(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, targetKey{}, name)
}

// Add keeps the key of a target. The error never holds the key.
func (a *Auth) Add(t weir.Target, key string) error {
	key = strings.TrimSpace(key)
	if !isKey(key) {
		return &weir.Error{
			Code: "bad_key", Message: fmt.Sprintf("the key for %s is empty or holds blanks or control characters", t.Name),
			Hint: "a key is one word; look at what the variable really holds",
		}
	}
	return a.keep(t, secret{key: key})
}

// isKey tells whether a text can be a key: one word.
func isKey(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// keep completes a secret with where it goes.
func (a *Auth) keep(t weir.Target, s secret) error {
	u, err := url.Parse(t.URL)
	if err != nil {
		return &weir.Error{Code: "bad_url", Message: fmt.Sprintf("the URL of %s cannot be read", t.Name)}
	}
	s.host, s.header, s.prefix = u.Host, "Authorization", "Bearer "
	switch {
	case s.mint != nil: // tokens of clouds are bearer tokens in every dialect
	case t.Dialect == weir.Anthropic:
		s.header, s.prefix = "X-Api-Key", ""
	case t.Dialect == weir.Gemini:
		s.header, s.prefix = "X-Goog-Api-Key", ""
	}
	if a.keys == nil {
		a.keys = make(map[string]secret)
	}
	a.keys[t.Name] = s
	a.Hide(s.key)
	return nil
}

// RoundTrip implements http.RoundTripper.
func (a *Auth) RoundTrip(r *http.Request) (*http.Response, error) {
	name, _ := r.Context().Value(targetKey{}).(string)
	r = a.dress(name, r)
	s, ok := a.keys[name]
	switch {
	case !ok || s.host != r.URL.Host:
		return a.Base.RoundTrip(r)
	case s.mint != nil:
		return a.withToken(r, s)
	}
	return a.Base.RoundTrip(s.on(r, s.key))
}

// on is the request with the key in it. The caller's own stays as it is.
func (s secret) on(r *http.Request, key string) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Set(s.header, s.prefix+key)
	return r
}

// CloseIdleConnections closes those of Base.
func (a *Auth) CloseIdleConnections() {
	if b, ok := a.Base.(interface{ CloseIdleConnections() }); ok {
		b.CloseIdleConnections()
	}
}
