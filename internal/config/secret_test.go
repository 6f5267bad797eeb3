package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretPrintsNothing(t *testing.T) {
	s := struct {
		Key  Secret
		Auth *Auth
		List []Header
	}{Hide(planted), &Auth{Command: []string{planted}}, []Header{{"X", Hide(planted)}}}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", slog.Any("key", s.Key), slog.Any("all", s))
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", slog.Any("key", s.Key), slog.Any("all", s))
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	out := log.String() + string(b)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%10.3v"} {
		out += fmt.Sprintf(verb+verb+verb, s, s.Key, *s.Auth)
	}
	if strings.Contains(out, planted) || strings.Contains(strings.ToLower(out), fmt.Sprintf("%x", planted)) {
		t.Errorf("shown: %s", out)
	}
	if s.Key.Reveal() != planted || !s.Key.Given() || s.Key.String() != hidden {
		t.Error("the secret is not what was hidden")
	}
	if z := (Secret{}); z.Given() || z.String() != "" {
		t.Error("the zero value is given")
	}
}

// A file with secrets in every place that may hold one, written in every way.
const full = `providers:
  a:
    base_url: ftp://h/v1
    api_key: SECRET
    headers: {X-Any: SECRET, "X-Two": "SECRET"}
  b: {api_key: 'SECRET', base_url: http://h/v1, apikey: SECRET}
  c:
    api_key: >-
      SECRET
      SECRET
    headers:
      Authorization: Bearer SECRET # SECRET
      Cookie: |
        SECRET
  d:
    auth:
      command:
      - curl
      - "-HX: SECRET"
      refresh: soon
    token: [SECRET, "SECRET"]
  e: {auth: {command: "curl SECRET"}, headers: ["X: SECRET"], client_secret: SECRET}
models: nothing
keys:
  - {name: web, sha256: SECRET, rpm: none}
  - name: app
    sha256: "SECRET"
  - SECRET
  - sha256: [SECRET]
`

// Whatever is wrong with a file, wherever: the secrets in it are not in what is
// said about it.
func TestSecretIsNeverShown(t *testing.T) {
	src := strings.ReplaceAll(full, "SECRET", planted)
	check := func(s, how string) {
		t.Helper()
		_, ps := Load("weir.yaml", []byte(s), testWorld())
		for _, p := range ps {
			if text := p.String() + p.Path; strings.Contains(text, "hunter2") {
				t.Errorf("%s:\n%s", how, text)
			}
		}
	}
	check(src, "as it is")
	names := []string{"keys", "sha256", "api_key", "apikey", "headers", "command", "token", "client_secret", "sig", "Authorization", "Cookie"}
	const cuts, stride = 5, 29 // every place was tried once; this is what a test has time for
	for i := range src {
		if i%cuts == 0 {
			check(src[:i], fmt.Sprintf("cut at %d", i))
		}
		if i%stride != 0 || inside(src, i, names) { // a key that is no longer one says nothing of its value
			continue
		}
		for _, junk := range []string{"\t", "\"", "'", "{", "}", "[", "]", ": ", "- ", "\n", "&", "!", "|", "#", "\x00", "\xff", "@", "${"} {
			check(src[:i]+junk+src[i:], fmt.Sprintf("%q at %d", junk, i))
		}
	}
}

// inside tells whether position i is in one of the names, or between it and
// its colon.
func inside(src string, i int, names []string) bool {
	for _, name := range names {
		for at := 0; ; {
			n := strings.Index(src[at:], name)
			if n < 0 {
				break
			}
			at += n + 1
			if i >= at-1 && i <= at+len(name) {
				return true
			}
		}
	}
	return false
}

func TestScrub(t *testing.T) {
	for in, want := range map[string]string{
		"llama-3.3-70b-instruct-turbo":                            "llama-3.3-70b-instruct-turbo",
		"accounts/fireworks/models/llama-v3p3-70b-instruct":       "accounts/fireworks/models/llama-v3p3-70b-instruct",
		"sk-abcdefghij0123":                                       hidden,
		"key is gsk_abcdefghij0123, yes":                          "key is " + hidden + ", yes",
		"AIzaSyA-abcdefghij0123":                                  hidden,
		"https://me:pw@h/v1":                                      hidden + "@h/v1",
		"https://h/v1?a=b&api_key=x&c=d":                          "https://h/v1?a=b&api_key=" + hidden + "&c=d",
		"https://h/v1?api_key=${KEY}":                             "https://h/v1?api_key=${KEY}",
		"0123456789abcdef0123456789ABCDEF":                        hidden,
		"sk-abcdefghij0123 and https://x@h?token=sk-abcdefghij01": hidden + " and " + hidden + "@h?token=" + hidden,
		"": "",
	} {
		if got := scrub(in); got != want {
			t.Errorf("scrub(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMaskKeys(t *testing.T) {
	for in, want := range map[string]string{
		"no target sk-proj-0123456789abcdef, and more": "no target [secret], and more",
		"http://h/v1?a=1&api_key=short&b=2":            "http://h/v1?a=1&api_key=[secret]&b=2",
		"export XAI_API_KEY=..., or HF_TOKEN_AND_MORE": "export XAI_API_KEY=..., or HF_TOKEN_AND_MORE",
		"export XAI_API_KEY=0123456789":                "export [secret]",
		"http://h/v1?api-version=preview":              "http://h/v1?api-version=preview",
	} {
		if got := MaskKeys(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
