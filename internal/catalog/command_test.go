package catalog

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weir.dev/weir"
)

// mintRig is a provider that takes one token, a program that prints what is in
// a file, and an Auth between them.
type mintRig struct {
	t      *testing.T
	dir    string
	url    string
	valid  atomic.Value // what the provider takes
	auth   *Auth
	served atomic.Int32
	mu     sync.Mutex
	bodies []string
}

const rigTarget = "cloud/model"

// newMintRig runs script in a folder where the file token holds the token; each
// run is counted.
func newMintRig(t *testing.T, c Command, script string) *mintRig {
	r := &mintRig{t: t, dir: t.TempDir()}
	srv := httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(srv.Close)
	r.url, r.auth = srv.URL, &Auth{Base: srv.Client().Transport}
	r.issue("tok-canary-one")
	c.Args = []string{"sh", "-c", "cd '" + r.dir + "' && echo run >> runs && " + script}
	if err := r.auth.AddCommand(weir.Target{Name: rigTarget, URL: r.url + "/v1"}, c); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *mintRig) serve(w http.ResponseWriter, req *http.Request) {
	r.served.Add(1)
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	r.bodies = append(r.bodies, string(body))
	r.mu.Unlock()
	if req.Header.Get("Authorization") != "Bearer "+r.valid.Load().(string) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, "refused")
		return
	}
	_, _ = io.WriteString(w, "welcome")
}

