package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"weir.dev/weir"
	"weir.dev/weir/internal/sim"
)

// turnstile is a provider that takes each token for so many calls.
type turnstile struct {
	next  http.Handler
	calls int

	mu      sync.Mutex
	used    map[string]int
	refused int
}

func (g *turnstile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token := r.Header.Get("Authorization")
	g.mu.Lock()
	ok := g.used[token] < g.calls
	if ok {
		g.used[token]++
	} else {
		g.refused++
	}
	g.mu.Unlock()
	if !ok {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"%s has expired"}}`, token)
		return
	}
	g.next.ServeHTTP(w, r)
}

// minting is a config of targets whose tokens come from scripts.
func minting(t *testing.T, url string, scripts map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	providers, targets := "", ""
	for name, script := range scripts {
		providers += fmt.Sprintf("  %s: {base_url: %s/v1, auth: {command: [sh, -c, %q]}}\n", name, url, script)
		targets += fmt.Sprintf("      - {provider: %s, model: fast}\n", name)
	}
	if err := os.WriteFile("weir.yaml", []byte("providers:\n"+providers+"models:\n  both:\n    targets:\n"+targets), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestExpiringTokens: a provider that takes a token for 20 calls costs no
// request. Those that it refuses go out once more, all with the one new token.
func TestExpiringTokens(t *testing.T) {
	handler, err := sim.New(sim.Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	gate := &turnstile{next: handler, calls: 20, used: map[string]int{}}
	minting(t, serve(t, gate), map[string]string{"cloud": `echo x >> runs; echo "tok-canary-$(wc -l < runs | tr -d ' ')"`})
	o := runWeir(t, "bench", "cloud/fast", "-n", "100", "--concurrency", "8", "--output-tokens", "2", "-o", "json", "--save", "run")
	s := o.summary(t).Targets[0]
	if o.code != 0 || s.Outcomes[weir.OK] != 100 || s.Warmup != 8 {
		t.Errorf("code %d, outcomes %v, %d warm-up", o.code, s.Outcomes, s.Warmup)
	}
	served := 0
	for _, n := range gate.used {
		served += n
	}
	runs := strings.Count(string(readFile(t, "runs")), "\n")
	if served != 108 || runs != 6 || len(gate.used) != runs {
		t.Errorf("%d calls were served by %d tokens of %d runs, want 108 by 6 of 6", served, len(gate.used), runs)
	}
	if gate.refused < 5 || gate.refused > 5*8 {
		t.Errorf("%d refusals, want one to eight for each of five tokens", gate.refused)
	}
	hidesKey(t, o, "run")
}

// A command that brings no token costs its own target, not the others, and is
// told in a line with what to do.
func TestCommandsWithoutToken(t *testing.T) {
	for script, says := range map[string]string{
		"echo tok-canary; echo tok-canary >&2; exit 3": "failed: exit status 3",
		"true":                              "printed nothing",
		"echo Your token:; echo tok-canary": "printed more than one word",
	} {
		handler, err := sim.New(sim.Config{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		gate := &turnstile{next: handler, calls: 1000, used: map[string]int{}}
		minting(t, serve(t, gate), map[string]string{"good": "echo tok-canary", "poor": "echo x >> runs; " + script})
		o := runWeir(t, "bench", "both", "-n", "3", "--output-tokens", "2", "--save", "run")
		if o.code != 0 {
			t.Errorf("%q: %+v", script, o)
		}
		o.says(t, "poor: 1 of 1 failed: auth, auth_command: the auth command sh of poor "+says, "run it by hand", "3 requests not sent")
		if runs := strings.Count(string(readFile(t, "runs")), "\n"); runs != 1 || gate.used["Bearer tok-canary"] != 4 || len(gate.used) != 1 {
			t.Errorf("%q: %d runs, %v", script, runs, gate.used)
		}
		hidesKey(t, o, "run")
	}
}
