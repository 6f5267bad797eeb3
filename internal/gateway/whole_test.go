package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/route"
)

func readAll(r *http.Response) string {
	b, _ := io.ReadAll(r.Body)
	return string(b)
}

const wholeBody = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`

func goodWhole(c *call) {
	c.says(200, fmt.Sprintf(`{"id":%q,"object":"chat.completion","model":"served","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, c.id))
}

func TestWholeAnswers(t *testing.T) {
	tests := map[string]func(*call){
		"503":             status(503),
		"error in a 200":  func(c *call) { c.says(200, `{"error":{"message":"oh","code":503}}`) },
		"a page":          func(c *call) { c.says(200, `<html></html>`, "Content-Type", "text/html") },
		"nothing":         func(c *call) { c.says(200, ``) },
		"half":            func(c *call) { c.says(200, `{"id":"x"`, "Content-Length", "1000"); c.flush(); c.cut() },
		"too slow":        func(c *call) { c.forever() },
		"blanks for ever": func(c *call) { c.head(); c.drip() },
		"too long":        func(c *call) { c.says(200, `{"x":"`+strings.Repeat("x", 1<<20)+`"}`) },
	}
	for name, play := range tests {
		t.Run(name, func(t *testing.T) {
			s := setup{limits: route.Limits{FirstOutput: time.Second}, bounds: gateway.Bounds{Answer: 1 << 19}}
			inBubble(t, s, []*upstream{up("A", play), up("B", goodWhole)}, func(t *testing.T, g *rig) {
				a := g.ask(wholeBody)
				if a.err != nil || a.StatusCode != 200 || !strings.Contains(a.body, `"Hello"`) || a.Header.Get("X-Weir-Target") != "B" || a.Header.Get("X-Weir-Attempts") != "2" {
					t.Errorf("%v %v %s", a.err, a.Header, a.body)
				}
				if r := g.record(a); r.Outcome != weir.OK || r.Usage.Completion != weir.Some(2) || r.Stream {
					t.Errorf("%+v", r)
				}
			})
		})
	}
}

// drip sends blanks until the caller leaves.
func (c *call) drip() {
	for {
		c.send("\n")
		c.wait(100 * time.Millisecond)
	}
}

func TestWholeBytesPass(t *testing.T) {
	odd := `{ "id":"x", "choices" : [{"index":0,"message":{"content":"Hello"},"finish_reason":"stop","n":1.0}] ,"model":"served","x":12345678901234567890 }`
	inBubble(t, setup{}, []*upstream{up("A", func(c *call) { c.says(200, odd, "Set-Cookie", "a=b", "X-Request-Id", "req-1") })}, func(t *testing.T, g *rig) {
		a := g.ask(wholeBody)
		if a.body != odd || a.Header.Get("Set-Cookie") != "" || a.Header.Get("X-Request-Id") != "req-1" || a.Header.Get("Server-Timing") == "" {
			t.Errorf("%v\n%s", a.Header, a.body)
		}
	})
}

func TestEmbeddingsAndCompletions(t *testing.T) {
	play := func(c *call) {
		if c.n == 0 {
			c.says(200, `{"error":{"message":"oh"}}`)
			return
		}
		c.says(200, `{"object":"list","path":"`+c.URL.Path+`","data":[]}`)
	}
	inBubble(t, setup{}, []*upstream{up("A", status(503)), up("B", func(c *call) { c.says(200, `{"object":"list","path":"`+c.URL.Path+`","data":[]}`) })}, func(t *testing.T, g *rig) {
		a := g.askAt(context.Background(), "/v1/embeddings", `{"model":"m","input":"hi"}`)
		if !strings.Contains(a.body, `"/v1/embeddings"`) || a.Header.Get("X-Weir-Attempts") != "2" {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	})
	inBubble(t, setup{}, []*upstream{up("A", play), up("B", play)}, func(t *testing.T, g *rig) {
		g.ask(wholeBody)
		if a := g.askAt(context.Background(), "/v1/embeddings", `{"model":"m","input":"hi"}`); a.StatusCode != 200 {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	})
	text := func(c *call) {
		c.head()
		c.event(`{"id":"x","object":"text_completion","choices":[{"index":0,"text":"Hello","finish_reason":null}]}`)
		c.event(`{"id":"x","object":"text_completion","choices":[{"index":0,"text":"","finish_reason":"stop"}]}`)
	}
	inBubble(t, setup{}, []*upstream{up("A", text)}, func(t *testing.T, g *rig) {
		a := g.askAt(context.Background(), "/v1/completions", `{"model":"m","prompt":"hi","stream":true}`)
		if !a.isDone() || g.ups["A"].seen()[0].URL.Path != "/v1/completions" {
			t.Errorf("%s %s", g.ups["A"].seen()[0].URL.Path, a.body)
		}
	})
}

func TestModels(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", good)}, func(t *testing.T, g *rig) {
		r, _ := http.NewRequest(http.MethodGet, "http://gateway/v1/models", http.NoBody)
		resp, err := g.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if body := readAll(resp); body != `{"data":[{"id":"m","object":"model","created":1,"owned_by":"weir"}],"object":"list"}` {
			t.Error(body)
		}
		if a := g.askAt(t.Context(), "/v1/nothing", "{}"); a.StatusCode != 404 || !strings.Contains(a.body, "unknown_url") {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	})
}

func TestDeadlines(t *testing.T) {
	slow := func(c *call) { c.role(); c.tok("a"); c.forever() }
	inBubble(t, setup{}, []*upstream{up("A", func(c *call) { c.forever() }), up("B", good)}, func(t *testing.T, g *rig) {
		a := g.ask(plainBody, "X-Weir-Timeout-Ms", "500")
		if a.StatusCode != 503 || a.took != 500*time.Millisecond || !strings.Contains(a.body, "deadline") {
			t.Errorf("%d after %v: %s", a.StatusCode, a.took, a.body)
		}
		g.calls(t, map[string]int{"B": 0})
		if h := g.fleet.Health("A", time.Now()); h.Totals.Failure != 0 {
			t.Errorf("the caller's own deadline counts against A: %+v", h)
		}
	})
	inBubble(t, setup{handling: func(h *gateway.Handling) { h.Deadline = time.Second }}, []*upstream{up("A", slow)}, func(t *testing.T, g *rig) {
		a := g.ask(plainBody)
		brokeOff(t, a, "a", weir.TimeoutTotal)
		if a.took != time.Second || g.record(a).Attempts[0].Clock != "deadline" {
			t.Errorf("%v %+v", a.took, g.record(a))
		}
	})
	inBubble(t, setup{}, []*upstream{up("A", good)}, func(t *testing.T, g *rig) {
		if a := g.ask(plainBody, "X-Weir-Timeout-Ms", "soon"); a.StatusCode != 400 {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	})
}
