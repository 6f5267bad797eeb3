package gateway_test

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/gateway/telemetry"
	"weir.dev/weir/internal/gateway/tenant"
	"weir.dev/weir/internal/route"
	"weir.dev/weir/meter"
)

// Keys that must be nowhere but where they belong.
const (
	canaryCaller = "wk-CANARY-caller-4711"
	canaryTarget = "sk-CANARY-target-0815"
)

// gate is a gateway on real sockets, with all that it tells of itself. Its routes
// are mine, for the key me, and yours, for the key you; both lead to the target A.
type gate struct {
	addr    string
	up      *heard
	log     *lockedBuffer
	file    string // of the journal
	metrics *telemetry.Metrics
	journal *journal.Log
}

// heard is a provider that remembers what it was asked.
type heard struct {
	*httptest.Server
	mu    sync.Mutex
	heads []http.Header
	paths []string
	body  []string
}

func (h *heard) all() ([]http.Header, []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]http.Header(nil), h.heads...), append([]string(nil), h.body...)
}

type lockedBuffer struct {
	mu  sync.Mutex
	all strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

const plainAnswer = `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"up","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":100,"total_tokens":109}}`

func sayGood(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, plainAnswer)
}

// newGate starts one; nil stands for what is good.
func newGate(t *testing.T, answer http.HandlerFunc, change func(*gateway.Config)) *gate {
	t.Helper()
	if answer == nil {
		answer = sayGood
	}
	g := &gate{up: &heard{}, log: &lockedBuffer{}, file: filepath.Join(t.TempDir(), "requests.jsonl")}
	g.up.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		g.up.mu.Lock()
		g.up.heads, g.up.body, g.up.paths = append(g.up.heads, r.Header.Clone()), append(g.up.body, string(b)), append(g.up.paths, r.URL.Path)
		g.up.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(g.up.Close)
	base := meter.NewTransport(meter.Options{})
	t.Cleanup(base.CloseIdleConnections)
	auth := &catalog.Auth{Base: base}
	target := weir.Target{Name: "A", URL: g.up.URL + "/v1", Dialect: weir.OpenAIChat, Model: "up", Price: &weir.Price{Rates: weir.Rates{Input: weir.Some(1.0), Output: weir.Some(10.0)}}}
	if err := auth.Add(target, canaryTarget); err != nil {
		t.Fatal(err)
	}
	c := gateway.Config{Upstream: auth, Redact: auth.Redact, Handling: gateway.DefaultHandling()}
	for _, name := range []string{"mine", "yours"} {
		c.Routes = append(c.Routes, gateway.Route{
			Plan:    &route.Route{Name: name, Targets: []route.Target{{Name: "A", Dialect: weir.OpenAIChat, Keyed: true}}},
			Targets: []gateway.Target{{Target: target}},
		})
	}
	c.Tenants = tenant.New(gateKeys(tenant.Key{}))
	if change != nil {
		change(&c)
	}
	l := slog.New(slog.NewTextHandler(g.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if g.journal, err = journal.Open(journal.Options{Path: g.file, Logger: l}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.journal.Close() })
	g.metrics = telemetry.New("test", telemetry.Sources{})
	g.metrics.Configure(telemetry.Config{Routes: []telemetry.Route{{Name: "mine"}, {Name: "yours"}}, Targets: []telemetry.Target{{Name: "A"}}, Keys: []string{"me", "you"}})
	s, err := gateway.New(c, gateway.Parts{Journal: g.journal, Record: g.metrics.Observe, Log: l})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := s.HTTP()
	server.ErrorLog = log.New(g.log, "", 0)
	go server.Serve(ln)
	t.Cleanup(func() { server.Close() })
	g.addr = ln.Addr().String()
	return g
}

// gateKeys are me, with the limits of a key, and you.
func gateKeys(limits tenant.Key) []tenant.Key {
	me := limits
	me.Name, me.SHA256, me.Routes = "me", sha256.Sum256([]byte(canaryCaller)), []string{"mine"}
	return []tenant.Key{me, {Name: "you", SHA256: sha256.Sum256([]byte("wk-you")), Routes: []string{"yours"}}}
}

// raw sends bytes and reads all that comes back until the gateway closes the
// connection, or says no more.
func (g *gate) raw(t *testing.T, sent string) (answers []*http.Response, closed bool) {
	t.Helper()
	c, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go io.WriteString(c, sent)
	in := bufio.NewReader(c)
	for wait := 10 * time.Second; ; wait = 500 * time.Millisecond {
		c.SetReadDeadline(time.Now().Add(wait))
		r, err := http.ReadResponse(in, nil)
		if err != nil {
			return answers, !errors.Is(err, os.ErrDeadlineExceeded)
		}
		b, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(b)))
		answers = append(answers, r)
	}
}

// post is a request's bytes.
func post(headers, body string) string {
	return fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer %s\r\n%s\r\n%s", canaryCaller, headers, body)
}

// wholePost is post with a length, the last on its connection.
func wholePost(headers, body string) string {
	if !strings.Contains(headers, "Connection:") {
		headers += "Connection: close\r\n"
	}
	return post(fmt.Sprintf("%sContent-Length: %d\r\n", headers, len(body)), body)
}

// get is a request's bytes.
func get(path string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer " + canaryCaller + "\r\n\r\n"
}

const mineBody = `{"model":"mine","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}`

func bodyOf(r *http.Response) string {
	b, _ := io.ReadAll(r.Body)
	return string(b)
}
