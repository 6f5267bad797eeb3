package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/sim"
)

// TestMain makes the test binary stand in for weir where it is started under
// that name, in scripts and in tests of signals.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"weir": main})
}

// outcome is what a run of the command left behind.
type outcome struct {
	code     int
	out, err string
}

// weirWith runs the command in this process.
func weirWith(ctx context.Context, env map[string]string, stdin string, args ...string) outcome {
	var out, errs bytes.Buffer
	code := run(ctx, &process{
		args: args, in: strings.NewReader(stdin), out: &out, err: &errs,
		env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
	})
	return outcome{code, out.String(), errs.String()}
}

func runWeir(t *testing.T, args ...string) outcome {
	t.Helper()
	return weirWith(t.Context(), nil, "", args...)
}

// oneClearLine checks a complaint: one line on standard error that holds all
// the words, and nothing on standard output.
func (o outcome) oneClearLine(t *testing.T, code int, words ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d", o.code, code)
	}
	if o.out != "" {
		t.Errorf("standard output holds %q", o.out)
	}
	if !strings.HasPrefix(o.err, "weir: ") || strings.Count(o.err, "\n") != 1 || !strings.HasSuffix(o.err, "\n") {
		t.Errorf("standard error is not one line of weir: %q", o.err)
	}
	o.says(t, words...)
}

// says checks that the words are shown, wherever.
func (o outcome) says(t *testing.T, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(o.out+o.err, w) {
			t.Errorf("nothing says %q:\n%s%s", w, o.out, o.err)
		}
	}
}

// summary decodes what -o json printed.
func (o outcome) summary(t *testing.T) *report.Summary {
	t.Helper()
	s := new(report.Summary)
	dec := json.NewDecoder(strings.NewReader(o.out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(s); err != nil {
		t.Fatalf("standard output is no summary: %v\n%s%s", err, o.out, o.err)
	}
	if dec.More() {
		t.Errorf("something follows the summary: %s", o.out)
	}
	return s
}

// simulator serves plans on a socket of the loopback; its URL is an API's base.
func simulator(t testing.TB, plans map[string]string) (url string) {
	t.Helper()
	return serve(t, simulated(t, plans)) + "/v1"
}

func simulated(t testing.TB, plans map[string]string) http.Handler {
	t.Helper()
	models := map[string]sim.Plan{}
	for name, spec := range plans {
		p, err := sim.ParsePlan(spec)
		if err != nil {
			t.Fatal(err)
		}
		models[name] = p
	}
	h, err := sim.New(sim.Config{Seed: 1, Models: models})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func serve(t testing.TB, h http.Handler) (url string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// promptly runs f and fails where that takes longer than limit.
func promptly(t *testing.T, limit time.Duration, f func() outcome) outcome {
	t.Helper()
	start := time.Now()
	o := f()
	if took := time.Since(start); took > limit {
		t.Errorf("took %v, at most %v is prompt", took, limit)
	}
	return o
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