// issue makes a token the one that the program prints and the provider takes.
func (r *mintRig) issue(token string) {
	r.valid.Store(token)
	if err := os.WriteFile(filepath.Join(r.dir, "token"), []byte(token+"\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *mintRig) runs() int {
	b, _ := os.ReadFile(filepath.Join(r.dir, "runs"))
	return strings.Count(string(b), "run")
}

// at moves the clock of the tokens.
func (r *mintRig) at(now time.Time) {
	r.auth.keys[rigTarget].mint.now = func() time.Time { return now }
}

func (r *mintRig) post(ctx context.Context, body io.Reader) (int, error) {
	req, err := http.NewRequestWithContext(WithTarget(ctx, rigTarget), http.MethodPost, r.url+"/v1/x", body)
	if err != nil {
		r.t.Fatal(err)
	}
	resp, err := r.auth.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

func (r *mintRig) want(what string, status, runs, served int) {
	r.t.Helper()
	got, err := r.post(r.t.Context(), strings.NewReader("the body"))
	if err != nil || got != status || r.runs() != runs || int(r.served.Load()) != served {
		r.t.Fatalf("%s: status %d, %d runs, %d requests, %v; want %d, %d, %d", what, got, r.runs(), r.served.Load(), err, status, runs, served)
	}
}

func TestExpiredTokenIsRefreshedOnce(t *testing.T) {
	r := newMintRig(t, Command{}, "cat token")
	r.want("first", 200, 1, 1)
	r.want("cached", 200, 1, 2)
	r.issue("tok-canary-two")
	r.want("expired", 200, 2, 4)
	r.want("cached again", 200, 2, 5)
	for i, body := range r.bodies {
		if body != "the body" {
			t.Errorf("request %d had the body %q", i, body)
		}
	}
	for _, token := range []string{"tok-canary-one", "tok-canary-two"} {
		if got := r.auth.Redact("it was " + token); strings.Contains(got, token) {
			t.Errorf("not redacted: %s", got)
		}
	}
}

func TestBodyThatIsGoneIsNotRepeated(t *testing.T) {
	r := newMintRig(t, Command{}, "cat token")
	r.want("first", 200, 1, 1)
	r.issue("tok-canary-two")
	if got, err := r.post(t.Context(), io.MultiReader(strings.NewReader("once"))); got != 401 || err != nil {
		t.Fatalf("status %d, %v, want the provider's 401", got, err)
	}
	r.want("the next", 200, 2, 3)
}

func TestTokenThatStaysRefusedIsNoStorm(t *testing.T) {
	r := newMintRig(t, Command{}, "cat token")
	start := time.Now()
	r.at(start)
	r.valid.Store("another")
	r.want("refused", 401, 2, 1)
	for i := range 5 {
		r.want("refused still", 401, 2, 2+i)
	}
	r.at(start.Add(afterNoChange))
	r.issue("tok-canary-two")
	r.want("mended", 200, 3, 7)
}

func TestTokenIsRefreshedWhenOld(t *testing.T) {
	r := newMintRig(t, Command{Refresh: 30 * time.Minute}, "test ! -e broken && cat token")
	start := time.Now()
	r.at(start)
	r.want("first", 200, 1, 1)
	r.at(start.Add(30*time.Minute - 1))
	r.want("young", 200, 1, 2)
	r.at(start.Add(30 * time.Minute))
	r.want("old", 200, 2, 3)
	if err := os.WriteFile(filepath.Join(r.dir, "broken"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.at(start.Add(60 * time.Minute))
	r.want("the old one does while there is no new one", 200, 3, 4)
	r.want("and is not asked for at once", 200, 3, 5)
	r.at(start.Add(60*time.Minute + afterFailure))
	r.want("but soon", 200, 4, 6)
}

func TestCallersShareOneRun(t *testing.T) {
	r := newMintRig(t, Command{}, "sleep 0.3; cat token")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if got, err := r.post(t.Context(), strings.NewReader("x")); got != 200 || err != nil {
				t.Errorf("status %d, %v", got, err)
			}
		})
	}
	wg.Wait()
	if r.runs() != 1 {
		t.Errorf("%d runs, want 1", r.runs())
	}
}

// A token that expires under many requests is asked for once, and each of them
// is repeated once.
func TestManyRefusalsOneRun(t *testing.T) {
	const many = 24
	r := newMintRig(t, Command{}, "sleep 0.1; cat token")
	r.want("first", 200, 1, 1)
	r.issue("tok-canary-two")
	var wg sync.WaitGroup
	for range many {
		wg.Go(func() {
			if got, err := r.post(t.Context(), strings.NewReader("the body")); got != 200 || err != nil {
				t.Errorf("status %d, %v", got, err)
			}
		})
	}
	wg.Wait()
	if refused := int(r.served.Load()) - 1 - many; r.runs() != 2 || refused < 1 || refused > many {
		t.Errorf("%d runs, %d refused of %d", r.runs(), refused, many)
	}
	for i, body := range r.bodies {
		if body != "the body" {
			t.Errorf("request %d had the body %q", i, body)
		}
	}
}

func TestOneCallerGivingUpDoesNotFailTheOthers(t *testing.T) {
	r := newMintRig(t, Command{}, "if test -e begun; then cat token; else touch begun; exec sleep 60; fi")
	impatient, giveUp := context.WithCancel(t.Context())
	first := make(chan error, 1) // its one result
	go func() {
		_, err := r.post(impatient, nil)
		first <- err
	}()
	for {
		if _, err := os.Stat(filepath.Join(r.dir, "begun")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	second := make(chan int, 1) // its one result
	go func() {
		got, _ := r.post(t.Context(), nil)
		second <- got
	}()
	waiting, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := r.post(waiting, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one that waits: %v, want its own deadline", err)
	}
	giveUp()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the one that gave up: %v", err)
	}
	if got := <-second; got != 200 {
		t.Errorf("the other: status %d", got)
	}
}

func TestFailedCommandsSayWhyAndNothingMore(t *testing.T) {
	for _, c := range []struct{ name, script, says string }{
		{"fails", "echo tok-canary; echo tok-canary >&2; exit 3", "the auth command sh of cloud/model failed: exit status 3"},
		{"two words", "echo token: tok-canary", "printed more than one word"},
		{"two lines", "echo warning; echo tok-canary", "printed more than one word"},
		{"nothing", "true", "printed nothing"},
		{"too much", "yes tok-canary", "printed more than 64 kB"},
		{"too much at once", "head -c 100000 /dev/zero | tr '\\0' c", "printed more than 64 kB"},
		{"too slow", "echo tok-canary; exec sleep 60", "took more than 200ms"},
		{"too slow, a child holds on", "echo tok-canary; sleep 5 & wait", "took more than 200ms"},
		{"not there", "exec /nowhere/tok-canary", "failed: exit status"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			limit := 10 * time.Second
			if strings.HasPrefix(c.name, "too slow") {
				limit = 200 * time.Millisecond
			}
			r := newMintRig(t, Command{Timeout: limit}, c.script)
			begin := time.Now()
			_, err := r.post(t.Context(), strings.NewReader("x"))
			var e *weir.Error
			if !errors.As(err, &e) || e.Code != "auth_command" || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
			if err != nil && (strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), r.dir)) {
				t.Errorf("the error tells too much: %v", err)
			}
			if took := time.Since(begin); took > 4*time.Second {
				t.Errorf("it took %v", took)
			}
			if _, again := r.post(t.Context(), nil); again == nil || r.runs() != 1 || r.served.Load() != 0 {
				t.Errorf("at once after a failure: %v, %d runs, %d requests", again, r.runs(), r.served.Load())
			}
		})
	}
}

