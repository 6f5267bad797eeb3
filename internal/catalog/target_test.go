package catalog

import (
	"errors"
	"strings"
	"testing"

	"weir.dev/weir"
)

func env(pairs ...string) Env {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func mustFind(t *testing.T, name string) Provider {
	t.Helper()
	p, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTarget(t *testing.T) {
	for _, c := range []struct {
		provider, model string
		env             Env
		url, key        string
	}{
		{"groq", "openai/gpt-oss-120b", env("GROQ_API_KEY", "k"), "https://api.groq.com/openai/v1", "k"},
		{"gemini", "gemini-x", env("GOOGLE_API_KEY", "second"), "https://generativelanguage.googleapis.com/v1beta", "second"},
		{"gemini", "gemini-x", env("GOOGLE_API_KEY", "second", "GEMINI_API_KEY", "first"), "https://generativelanguage.googleapis.com/v1beta", "first"},
		{"gemini", "gemini-x", env("GOOGLE_API_KEY", "second", "GEMINI_API_KEY", " "), "https://generativelanguage.googleapis.com/v1beta", "second"},
		{"azure", "gpt", env("AZURE_RESOURCE_NAME", "res", "AZURE_OPENAI_API_KEY", "k"), "https://res.openai.azure.com/openai/v1", "k"},
		{"vertex", "m", env("GOOGLE_CLOUD_PROJECT", "p", "GOOGLE_OAUTH_ACCESS_TOKEN", "k"), "https://aiplatform.googleapis.com/v1/projects/p/locations/global/endpoints/openapi", "k"},
		{"vertex", "m", env("GOOGLE_CLOUD_PROJECT", "p", "GOOGLE_CLOUD_LOCATION", "us-central1", "GOOGLE_OAUTH_ACCESS_TOKEN", "k"), "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/endpoints/openapi", "k"},
		{"bedrock", "openai.gpt-oss-20b-1:0", env("AWS_DEFAULT_REGION", "eu-west-1", "AWS_BEARER_TOKEN_BEDROCK", "k"), "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1", "k"},
		{"vllm", "m", env(), "http://localhost:8000/v1", ""},
		{"vllm", "m", env("VLLM_API_KEY", "k"), "http://localhost:8000/v1", "k"},
		{"llamacpp", "m", env(), "http://localhost:9931/v1", ""},
		{"llamacpp", "m", env("LLAMA_ARG_PORT", "8080"), "http://localhost:8080/v1", ""},
	} {
		p := mustFind(t, c.provider)
		got, key, err := p.Target(c.model, c.env)
		want := weir.Target{Name: c.provider + "/" + c.model, URL: c.url, Dialect: p.Dialect, Model: c.model}
		if err != nil || got != want || key != c.key {
			t.Errorf("%s: %+v, key %q, %v", c.provider, got, key, err)
		}
		if at, ok := AtURL(c.url); !p.NoKey && (!ok || at.Name != c.provider) {
			t.Errorf("%s belongs to %q, want %s", c.url, at.Name, c.provider)
		}
	}
}

func TestTargetErrorsNameTheVariables(t *testing.T) {
	for _, c := range []struct {
		provider, model string
		env             Env
		code            string
		says            []string
	}{
		{"groq", "m", env(), "missing_key", []string{"GROQ_API_KEY is not set"}},
		{"groq", "m", env("GROQ_API_KEY", ""), "missing_key", []string{"GROQ_API_KEY"}},
		{"gemini", "m", env(), "missing_key", []string{"GEMINI_API_KEY or GOOGLE_API_KEY are not set"}},
		{"vertex", "m", env("GOOGLE_CLOUD_PROJECT", "p"), "missing_key", []string{"GOOGLE_OAUTH_ACCESS_TOKEN", "command: [gcloud, auth, print-access-token]"}},
		{"azure", "m", env("AZURE_API_KEY", "canary"), "missing_parameter", []string{"its resource", "AZURE_RESOURCE_NAME", "params: {resource: ...} in the config"}},
		{"bedrock", "m", env(), "missing_parameter", []string{"AWS_REGION or AWS_DEFAULT_REGION"}},
		{"azure", "m", env("AZURE_RESOURCE_NAME", "evil.test/canary?", "AZURE_API_KEY", "canary"), "bad_parameter", []string{"AZURE_RESOURCE_NAME"}},
		{"azure", "m", env("AZURE_RESOURCE_NAME", "a@evil", "AZURE_API_KEY", "canary"), "bad_parameter", nil},
		{"groq", "", env("GROQ_API_KEY", "canary"), "no_model", []string{"weir models groq"}},
	} {
		got, key, err := mustFind(t, c.provider).Target(c.model, c.env)
		var e *weir.Error
		if !errors.As(err, &e) || e.Code != c.code || got != (weir.Target{}) || key != "" {
			t.Errorf("%s: %+v %q %v, want %s", c.provider, got, key, err, c.code)
			continue
		}
		for _, part := range c.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want it to say %q", c.provider, err, part)
			}
		}
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: a value is in %v", c.provider, err)
		}
	}
}

func TestAtURL(t *testing.T) {
	for _, p := range Providers() {
		if len(p.Params) > 0 {
			continue
		}
		for _, end := range []string{"", "/", "/chat/completions?x=1"} {
			if got, ok := AtURL(p.BaseURL + end); !ok || got.Name != p.Name {
				t.Errorf("%s%s belongs to %q, want %s", p.BaseURL, end, got.Name, p.Name)
			}
		}
	}
	for raw, want := range map[string]string{
		"https://api.groq.com/other":                                   "groq",
		"https://api.groq.com.evil.test/openai/v1":                     "",
		"https://evil-api.groq.com/openai/v1":                          "",
		"https://evil.test/api.groq.com":                               "",
		"http://127.0.0.1:9931/v1":                                     "",
		"http://localhost:12345/v1":                                    "",
		"https://api.cloudflare.com/client/v4/accounts/abc/ai/v1/chat": "cloudflare",
		"": "", ":": "",
	} {
		if got, _ := AtURL(raw); got.Name != want {
			t.Errorf("%s belongs to %q, want %q", raw, got.Name, want)
		}
	}
}
