package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"weir.dev/weir/internal/sim"
)

// provider is a simulator that a preset of a local server is pointed at.
func provider(t *testing.T) (env map[string]string, asked *atomic.Int64) {
	t.Helper()
	handler, err := sim.New(sim.Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	asked = new(atomic.Int64)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(srv.URL, "http://"), ":")
	return map[string]string{"LLAMA_ARG_PORT": port}, asked
}

func TestProviderAndModel(t *testing.T) {
	env, _ := provider(t)
	o := weirWith(t.Context(), env, "", "bench", "llamacpp/fast", "-n", "2", "--output-tokens", "4", "-o", "json")
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	if s := o.summary(t); s.Targets[0].Name != "llamacpp" || s.Targets[0].Model != "fast" || s.Targets[0].Requests != 2 {
		t.Errorf("%+v", s.Targets[0])
	}
	if o := weirWith(t.Context(), env, "", "models", "llamacpp"); o.code != 0 || !strings.Contains(o.out, "thinker") {
		t.Errorf("%+v", o)
	}
}

func TestProviderErrors(t *testing.T) {
	for args, words := range map[string][]string{
		"bench grog/m":                                                         {"groq"},
		"bench groq/llama-3.1-8b-instant":                                      {"GROQ_API_KEY"},
		"bench --model llama-3.1-8b --all":                                     {"DEEPINFRA_API_KEY", "no key"},
		"bench --model llama-9 --all":                                          {"llama-"},
		"bench groq/x --all --model llama-3.1-8b":                              {"--all"},
		"models grog":                                                          {"groq"},
		"bench http://127.0.0.1:1 --model m --budget many":                     {"--budget", "2usd"},
		"bench http://127.0.0.1:1 --model m --price cheap=1":                   {"--price", "cached_input"},
		"bench http://203.0.113.9/v1 --model m":                                {"--budget", "--price", "203.0.113.9"},
		"bench http://203.0.113.9/v1 --model m --price input=1000,output=1000": {"--budget"},
	} {
		o := runWeir(t, strings.Fields(args)...)
		if o.code != 2 || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: %+v", args, o)
		}
		for _, w := range words {
			if !strings.Contains(o.err, w) {
				t.Errorf("%s: nothing says %q: %s", args, w, o.err)
			}
		}
	}
}

// A dry run sends nothing and shows what it would: the request, without a key,
// and the cost.
func TestDryRun(t *testing.T) {
	env, asked := provider(t)
	env["GROQ_API_KEY"] = "sk-canary-never-shown"
	o := weirWith(t.Context(), env, "", "bench", "llamacpp/fast", "groq/llama-3.1-8b-instant", "--dry-run")
	if o.code != 0 || asked.Load() != 0 || !strings.Contains(o.out, `"model":"fast"`) || !strings.Contains(o.out, "estimated cost") || strings.Contains(o.out+o.err, "canary") {
		t.Errorf("%+v, asked %d", o, asked.Load())
	}
}

// The cost of a run follows from the usage and the price.
func TestCost(t *testing.T) {
	env, _ := provider(t)
	o := weirWith(t.Context(), env, "", "bench", "llamacpp/fast", "-n", "3", "--warmup", "0", "--output-tokens", "10", "--price", "input=0,output=1000", "-o", "json")
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	if usd := o.summary(t).Targets[0].Cost.Or(0); usd < 0.03-1e-9 || usd > 0.03+1e-9 { // 3 x 10 tokens at 1000 USD a million
		t.Errorf("cost %v, want 0.03", usd)
	}
}

// A budget ends a run: what is under way finishes, nothing more is sent.
func TestBudget(t *testing.T) {
	env, _ := provider(t)
	o := weirWith(t.Context(), env, "", "bench", "llamacpp/fast", "-n", "200", "--warmup", "0", "--output-tokens", "10", "--price", "input=0,output=1000", "--budget", "0.05usd", "-o", "json")
	s := o.summary(t)
	if usd := s.Targets[0].Cost.Or(0); o.code != 0 || usd < 0.05 || usd > 0.2 || !s.Budget || s.Targets[0].Unsent < 150 {
		t.Errorf("code %d, cost %v, reached %v, unsent %d", o.code, usd, s.Budget, s.Targets[0].Unsent)
	}
}

func TestProvidersList(t *testing.T) {
	o := weirWith(t.Context(), map[string]string{"GROQ_API_KEY": "x"}, "", "providers")
	if o.code != 0 || !strings.Contains(o.out, "GROQ_API_KEY *") || strings.Count(o.out, "\n") < 25 {
		t.Errorf("%+v", o)
	}
	var all []struct{ Name string }
	if err := json.Unmarshal([]byte(runWeir(t, "providers", "-o", "json").out), &all); err != nil || len(all) < 25 {
		t.Errorf("%d providers, %v", len(all), err)
	}
	if o := runWeir(t, "models"); o.code != 0 || !strings.Contains(o.out, "llama-3.3-70b") {
		t.Errorf("%+v", o)
	}
}
