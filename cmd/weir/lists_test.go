package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weir.dev/weir/internal/sim"
)

// hosts are providers with lists of models, by the preset whose place they
// take. A nil list hangs, an empty one is answered by 404.
type hosts struct {
	lists map[string][]string
	sim   http.Handler
	mu    sync.Mutex
	asked map[string]int // "groq models", "groq chat"
}

// counts is how often each was asked so far.
func (h *hosts) counts() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.asked)
}

// forget begins to count anew.
func (h *hosts) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = map[string]int{}
}

func (h *hosts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	kind := path[strings.LastIndexByte(path, '/')+1:]
	h.mu.Lock()
	h.asked[name+" "+kind]++
	h.mu.Unlock()
	list := h.lists[name]
	switch {
	case kind != "models":
		body, _ := io.ReadAll(r.Body)
		var asked map[string]any
		_ = json.Unmarshal(body, &asked)
		asked["model"] = "fast"
		body, _ = json.Marshal(asked)
		inner := r.Clone(r.Context())
		inner.URL.Path, inner.Body, inner.ContentLength = "/"+path, io.NopCloser(strings.NewReader(string(body))), int64(len(body))
		h.sim.ServeHTTP(w, inner)
	case list == nil:
		<-r.Context().Done()
	case len(list) == 0:
		http.NotFound(w, r)
	default:
		data := []any{}
		for _, id := range list {
			data = append(data, map[string]string{"id": id})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}
}

// newHosts writes a config that puts the hosts in the presets' places, with a
// key for each.
func newHosts(t *testing.T, lists map[string][]string) *hosts {
	t.Helper()
	handler, err := sim.New(sim.Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	h := &hosts{lists: lists, sim: handler, asked: map[string]int{}}
	url := serve(t, h)
	t.Chdir(t.TempDir())
	text := "providers:\n"
	for name := range lists {
		text += fmt.Sprintf("  %s: {base_url: %s/%s/v1, api_key: key-of-%s}\n", name, url, name, name)
	}
	if err := os.WriteFile("weir.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// TestAllAsksForLists: who does not list the model is left out, a list that is
// refused or does not come is no obstacle, and a router is marked.
func TestAllAsksForLists(t *testing.T) {
	h := newHosts(t, map[string][]string{
		"deepinfra":  {"meta-llama/Llama-3.3-70B-Instruct-turbo", "other"},
		"openrouter": {"meta-llama/llama-3.3-70b-instruct"},
		"novita":     {"meta-llama/llama-3.3-70b-instruct-fp8", "other"},
		"fireworks":  {},
		"nebius":     nil,
	})
	run := func(flags ...string) outcome {
		return promptly(t, listWait+10*time.Second, func() outcome {
			return runWeir(t, append([]string{"bench", "--model", "llama-3.3-70b", "--all", "-n", "2", "--output-tokens", "2"}, flags...)...)
		})
	}
	o := run()
	if o.code != 0 {
		t.Errorf("%+v", o)
	}
	o.says(t, "weir: novita is left out: it does not list meta-llama/llama-3.3-70b-instruct (did you mean meta-llama/llama-3.3-70b-instruct-fp8?)\n", "openrouter (router)", "openrouter: a router: ")
	if strings.Contains(o.out, "novita") || strings.Contains(o.out, "other") || strings.Contains(o.out, "nebius (router)") {
		t.Errorf("%s", o.out)
	}
	want := map[string]int{}
	for name := range h.lists {
		want[name+" models"], want[name+" completions"] = 1, 3
	}
	delete(want, "novita completions")
	if d := compare(want, h.counts()); d != "" {
		t.Error(d)
	}
	h.lists["nebius"] = []string{"another"} // nothing hangs now
	h.forget()
	s := run("-o", "json").summary(t)
	var names, routers []string
	for i, target := range s.Targets {
		names = append(names, target.Name)
		if target.Router && s.Settings.Targets[i].Router {
			routers = append(routers, target.Name)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"deepinfra", "fireworks", "openrouter"}) || !slices.Equal(routers, []string{"openrouter"}) {
		t.Errorf("targets %v, routers %v", names, routers)
	}
	h.forget()
	if o := run("--dry-run"); o.code != 0 || len(h.counts()) > 0 || !strings.Contains(o.out, "novita") {
		t.Errorf("asked %v: %+v", h.counts(), o)
	}
	for name := range h.lists {
		h.lists[name] = []string{"another"}
	}
	if o := run(); o.code != 2 || !strings.Contains(o.err, "none of the providers of llama-3.3-70b") || !strings.Contains(o.err, "provider/model") {
		t.Errorf("%+v", o)
	}
}

func compare(want, got map[string]int) string {
	if fmt.Sprint(want) == fmt.Sprint(got) {
		return ""
	}
	return fmt.Sprintf("got %v, want %v", got, want)
}

// A name that the user wrote is asked for, whatever lists say.
func TestNamesThatAreNotListed(t *testing.T) {
	h := newHosts(t, map[string][]string{"groq": {"llama-3.3-70b-versatile"}, "novita": {}})
	for _, c := range []struct {
		target, says string
		lists        int
	}{
		{"groq/llama-3.3-70", "weir: groq does not list llama-3.3-70 (did you mean llama-3.3-70b-versatile?); it is asked all the same", 1},
		{"groq/zzz", "weir: groq does not list zzz; it is asked all the same", 1},
		{"groq/llama-3.3-70b-versatile", "", 1},
		{"groq/llama-3.3-70b-versatile:beta", "", 1},
		{"groq/openai/gpt-oss-120b", "", 0}, // the catalog knows it
		{"groq/llama-3.1-8b-instant", "weir: groq does not list llama-3.1-8b-instant; it is asked all the same", 1}, // it ended there on 2026-08-16
		{"novita/zzz", "", 1}, // there is no list
	} {
		h.forget()
		o := runWeir(t, "bench", c.target, "-n", "1", "--output-tokens", "2")
		name, _, _ := strings.Cut(c.target, "/")
		said, _, _ := strings.Cut(o.err, "estimated cost")
		if o.code != 0 || (c.says == "") != (said == "" || strings.HasPrefix(said, "no price")) || !strings.HasPrefix(said, c.says) || h.counts()[name+" models"] > c.lists || h.counts()[name+" completions"] != 2 {
			t.Errorf("%s: asked %v: %+v", c.target, h.counts(), o)
		}
	}
}

// An account that is not named, or a key that is missing, leaves one provider
// out and not all.
func TestAllWithoutAnAccount(t *testing.T) {
	h := newHosts(t, map[string][]string{"deepinfra": {}})
	env := map[string]string{"CLOUDFLARE_API_TOKEN": "x"}
	o := weirWith(t.Context(), env, "", "bench", "--model", "llama-3.3-70b", "--all", "-n", "2", "--output-tokens", "2", "-o", "json")
	if o.code != 0 || len(o.summary(t).Targets) != 1 || h.counts()["deepinfra completions"] != 3 || !strings.Contains(o.err, "weir: cloudflare is left out: cloudflare needs its account: CLOUDFLARE_ACCOUNT_ID") {
		t.Errorf("%+v", o)
	}
}
