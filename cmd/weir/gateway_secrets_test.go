package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// passesThrough are the servers whose answers are good enough to be passed on as
// they are: what a target writes into its own answer is the caller's to read.
var passesThrough = []string{"frame", "chatty", "malformed", "list"}

// TestGatewaySecretsAreNowhere: a secret of any place of the config, of the
// environment, of a command, or of a caller is in nothing that the gateway prints,
// keeps or serves, whatever the target does with it. A target's secret is in no
// error that a caller gets.
func TestGatewaySecretsAreNowhere(t *testing.T) {
	r := newSecretsRig(t)
	mine := planted("a caller's key")
	caller := strings.Map(hostSign, mine) + "-caller" // of signs that a header may hold
	r.places["a caller's key"] = caller
	yaml := string(readFile(t, "weir.yaml"))
	yaml += "routes:\n"
	var routes []string
	for _, kind := range gossipKinds {
		for _, who := range []string{"var", "file", "literal", "command", "failing"} {
			routes = append(routes, who+"-"+kind)
			yaml += fmt.Sprintf("  %s-%s: %s-%s/m\n", who, kind, who, kind)
		}
	}
	yaml += fmt.Sprintf("keys: [{name: web, sha256: '%x'}]\n", sha256.Sum256([]byte(caller)))
	yaml += "gateway: {first_output: 2s, attempts: 2, quick_retry: off}\n"
	for _, name := range []string{"key", "printed", "noise"} { // beside the config, where ${file:} and the commands look
		yaml = strings.ReplaceAll(yaml, "${file:"+name+"}", "${file:"+wd(t)+"/"+name+"}")
	}
	g := startGateway(t, r.env, yaml, "--log-level", "debug", "--log", "requests.jsonl")
	for _, route := range routes {
		kind := route[strings.Index(route, "-")+1:]
		for _, stream := range []bool{true, false} {
			body, _ := json.Marshal(map[string]any{"model": route, "stream": stream, "max_tokens": 4, "messages": []any{map[string]string{"role": "user", "content": "hi"}}})
			got := g.do(t, http.MethodPost, g.url+"/v1/chat/completions", caller, string(body))
			if slices.Contains(passesThrough, kind) && got.status == http.StatusOK {
				continue
			}
			var header strings.Builder
			_ = got.header.Write(&header)
			r.hides(t, fmt.Sprintf("%s, stream %v", route, stream), outcome{out: header.String() + got.body})
		}
	}
	for _, path := range []string{"/metrics", "/api/v1/requests?limit=1000", "/api/v1/targets", "/readyz", "/"} {
		r.hides(t, path, outcome{out: g.get(t, g.admin+path).body})
	}
	g.write(t, yaml+"providers: {}\n") // a problem that shows a line
	g.waits(t, oldStays)
	g.write(t, strings.Replace(yaml, "first_output: 2s", "first_output: 3s", 1))
	g.waits(t, takenOver)
	g.stop()
	g.code <- <-g.code
	r.hides(t, "logs", outcome{err: g.err.String(), out: string(readFile(t, "requests.jsonl"))})
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	for _, place := range []string{"${VAR}", "${VAR} in a header", "${file:}", "api_key", "headers", "what a command prints"} {
		if !r.server.heard["unauthorized"][r.places[place]] {
			t.Errorf("the server never heard the secret of %s", place)
		}
	}
	if r.server.heard["unauthorized"][caller] {
		t.Error("the server heard the caller's key")
	}
}

func wd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
