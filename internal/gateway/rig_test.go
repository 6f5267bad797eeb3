package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/gateway/tenant"
	"weir.dev/weir/internal/route"
	"weir.dev/weir/internal/weirtest"
	"weir.dev/weir/meter"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a gateway with its upstreams, on networks in memory and in virtual
// time. Upstreams are called A, B, C, in the order of the route.
type rig struct {
	t       *testing.T
	front   *weirtest.Network
	ups     map[string]*upstream
	server  *gateway.Server
	http    *http.Server
	client  *http.Client
	journal *journal.Log
	fleet   *route.Fleet
	base    *http.Transport
	logged  *bytes.Buffer
}

// setup is what a test's gateway is like. Its zero value is one route "m" over
// the upstreams, with the defaults.
type setup struct {
	handling func(*gateway.Handling)
	bounds   gateway.Bounds
	route    func(*gateway.Route)
	config   func(*gateway.Config)
	limits   route.Limits
	keys     []tenant.Key
}

// inBubble runs a test in virtual time.
func inBubble(t *testing.T, s setup, ups []*upstream, test func(*testing.T, *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, s, ups)
		defer g.close()
		test(t, g)
	})
}

func newRig(t *testing.T, s setup, ups []*upstream) *rig {
	t.Helper()
	g := &rig{t: t, front: weirtest.NewNetwork(), ups: map[string]*upstream{}, fleet: route.NewFleet(1), logged: new(bytes.Buffer)}
	for _, u := range ups {
		g.ups[u.name] = u
		u.start()
	}
	var err error
	if g.journal, err = journal.Open(journal.Options{}); err != nil {
		t.Fatal(err)
	}
	base := meter.NewTransport(meter.Options{Dial: g.dial})
	g.base = base
	g.server, err = gateway.New(g.config(s, ups, base), gateway.Parts{
		Fleet: g.fleet, Journal: g.journal, Log: slog.New(slog.NewTextHandler(g.logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	g.http = g.server.HTTP()
	go g.http.Serve(g.front.Listen())
	g.client = &http.Client{Transport: &http.Transport{DialContext: g.front.Dial, DisableCompression: true, MaxIdleConnsPerHost: 64}}
	t.Cleanup(base.CloseIdleConnections)
	return g
}

func (g *rig) config(s setup, ups []*upstream, base http.RoundTripper) gateway.Config {
	h := gateway.DefaultHandling()
	if s.handling != nil {
		s.handling(&h)
	}
	r := gateway.Route{Plan: &route.Route{Name: "m", Limits: s.limits}}
	for _, u := range ups {
		target := weir.Target{Name: u.name, URL: "http://" + strings.ToLower(u.name) + "/v1", Dialect: weir.OpenAIChat, Model: "model-" + u.name}
		if u.dialect != "" {
			target.Dialect = u.dialect
		}
		r.Targets = append(r.Targets, gateway.Target{Target: target})
		r.Plan.Targets = append(r.Plan.Targets, route.Target{Name: u.name, Dialect: target.Dialect, Keyed: true})
	}
	if s.route != nil {
		s.route(&r)
	}
	c := gateway.Config{Routes: []gateway.Route{r}, Handling: h, Bounds: s.bounds, Upstream: base}
	if s.keys != nil {
		c.Tenants = tenant.New(s.keys)
	}
	if s.config != nil {
		s.config(&c)
	}
	return c
}

func (g *rig) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, _, _ := strings.Cut(addr, ":")
	u := g.ups[strings.ToUpper(host)]
	if u == nil || u.refuses {
		return nil, &net.OpError{Op: "dial", Net: network, Err: fmt.Errorf("connection refused")}
	}
	return u.net.Dial(ctx, network, addr)
}

func (g *rig) close() {
	g.client.CloseIdleConnections()
	g.http.Close()
	for _, u := range g.ups {
		u.server.Close()
	}
	time.Sleep(time.Minute) // what still waits comes to its end
	synctest.Wait()
}

const plainBody = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`

// answer is what a caller got.
type answer struct {
	*http.Response
	body string
	err  error         // the body did not end by itself
	took time.Duration // until the end
}

// ask sends a request and reads its answer to the end.
func (g *rig) ask(body string, headers ...string) answer {
	g.t.Helper()
	return g.askAt(context.Background(), "/v1/chat/completions", body, headers...)
}

func (g *rig) askAt(ctx context.Context, path, body string, headers ...string) answer {
	g.t.Helper()
	began := time.Now()
	resp, err := g.client.Do(g.request(ctx, path, body, headers...))
	if err != nil {
		return answer{err: err, took: time.Since(began)}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return answer{resp, string(b), err, time.Since(began)}
}

func (g *rig) request(ctx context.Context, path, body string, headers ...string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://gateway"+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// record is that of an answer, once the gateway has finished it.
func (g *rig) record(a answer) *journal.Record {
	g.t.Helper()
	synctest.Wait()
	r, ok := g.journal.Get(a.Header.Get("X-Weir-Request-Id"))
	if !ok {
		g.t.Fatal("the request has no record")
	}
	return r
}

// latest is the record of the request that ended last.
func (g *rig) latest() *journal.Record {
	g.t.Helper()
	synctest.Wait()
	all := g.journal.Recent(1)
	if len(all) == 0 {
		g.t.Fatal("there is no record")
	}
	return all[0]
}

// upstream is a provider that plays what it is told.
type upstream struct {
	name    string
	dialect weir.Dialect
	refuses bool // connections
	play    func(*call)

	net    *weirtest.Network
	server *http.Server
	mu     sync.Mutex
	calls  []*call
}

// up makes an upstream that plays one thing for every call.
func up(name string, play func(*call)) *upstream { return &upstream{name: name, play: play} }

// turns plays one thing after another; the last again and again.
func turns(plays ...func(*call)) func(*call) {
	return func(c *call) { plays[min(c.n, len(plays)-1)](c) }
}

func (u *upstream) start() {
	u.net = weirtest.NewNetwork()
	u.server = &http.Server{Handler: u, ErrorLog: log.New(io.Discard, "", 0)}
	go u.server.Serve(u.net.Listen())
}

// call is one request that an upstream got.
type call struct {
	http.ResponseWriter
	*http.Request
	n    int
	at   time.Time
	body []byte
	id   string

	mu   sync.Mutex
	left time.Time // when its end was noticed
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	u.mu.Lock()
	c := &call{ResponseWriter: w, Request: r, n: len(u.calls), at: time.Now(), body: body, id: "id-" + u.name}
	u.calls = append(u.calls, c)
	u.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.left = time.Now()
		c.mu.Unlock()
	}()
	u.play(c)
}

func (u *upstream) seen() []*call {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]*call(nil), u.calls...)
}

// over is when the upstream's side of the call ended; it fails if it has not.
func (c *call) over(t *testing.T) time.Time {
	t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left.IsZero() {
		t.Fatal("the call upstream is still open")
	}
	return c.left
}

// The steps of gateway-cases.md.

func (c *call) head() {
	c.Header().Set("Content-Type", "text/event-stream")
	c.WriteHeader(http.StatusOK)
	c.flush()
}

// Header is the response's.
func (c *call) Header() http.Header { return c.ResponseWriter.Header() }

func (c *call) flush() { c.ResponseWriter.(http.Flusher).Flush() }

func (c *call) send(text string) {
	io.WriteString(c.ResponseWriter, text)
	c.flush()
}

func (c *call) event(format string, args ...any) {
	c.send("data: " + fmt.Sprintf(format, args...) + "\n\n")
}

func (c *call) role() {
	if c.Header().Get("Content-Type") == "" {
		c.head()
	}
	c.event(`{"id":%q,"object":"chat.completion.chunk","created":1,"model":"served-%s","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`, c.id, c.id)
}

func (c *call) tok(text string) {
	quoted, _ := json.Marshal(text)
	c.event(`{"id":%q,"object":"chat.completion.chunk","created":1,"model":"served-%s","choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}]}`, c.id, c.id, quoted)
}

func (c *call) fin() {
	c.event(`{"id":%q,"object":"chat.completion.chunk","created":1,"model":"served-%s","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, c.id, c.id)
}

func (c *call) use(p, n int) {
	c.event(`{"id":%q,"object":"chat.completion.chunk","created":1,"model":"served-%s","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`, c.id, c.id, p, n, p+n)
}

func (c *call) done() { c.send("data: [DONE]\n\n") }

func (c *call) ka() { c.send(": keep-alive\n\n") }

func (c *call) fails(code string) {
	c.event(`{"error":{"message":"it failed with %s","code":%q}}`, code, code)
}

func (c *call) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

func (c *call) forever() { c.wait(time.Hour) }

func (c *call) cut() { panic(http.ErrAbortHandler) }

func (c *call) says(status int, body string, headers ...string) {
	c.Header().Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		c.Header().Set(headers[i], headers[i+1])
	}
	c.WriteHeader(status)
	io.WriteString(c.ResponseWriter, body)
}

// asksUsage tells whether the request asks for usage.
func (c *call) asksUsage() bool { return bytes.Contains(c.body, []byte(`"include_usage":true`)) }

// good is a healthy stream.
func good(c *call) {
	c.role()
	c.tok("Hello")
	c.fin()
	if c.asksUsage() {
		c.use(9, 2)
	}
	c.done()
}

func status(code int) func(*call) {
	return func(c *call) { c.says(code, fmt.Sprintf(`{"error":{"message":"status %d of %s"}}`, code, c.id)) }
}

// text joins what an answer's events say.
func (a answer) text() string {
	var all strings.Builder
	for _, data := range a.events() {
		var e struct {
			Choices []struct {
				Delta struct{ Content string }
			}
		}
		if json.Unmarshal([]byte(data), &e) == nil {
			for _, c := range e.Choices {
				all.WriteString(c.Delta.Content)
			}
		}
	}
	return all.String()
}

// events are the data of an answer's events.
func (a answer) events() []string {
	var list []string
	for block := range strings.SplitSeq(a.body, "\n\n") {
		for line := range strings.SplitSeq(block, "\n") {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				list = append(list, data)
			}
		}
	}
	return list
}

func (a answer) isDone() bool { return strings.HasSuffix(a.body, "data: [DONE]\n\n") }

// failure is the error event that an answer ends with.
func (a answer) failure() (kind, message string) {
	events := a.events()
	if len(events) == 0 {
		return "", ""
	}
	var e struct {
		Error struct{ Type, Message string }
	}
	_ = json.Unmarshal([]byte(events[len(events)-1]), &e)
	return e.Error.Type, e.Error.Message
}

// benchEvent is an event as OpenAI sends it.
var benchEvent = []byte(`data: {"id":"chatcmpl-0123456789","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o-2024-08-06","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":{"content":" water"},"logprobs":null,"finish_reason":null}]}` + "\n\n")
