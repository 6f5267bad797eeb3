package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const canary = "sk-canary-0123456789-abcdefXYZ"

// witness is an endpoint that remembers all that it was sent, and answers with
// what it was authorised by.
type witness struct {
	mu     sync.Mutex
	seen   bytes.Buffer
	status int
}

func (w *witness) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.WriteString(r.RequestURI + "\n")
	_ = r.Header.Write(&w.seen)
	_, _ = io.Copy(&w.seen, r.Body)
	if w.status == http.StatusTemporaryRedirect {
		http.Redirect(rw, r, r.Header.Get("X-Elsewhere"), w.status)
		return
	}
	key := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key") + r.Header.Get("X-Goog-Api-Key")
	body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": "Incorrect API key provided: " + key + ". Yes, " + key, "code": "invalid_api_key"}})
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(w.status)
	_, _ = rw.Write(body)
}

func (w *witness) count(s string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Count(w.seen.String(), s)
}

func TestKeyReachesOnlyItsURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, header string }{
		{"openai-chat", "Authorization: Bearer " + canary},
		{"openai-completions", "Authorization: Bearer " + canary},
		{"openai-responses", "Authorization: Bearer " + canary},
		{"ollama", "Authorization: Bearer " + canary},
		{"anthropic", "X-Api-Key: " + canary},
		{"gemini", "X-Goog-Api-Key: " + canary},
	} {
		for _, output := range []string{"table", "json", "html"} {
			first, second := &witness{status: 401}, &witness{status: 401}
			dir := filepath.Join(t.TempDir(), "run")
			o := weirWith(t.Context(), map[string]string{"MY_KEY": canary}, "", "bench", serve(t, first), serve(t, second), "--model", "m",
				"--dialect", c.dialect, "--key-env", "MY_KEY", "--key-env", "-", "-n", "3", "--save", dir, "-o", output)
			if o.code != 1 {
				t.Errorf("%s: code %d\n%s%s", c.dialect, o.code, o.out, o.err)
			}
			if first.count(c.header) == 0 || first.count(canary) != first.count(c.header) {
				t.Errorf("%s: the first endpoint saw\n%s", c.dialect, &first.seen)
			}
			if second.count("canary") != 0 || second.count(" HTTP")+second.count("Content-Type") == 0 {
				t.Errorf("%s: the second endpoint saw\n%s", c.dialect, &second.seen)
			}
			o.says(t, "auth", "Incorrect API key provided: ", "[key]")
			hidesKey(t, o, dir)
		}
	}
}

// hidesKey looks for the key in all that was left behind.
func hidesKey(t *testing.T, o outcome, dir string) {
	t.Helper()
	for _, s := range []string{o.out, o.err} {
		if strings.Contains(s, "canary") {
			t.Errorf("the key is shown: %s", s)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Errorf("nothing was kept: %v", err)
	}
	for _, f := range files {
		if b := readFile(t, filepath.Join(dir, f.Name())); bytes.Contains(b, []byte("canary")) {
			t.Errorf("the key is in %s: %s", f.Name(), b)
		}
	}
}

// TestKeyDoesNotFollowRedirects: another host may be anybody.
func TestKeyDoesNotFollowRedirects(t *testing.T) {
	t.Parallel()
	first, second := &witness{status: http.StatusTemporaryRedirect}, &witness{status: 401}
	elsewhere := serve(t, second)
	o := weirWith(t.Context(), map[string]string{"MY_KEY": canary}, "", "bench", serve(t, first), "--model", "m", "--key-env", "MY_KEY",
		"--header", "X-Elsewhere="+elsewhere, "-n", "1")
	if o.code != 1 || second.count("") != 1 {
		t.Errorf("code %d, the other host saw %q", o.code, &second.seen)
	}
}

// TestNoKeyUnlessNamed: usual variables are not read by themselves.
func TestNoKeyUnlessNamed(t *testing.T) {
	t.Parallel()
	w := &witness{status: 401}
	weirWith(t.Context(), map[string]string{"OPENAI_API_KEY": canary, "ANTHROPIC_API_KEY": canary}, "", "bench", serve(t, w), "--model", "m", "-n", "1")
	if w.count("canary") != 0 || w.count("Authorization") != 0 {
		t.Errorf("%s", &w.seen)
	}
}

func TestKeyUsage(t *testing.T) {
	t.Parallel()
	w := &witness{status: 401}
	url := serve(t, w)
	env := map[string]string{"MY_KEY": canary, "EMPTY": "", "TWO_WORDS": canary + " x", "LINES": canary + "\nx"}
	for _, c := range []struct {
		args  []string
		words []string
	}{
		{[]string{url, "--key-env", "NOPE"}, []string{"--key-env NOPE", "no such environment variable"}},
		{[]string{url, "--key-env", canary}, []string{"--key-env", "never go on the command line"}},
		{[]string{url, "--key-env", "EMPTY"}, []string{"--key-env EMPTY", "empty"}},
		{[]string{url, "--key-env", "TWO_WORDS"}, []string{"--key-env TWO_WORDS", "blanks"}},
		{[]string{url, "--key-env", "LINES"}, []string{"--key-env LINES"}},
		{[]string{url, url, "--key-env", "MY_KEY"}, []string{"--key-env", "2 targets", "- for none"}},
		{[]string{url, "--key-env", "MY_KEY", "--key-env", "MY_KEY"}, []string{"--key-env", "2 times"}},
	} {
		o := weirWith(t.Context(), env, "", append([]string{"bench", "--model", "m"}, c.args...)...)
		o.oneClearLine(t, 2, c.words...)
		if strings.Contains(o.err, "canary") {
			t.Errorf("the key is shown: %s", o.err)
		}
	}
	if w.count("") != 1 {
		t.Errorf("something was sent: %s", &w.seen)
	}
}
