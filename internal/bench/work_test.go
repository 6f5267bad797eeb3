package bench

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"weir.dev/weir"
	"weir.dev/weir/internal/work"
)

var nonceFirst = regexp.MustCompile(`^\[\d{12}\] `)

// split takes the nonces off.
func split(t *testing.T, prompts []string) (nonces, rest []string) {
	t.Helper()
	for _, p := range prompts {
		nonce := nonceFirst.FindString(p)
		if nonce == "" {
			t.Errorf("no nonce in front: %.40q", p)
		}
		nonces, rest = append(nonces, nonce), append(rest, p[len(nonce):])
	}
	return nonces, rest
}

// TestPrompts: all targets are asked the same words, no two requests begin
// alike, and a seed says it all.
func TestPrompts(t *testing.T) {
	ask := func(seed uint64, slots int) (a, b []string) {
		bubble(t, answers{stream(ms, ms), stream(7*ms, ms)}, func(t *testing.T, c Config, es []*endpoint) {
			c.Seed, c.Concurrency, c.Warmup, c.Requests = seed, slots, 0, 11
			mustRun(t, c)
			a, b = es[0].prompts(), es[1].prompts()
		})
		slices.Sort(a) // with several slots they arrive in any order
		slices.Sort(b)
		return a, b
	}
	a, b := ask(1, 1)
	noncesA, wordsA := split(t, a)
	noncesB, wordsB := split(t, b)
	slices.Sort(wordsA)
	slices.Sort(wordsB)
	if !slices.Equal(wordsA, wordsB) {
		t.Error("the targets were asked different words")
	}
	all := append(slices.Clone(noncesA), noncesB...)
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 22 {
		t.Errorf("%d different nonces in 22 requests", n)
	}
	if n := len(slices.Compact(wordsA)); n != 11 {
		t.Errorf("%d different prompts in 11 requests", n)
	}
	for _, w := range wordsA {
		if n := len(strings.Fields(w)); n < 40 || n > 64 {
			t.Errorf("%d words for 64 tokens: %q", n, w)
		}
	}
	if again, _ := ask(1, 3); !slices.Equal(a, again) {
		t.Error("the same seed asks something else with more slots")
	}
	if other, _ := ask(2, 1); slices.Equal(a, other) {
		t.Error("another seed asks the same")
	}
}

func TestOwnPrompt(t *testing.T) {
	bubble(t, answers{stream(ms, ms)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Work.Plan.Prompt, c.Work.Plan.System = "Why is the sky blue?", "Be brief."
		mustRun(t, c)
		if p := slices.Compact(es[0].prompts()); len(p) != 1 || p[0] != "Why is the sky blue?" {
			t.Errorf("%q", p)
		}
		var systems []string
		for _, body := range es[0].asked {
			first := body["messages"].([]any)[0].(map[string]any)
			if first["role"] != "system" {
				t.Errorf("%v", first)
			}
			systems = append(systems, first["content"].(string))
		}
		nonces, texts := split(t, systems) // caches know prefixes: the system's text comes first
		if n := len(slices.Compact(nonces)); n != 11 {
			t.Errorf("%d nonces", n)
		}
		if texts = slices.Compact(texts); len(texts) != 1 || texts[0] != "Be brief." {
			t.Errorf("%q", texts)
		}
	})
	bubble(t, answers{stream(ms, ms)}, func(t *testing.T, c Config, es []*endpoint) {
		c.Work.Plan.Prompt, c.Work.Plan.Cache = "Why is the sky blue?", work.CacheAny
		mustRun(t, c)
		if p := slices.Compact(es[0].prompts()); len(p) != 1 || p[0] != "Why is the sky blue?" {
			t.Errorf("%q", p)
		}
	})
}

// TestWorkloadID: what is asked and how hard, not of whom, how often or when.
func TestWorkloadID(t *testing.T) {
	base := Config{Concurrency: 1, Requests: 10, Work: Work{Plan: tokens(64, 8), Temperature: weir.Some(0.0)}}
	id := base.ID()
	for name, change := range map[string]func(*Config){
		"requests": func(c *Config) { c.Requests = 99 },
		"seed":     func(c *Config) { c.Seed = 99 },
		"warm-up":  func(c *Config) { c.Warmup = 99 },
		"targets":  func(c *Config) { c.Targets = []weir.Target{{Name: "x"}} },
	} {
		c := base
		if change(&c); c.ID() != id {
			t.Errorf("%s changed the id", name)
		}
	}
	for name, change := range map[string]func(*Config){
		"slots":       func(c *Config) { c.Concurrency = 2 },
		"input":       func(c *Config) { c.Work.Plan = tokens(65, 8) },
		"output":      func(c *Config) { c.Work.Plan = tokens(64, 9) },
		"prompt":      func(c *Config) { c.Work.Plan.Prompt = "x" },
		"system":      func(c *Config) { c.Work.Plan.System = "x" },
		"temperature": func(c *Config) { c.Work.Temperature = weir.Some(1.0) },
		"none":        func(c *Config) { c.Work.Temperature = weir.None[float64]() },
		"eos":         func(c *Config) { c.Work.IgnoreEOS = true },
		"stream":      func(c *Config) { c.Work.NoStream = true },
		"nonce":       func(c *Config) { c.Work.Plan.Cache = work.CacheAny },
		"effort":      func(c *Config) { c.Work.ReasoningEffort = "low" },
	} {
		c := base
		if change(&c); c.ID() == id {
			t.Errorf("%s did not change the id", name)
		}
	}
}
