package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"weir.dev/weir/internal/sim"
)

// TestConfigNames: a model of the config is all its targets, each with its own
// key, header and price.
func TestConfigNames(t *testing.T) {
	handler, err := sim.New(sim.Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := map[string]bool{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Header.Get("Authorization")+"|"+r.Header.Get("X-Team")] = true
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "weir.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "URL", srv.URL+"/v1")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(`providers:
  one: {base_url: "URL", dialect: openai-chat, api_key: "${ONE_KEY}"}
  two: {base_url: "URL", dialect: openai-chat, headers: {X-Team: "blue-team-secret"}}
  other: {base_url: "URL", dialect: openai-chat, api_key: "${OTHER_KEY}"}
models:
  small:
    targets:
      - {provider: one, model: fast, price: {input: 1, output: 2}}
      - {provider: two, model: sim}
`)
	env := map[string]string{"ONE_KEY": "sk-canary-one"}
	o := weirWith(t.Context(), env, "", "bench", "-c", file, "small", "-n", "2", "--output-tokens", "4", "-o", "json")
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	s := o.summary(t)
	if len(s.Targets) != 2 || s.Targets[0].Name != "one" || s.Targets[1].Model != "sim" || !s.Targets[0].Cost.Known() || s.Targets[1].Cost.Known() {
		t.Errorf("%+v", s.Targets)
	}
	if !seen["Bearer sk-canary-one|"] || !seen["|blue-team-secret"] || len(seen) != 2 {
		t.Errorf("the server saw %v", seen)
	}
	if strings.Contains(o.out+o.err, "canary") || strings.Contains(o.out+o.err, "blue-team-secret") {
		t.Error("a secret was shown")
	}
	if o := weirWith(t.Context(), env, "", "check", "-c", file); o.code != 2 || !strings.Contains(o.err, "OTHER_KEY") || !strings.Contains(o.err, "4:") {
		t.Errorf("an unset variable: %+v", o)
	}
	env["OTHER_KEY"] = "x"
	if o := weirWith(t.Context(), env, "", "check", "-c", file); o.code != 0 || !strings.Contains(o.out, "3 providers and 1 model") {
		t.Errorf("%+v", o)
	}
	write("providers:\n  one: {base_ur: \"URL\"}\nmodels: 3\n")
	if o := weirWith(t.Context(), env, "", "bench", "-c", file, "small"); o.code != 2 || !strings.Contains(o.err, "base_url") || !strings.Contains(o.err, "models") {
		t.Errorf("two problems at once: %+v", o)
	}
}

func TestCheckHelps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "weir.yaml")
	if err := os.WriteFile(file, []byte(runWeir(t, "check", "--example").out), 0o666); err != nil {
		t.Fatal(err)
	}
	if o := weirWith(t.Context(), map[string]string{"MINE_KEY": "x", "LAB_KEY": "x"}, "", "check", "-c", file); o.code != 0 {
		t.Errorf("the example is not sound: %+v", o)
	}
	if o := runWeir(t, "check", "--schema"); o.code != 0 || !strings.Contains(o.out, "2020-12") {
		t.Errorf("%+v", o)
	}
	if o := runWeir(t, "check", "-c", filepath.Join(t.TempDir(), "none.yaml")); o.code != 2 {
		t.Errorf("%+v", o)
	}
}
