package main

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs testdata/script: what README.md and the help promise, as
// somebody at a shell meets it. $SIM is the base URL of a simulator with the
// models quick and flaky, $BAD that of a server whose answers are as bad as its
// paths say, $CLOSED one where nothing listens.
func TestScripts(t *testing.T) {
	quick := simulator(t, map[string]string{"quick": "ttft=3ms,gap=200us", "flaky": "ttft=3ms,gap=200us,fail=50%:503"})
	bad := serve(t, http.HandlerFunc(badAnswers))
	sim, err := url.Parse(quick)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("SIM", quick)
			e.Setenv("SIMHOST", sim.Host)
			e.Setenv("BAD", bad)
			e.Setenv("CLOSED", "http://127.0.0.1:1/v1")
			return nil
		},
	})
}

// badAnswers answers as its path's first part says.
func badAnswers(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body) // only then does net/http see the client leave
	kind, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch kind {
	case "unauthorized":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		w.Write([]byte(`{"error":{"message":"No API key provided.","type":"invalid_request_error","code":"invalid_api_key"}}`))
	case "html":
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<!doctype html><html><head><title>Welcome to nginx!</title></head><body>hello</body></html>"))
	case "silent":
		<-r.Context().Done()
	case "escapes":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		w.Write([]byte(`{"error":{"message":"a \u001b[31mred\u001b[0m\r\nalarm\u0007","type":"t\u001b[2J"}}`))
	default:
		http.NotFound(w, r)
	}
}
