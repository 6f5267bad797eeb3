package main

import (
	"strings"
	"testing"
)

// TestCheckShowsRoutes: who would answer what, and whose key is missing.
func TestCheckShowsRoutes(t *testing.T) {
	file := configFile(t, "", `providers:
  mine: {base_url: "http://10.0.0.5:8000/v1"}
  own: {base_url: "http://10.0.0.6:8000/v1", api_key: "${OWN_KEY}"}
models:
  llama-70b:
    targets:
      - {provider: groq, model: llama-3.3-70b-versatile}
      - {provider: own, model: x, price: {input: 1, output: 2}}
routes:
  chat: {model: llama-70b, slo: "ttft<=300ms"}
  wide: [mine/y, fireworks/z, cloudflare/q]
keys:
  - {name: web, sha256: "0000000000000000000000000000000000000000000000000000000000000000", budget: 5usd/day}
listen: :9000
`)
	env := map[string]string{"GROQ_API_KEY": "gsk-canary-1", "OWN_KEY": "sk-canary-2"}
	o := weirWith(t.Context(), env, "", "check", "-c", file)
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(o.out) {
		for _, name := range []string{"groq/llama-3.3-70b-versatile", "own/x", "mine/y", "fireworks/z", "cloudflare/q"} {
			if strings.Contains(line, name) {
				rows[name] = strings.Fields(line)
			}
		}
	}
	for name, want := range map[string]string{
		"groq/llama-3.3-70b-versatile": "chat slo groq/llama-3.3-70b-versatile GROQ_API_KEY 0.59 / 0.79",
		"own/x":                        "own/x in the config 1.00 / 2.00",
		"mine/y":                       "wide fixed mine/y none",
		"fireworks/z":                  "fireworks/z missing: FIREWORKS_API_KEY",
		"cloudflare/q":                 "cloudflare/q cloudflare needs its account: CLOUDFLARE_ACCOUNT_ID is not set",
	} {
		if got := strings.Join(rows[name], " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	o.says(t, "5 providers, 1 model, 2 routes and 1 key: sound", "http://localhost:9000/v1, holders of 1 key", "admin API at 127.0.0.1:8081",
		"the budget of web counts nothing at mine/y, fireworks/z, cloudflare/q")
	if strings.Contains(o.out+o.err, "canary") {
		t.Errorf("a key is shown: %+v", o)
	}
}

// TestCheckOfADeadRoute: a route that could answer nothing is not ok, and it
// is said which key it lacks.
func TestCheckOfADeadRoute(t *testing.T) {
	file := configFile(t, "", "routes:\n  chat: groq/llama-3.3-70b-versatile\n")
	o := weirWith(t.Context(), nil, "", "check", "-c", file)
	if o.code != exitUsage {
		t.Errorf("%+v", o)
	}
	o.says(t, "missing: GROQ_API_KEY", "no target of chat can be asked")
	if o := weirWith(t.Context(), map[string]string{"GROQ_API_KEY": "x"}, "", "check", "-c", file); o.code != 0 || o.err != "" {
		t.Errorf("the quick start: %+v", o)
	}
}

// TestCheckWarns: a warning is on standard error, and the file is sound.
func TestCheckWarns(t *testing.T) {
	file := configFile(t, "", "routes: {chat: groq/x}\nlisten: 0.0.0.0:8080\n")
	o := weirWith(t.Context(), map[string]string{"GROQ_API_KEY": "x"}, "", "check", "-c", file)
	if o.code != 0 || !strings.Contains(o.err, ":2:9: warning: whoever reaches 0.0.0.0:8080") || !strings.Contains(o.out, "anyone who reaches it") {
		t.Errorf("%+v", o)
	}
}