func TestUnknownProgram(t *testing.T) {
	a := &Auth{Base: http.DefaultTransport}
	if err := a.AddCommand(weir.Target{Name: "x/m", URL: "http://localhost"}, Command{Args: []string{"weir-no-such-program", "--token=tok-canary"}}); err != nil {
		t.Fatal(err)
	}
	err := a.Warm(t.Context())
	if err == nil || !strings.Contains(err.Error(), "weir-no-such-program of x/m is not to be found") || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
}

func TestWarmRunsAhead(t *testing.T) {
	r := newMintRig(t, Command{}, "cat token")
	if err := r.auth.Warm(t.Context()); err != nil || r.runs() != 1 {
		t.Fatalf("%d runs, %v", r.runs(), err)
	}
	r.want("after", 200, 1, 1)
	if err := r.auth.Warm(t.Context()); err != nil || r.runs() != 1 {
		t.Errorf("again: %d runs, %v", r.runs(), err)
	}
}

// Programs run side by side, and one that fails says so for its target alone.
func TestWarmRunsSideBySide(t *testing.T) {
	dir := t.TempDir()
	a := &Auth{Base: http.DefaultTransport}
	for name, other := range map[string]string{"a/m": "b", "b/m": "a"} {
		script := "touch '" + dir + "/" + name[:1] + "'; until test -e '" + dir + "/" + other + "'; do sleep 0.01; done; test " + other + " = a && echo tok"
		if err := a.AddCommand(weir.Target{Name: name, URL: "http://localhost"}, Command{Args: []string{"sh", "-c", script}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Warm(t.Context()); err == nil || !strings.Contains(err.Error(), "of a/m failed") || strings.Contains(err.Error(), "b/m") {
		t.Errorf("%v", err)
	}
}

func TestTokensGoToTheirHostOnly(t *testing.T) {
	r := newMintRig(t, Command{}, "cat token")
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Authorization") != "" {
			t.Error("another host was shown the token")
		}
	}))
	defer other.Close()
	req, _ := http.NewRequestWithContext(WithTarget(t.Context(), rigTarget), http.MethodGet, other.URL, nil)
	resp, err := r.auth.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if r.runs() != 0 {
		t.Errorf("%d runs for another host", r.runs())
	}
}

func TestTokensAreBearerTokensInEveryDialect(t *testing.T) {
	rec := &recorder{}
	a := &Auth{Base: rec}
	if err := a.AddCommand(weir.Target{Name: "x", URL: "http://h/v1", Dialect: weir.Anthropic}, Command{Args: []string{"echo", "tok"}}); err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequestWithContext(WithTarget(t.Context(), "x"), http.MethodGet, "http://h/v1", nil)
	resp, err := a.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if rec.header.Get("Authorization") != "Bearer tok" || rec.header.Get("X-Api-Key") != "" {
		t.Errorf("%v", rec.header)
	}
}

func TestBadCommands(t *testing.T) {
	for _, c := range []Command{{}, {Args: []string{" "}}, {Args: []string{"x"}, Timeout: -1}, {Args: []string{"x"}, Refresh: -1}} {
		if err := new(Auth).AddCommand(weir.Target{Name: "x", URL: "http://h"}, c); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

func TestParseRefresh(t *testing.T) {
	for in, want := range map[string]time.Duration{"": 0, "401": 0, "30m": 30 * time.Minute, "1h30m": 90 * time.Minute, "30": -1, "-5m": -1, "0s": -1, "soon": -1} {
		got, err := ParseRefresh(in)
		if bad := want < 0; bad != (err != nil) || !bad && got != want {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
}

func TestTokensAreTakenOutOfWhatProvidersSay(t *testing.T) {
	r := newMintRig(t, Command{}, "cat token")
	r.want("first", 200, 1, 1)
	trace := &weir.Trace{ErrorText: "invalid token TOK-canary-one", RequestID: "tok-canary-one", RateLimits: map[string]string{"x": "tok-canary-one"}}
	r.auth.Scrub(trace)
	if all := trace.ErrorText + trace.RequestID + trace.RateLimits["x"]; strings.Contains(strings.ToLower(all), "canary") {
		t.Errorf("left: %s", all)
	}
}
