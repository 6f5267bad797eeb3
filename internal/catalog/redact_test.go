package catalog

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"weir.dev/weir"
)

func TestSecretsComeBackInManyForms(t *testing.T) {
	const key = `key-0a1b2c/D+=&<"\3e4f`
	a := &Auth{}
	if err := a.Add(weir.Target{Name: "a", URL: "http://a"}, key); err != nil {
		t.Fatal(err)
	}
	if err := a.AddHeader(weir.Target{Name: "a", URL: "http://a"}, "X-Gateway", "Basic bWU6Y2FuYXJ5LTAx"); err != nil {
		t.Fatal(err)
	}
	if err := a.AddHeader(weir.Target{Name: "a", URL: "http://a"}, "X-Beta", "1"); err != nil {
		t.Fatal(err)
	}
	a.Hide("abc")
	html, _ := json.Marshal(key)
	twice, _ := json.Marshal(string(html))
	for said, want := range map[string]string{
		"no " + key + ", no " + key:                                         "no [key], no [key]",
		"no " + url.QueryEscape(key) + "!":                                  "no [key]!",
		"no " + url.PathEscape(key) + "!":                                   "no [key]!",
		"no " + string(html) + "!":                                          `no "[key]"!`,
		"no " + string(twice) + "!":                                         `no "\"[key]\""!`,
		"no " + base64.RawStdEncoding.EncodeToString([]byte(key)) + "!":     "no [key]!",
		"no " + base64.URLEncoding.EncodeToString([]byte(key)) + "!":        "no [key]==!",
		"no bWU6Y2FuYXJ5LTAx!":                                              "no [key]!",
		"no Basic bWU6Y2FuYXJ5LTAx!":                                        "no [key]!",
		"no " + strings.ToUpper(key):                                        "[key]",
		"no " + strings.ReplaceAll(key, "/", `\/`):                          "[key]",
		"no key0a1b2cd3e4f":                                                 "[key]",
		"no " + key[:9]:                                                     "[key]",
		"no " + key[:5]:                                                     "no " + key[:5],
		"abc, a, b, c and ABC, v1 of 1":                                     "[key], a, b, c and ABC, v1 of 1",
		"limit of 3 for model-0a1b2c reached: 0a1b2c then key then D and 3": "limit of 3 for model-0a1b2c reached: 0a1b2c then key then D and 3",
	} {
		if got := a.Redact(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
	if got, want := a.Mask("a "+strings.ToUpper(key)+" b "+url.QueryEscape(key)+" c"), "a [key] b [key] c"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	trace := &weir.Trace{Provider: json.RawMessage(`{"a":"key-\u0030a1b2c\/D\u002b=&<\"\\3e4f"}`)}
	if a.Scrub(trace); trace.Provider != nil {
		t.Errorf("%s", trace.Provider)
	}
	trace.Provider = json.RawMessage(`{"a":"\u00e4"}`)
	if a.Scrub(trace); string(trace.Provider) != `{"a":"\u00e4"}` {
		t.Errorf("%s", trace.Provider)
	}
}

// answers is a RoundTripper that knows one answer.
type answers struct {
	response http.Response
	err      error
}

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	if a.err != nil {
		return nil, a.err
	}
	return &a.response, nil
}

// What a list of models holds, and why there is none, may repeat the key.
func TestListsHoldNoKey(t *testing.T) {
	target := weir.Target{Name: "a", URL: "http://a/v1", Dialect: weir.OpenAIChat}
	models := func(base answers) ([]Model, error) {
		a := &Auth{Base: base}
		if err := a.Add(target, "canary-0a1b2c3d"); err != nil {
			t.Fatal(err)
		}
		return Models(t.Context(), a, target)
	}
	cause := errors.New("malformed HTTP response canary-0a1b2c3d")
	_, err := models(answers{err: cause})
	if !errors.Is(err, cause) || strings.Contains(err.Error(), "canary") || !strings.Contains(err.Error(), "malformed HTTP response [key]") {
		t.Errorf("%v", err)
	}
	body := func(s string) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }
	_, err = models(answers{response: http.Response{StatusCode: 307, Header: http.Header{"Location": {"http://canary-0a1b2c3d.example/canary-0a1b2c3d"}}, Body: body("")}})
	if err == nil || strings.Contains(err.Error(), "canary") || !strings.Contains(err.Error(), "a redirect to [key].example") {
		t.Errorf("%v", err)
	}
	got, err := models(answers{response: http.Response{StatusCode: 200, Body: body(`{"data":[{"id":"canary-0a1b2c3d"},{"id":"m","owned_by":"CANARY-0A1B2C3D"}]}`)}})
	if err != nil || len(got) != 2 || got[0].ID != "[key]" || got[1].ID != "m" || got[1].Owner != "[key]" {
		t.Errorf("%+v, %v", got, err)
	}
}
