package catalog

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// Model is one entry of a provider's own list. What it does not say is empty.
type Model struct {
	ID           string // as requests name it
	Title        string
	Owner        string
	Kind         string // chat, embedding and so on, in the provider's word
	Context      weir.Opt[int]
	Quantisation string
	Created      time.Time
}

// Limits on what is read of a list: a page of the largest known is 1 MB.
const (
	maxPageBytes = 16 << 20
	maxPages     = 50
)

// Models asks a target for its list of models, by ID. It takes the forms of
// OpenAI, Anthropic, Gemini, Ollama, Together and Cloudflare, whatever the
// dialect, and follows pages. The key is up to rt: an Auth that knows t.Name.
// Errors are *weir.Error. What the provider said is in neither, where it holds a
// secret that rt knows.
func Models(ctx context.Context, rt http.RoundTripper, t weir.Target) ([]Model, error) {
	first, header, err := modelsURL(t)
	if err != nil {
		return nil, err
	}
	var all []Model
	next := first
	for range maxPages {
		page, err := fetchPage(ctx, rt, t, next, header)
		if err != nil {
			return nil, err
		}
		all = append(all, page.models...)
		if page.next == nil {
			for i := range all {
				all[i].redact(redactor(rt))
			}
			slices.SortStableFunc(all, func(a, b Model) int { return cmp.Compare(a.ID, b.ID) })
			return slices.CompactFunc(all, func(a, b Model) bool { return a.ID == b.ID }), nil
		}
		if next, err = withQuery(first, page.next); err != nil {
			return nil, err
		}
	}
	return nil, &weir.Error{Code: "bad_model_list", Message: fmt.Sprintf("%s lists models on more than %d pages", t.Name, maxPages)}
}

// modelsURL is where a target lists its models, and the headers its dialect
// needs. The request package knows how a base URL is completed; the list is a
// neighbour of where requests go.
func modelsURL(t weir.Target) (string, http.Header, error) {
	e, err := request.Encode(t.URL, t.Dialect, request.Spec{Model: "m", Messages: []request.Message{{Role: request.RoleUser, Text: "x"}}}, nil)
	if err != nil {
		return "", nil, err
	}
	e.Header.Del("Content-Type")
	u, err := url.Parse(e.URL)
	if err != nil {
		return "", nil, &weir.Error{Code: "bad_url", Message: "the URL of " + t.Name + " cannot be read"}
	}
	list := "models"
	if t.Dialect == weir.Ollama {
		list = "tags"
	}
	for _, end := range []string{"/chat/completions", "/completions", "/responses", "/messages", "/models/m:generateContent", "/chat"} {
		if base, ok := strings.CutSuffix(u.Path, end); ok {
			u.Path, u.RawPath = base, ""
			break
		}
	}
	if p, ok := presetOf(t); ok && p.Quirks.ModelsPath != "" {
		list = p.Quirks.ModelsPath
	}
	u = u.JoinPath(list)
	q := u.Query()
	switch t.Dialect {
	case weir.Anthropic:
		q.Set("limit", "1000")
	case weir.Gemini:
		q.Set("pageSize", "1000")
	}
	u.RawQuery = q.Encode()
	return u.String(), e.Header, nil
}

// presetOf is the preset that a target was made from, by its URL or, behind a
// proxy, by its name.
func presetOf(t weir.Target) (Provider, bool) {
	if p, ok := AtURL(t.URL); ok {
		return p, true
	}
	name, _, _ := strings.Cut(t.Name, "/")
	p, err := Find(name)
	return p, err == nil
}

func withQuery(raw string, more url.Values) (string, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return "", err
	}
	q := u.Query()
	maps.Copy(q, more)
	u.RawQuery = q.Encode()
	return u.String(), nil
}

func fetchPage(ctx context.Context, rt http.RoundTripper, t weir.Target, from string, header http.Header) (page, error) {
	r, err := http.NewRequestWithContext(WithTarget(ctx, t.Name), http.MethodGet, from, nil)
	if err != nil {
		return page{}, &weir.Error{Code: "bad_url", Message: "the URL of " + t.Name + " cannot be read"}
	}
	r.Header = header.Clone()
	resp, err := rt.RoundTrip(r)
	if err != nil {
		return page{}, &weir.Error{Code: "unreachable", Message: "listing the models of " + t.Name + " at " + place(r.URL), Err: redactError(rt, err)}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return page{}, refusal(t, r.URL, resp, redactor(rt))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxPageBytes+1))
	switch {
	case err != nil:
		return page{}, &weir.Error{Code: "unreachable", Message: "reading the models of " + t.Name, Err: redactError(rt, err)}
	case len(body) > maxPageBytes:
		return page{}, badList(t, r.URL, fmt.Sprintf("is larger than %d MB", maxPageBytes>>20))
	case strings.HasPrefix(strings.TrimSpace(string(body[:min(len(body), 512)])), "<"):
		return page{}, badList(t, r.URL, "is HTML, not a list of models")
	}
	p, ok := readPage(body)
	if !ok {
		return page{}, badList(t, r.URL, "is no list of models")
	}
	return p, nil
}

// place is a URL without what may be secret in it.
func place(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

func badList(t weir.Target, u *url.URL, what string) error {
	return &weir.Error{
		Code: "bad_model_list", Message: "the answer of " + t.Name + " at " + place(u) + " " + what,
		Hint: "is the base URL right? A model can also be named without a list",
	}
}

// refusal says what an answer other than 200 means. The provider's own words
// are left out: some repeat the key.
func refusal(t weir.Target, u *url.URL, resp *http.Response, redact func(string) string) error {
	e := &weir.Error{Code: "no_model_list", Message: fmt.Sprintf("%s lists no models: %d at %s", t.Name, resp.StatusCode, place(u))}
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		e.Code, e.Message = "unauthorized", fmt.Sprintf("%s refuses the key: %d at %s", t.Name, code, place(u))
		e.Hint = "the key is missing, wrong or may not list models"
		if p, ok := presetOf(t); ok && len(p.KeyEnv) > 0 {
			e.Hint = fmt.Sprintf("%s: is %s set and right, and may it list models?", p.Title, strings.Join(p.KeyEnv, " or "))
		}
	case code == http.StatusNotFound, code == http.StatusMethodNotAllowed:
		e.Hint = "is the base URL right? Some providers have no list: name the model yourself"
	case code >= 300 && code < 400:
		e.Message += ", a redirect"
		if to, err := resp.Location(); err == nil {
			e.Message += " to " + redact(to.Host)
		}
		e.Hint = "redirects are not followed with a key: put the URL it leads to in the config"
	case code == http.StatusTooManyRequests, code >= 500:
		e.Hint = "try again later"
	}
	return e
}
