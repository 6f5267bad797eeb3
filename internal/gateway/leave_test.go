package gateway_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/gateway/tenant"
	"weir.dev/weir/internal/route"
)

// leaver is a caller that is gone after so many writes.
type leaver struct {
	*httptest.ResponseRecorder
	left int
}

func (l *leaver) Write(p []byte) (int, error) {
	if l.left--; l.left < 0 {
		return 0, errors.New("broken pipe")
	}
	return l.ResponseRecorder.Write(p)
}

// byEvent gives one event a read.
type byEvent struct{ left []byte }

func (b *byEvent) Read(p []byte) (int, error) {
	if len(b.left) == 0 {
		return 0, io.EOF
	}
	n := bytes.Index(b.left, []byte("\n\n")) + 2
	n = copy(p, b.left[:n])
	b.left = b.left[n:]
	return n, nil
}

// handler is a gateway over one body, without sockets.
func handler(t testing.TB, body func() io.Reader) http.Handler {
	t.Helper()
	s, err := gateway.New(gateway.Config{
		Upstream: provider(body),
		Routes: []gateway.Route{{
			Targets: []gateway.Target{{Target: weir.Target{Name: "A", URL: "http://a/v1", Dialect: weir.OpenAIChat, Model: "model-A"}}},
			Plan:    &route.Route{Name: "m", Targets: []route.Target{{Name: "A", Dialect: weir.OpenAIChat, Keyed: true}}},
		}},
		Tenants: tenant.New([]tenant.Key{{Name: "k", SHA256: sha256.Sum256([]byte("key")), RPM: 1 << 30, TPM: 1 << 30}}),
	}, gateway.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	return s.Handler()
}

func keyed(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer key")
	return r
}

// A caller that leaves just before the end has the rest of the answer read, so
// that the connection is kept; it goes nowhere.
func TestCallerLeavesNearTheEnd(t *testing.T) {
	const event = `data: {"id":"x","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}` + "\n\n"
	const tail = `data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
		`data: {"id":"x","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}` + "\n\ndata: [DONE]\n\n" + event + event
	for writes := range 4 {
		h := handler(t, func() io.Reader { return &byEvent{[]byte(event + tail)} })
		h.ServeHTTP(&leaver{httptest.NewRecorder(), writes}, keyed(plainBody))
	}
}

func TestNoAllocationPerEvent(t *testing.T) {
	allocs := func(events int) float64 {
		body := append(bytes.Repeat(benchEvent, events), `data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n"...)
		h := handler(t, func() io.Reader { return &byEvent{body} })
		w := &discard{header: http.Header{}}
		return testing.AllocsPerRun(20, func() { h.ServeHTTP(w, keyed(plainBody)) })
	}
	few, many := allocs(512), allocs(1024)
	if per := (many - few) / 512; per > 0.02 { // the ticks of a longer answer need more room
		t.Errorf("%.3f allocations per event (%v with 512 events, %v with 1024)", per, few, many)
	}
}

// discard is a caller that keeps nothing.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) Flush()                      {}

func TestSlowCallerIsNoSlowProvider(t *testing.T) {
	const pause = 10 * time.Second
	flood := func(c *call) {
		c.role()
		for range 100 {
			c.tok(strings.Repeat("water ", 1000))
		}
		c.fin()
		c.done()
	}
	s := setup{limits: route.Limits{Stall: time.Second, Bytes: time.Second, FirstOutput: time.Second}}
	inBubble(t, s, []*upstream{up("A", flood)}, func(t *testing.T, g *rig) {
		resp, err := g.client.Do(g.request(t.Context(), "/v1/chat/completions", plainBody))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		time.Sleep(pause)
		body, err := io.ReadAll(resp.Body)
		a := answer{Response: resp, body: string(body)}
		if err != nil || !a.isDone() || len(a.text()) != 600_000 {
			t.Errorf("%v, %d bytes of text", err, len(a.text()))
		}
		if r := g.record(a); r.Outcome != weir.OK || r.Backpressure.Or(0).Duration() < pause/2 {
			t.Errorf("%s, backpressure %v", r.Outcome, r.Backpressure.Or(0).Duration())
		}
		if h := g.fleet.Health("A", time.Now()); h.Failures != 0 {
			t.Errorf("A is %+v", h)
		}
	})
}

func TestRetryBudget(t *testing.T) {
	inBubble(t, setup{config: func(c *gateway.Config) { c.Retries = gateway.Retries{Share: 0.1, Floor: -1} }}, []*upstream{up("A", status(503)), up("B", good)}, func(t *testing.T, g *rig) {
		n := 0
		for range 20 {
			if a := g.ask(plainBody); a.StatusCode == http.StatusServiceUnavailable {
				n++
				if r := g.record(a); !r.RetryBudgetSpent {
					t.Errorf("the record does not say why")
				}
			}
		}
		if n == 0 || len(g.ups["A"].seen()) < 5 {
			t.Errorf("%d were refused a retry", n)
		}
	})
}
