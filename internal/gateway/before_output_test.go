package gateway_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/route"
)

// The cases of gateway-cases.md before the first output.

// isB tells whether the caller got B's answer whole and nothing else.
func isB(t *testing.T, a answer) {
	t.Helper()
	if a.err != nil || a.StatusCode != http.StatusOK || a.text() != "Hello" || !a.isDone() || strings.Count(a.body, "[DONE]") != 1 {
		t.Fatalf("the answer is not B's: %v %d\n%s", a.err, a.StatusCode, a.body)
	}
	if strings.Contains(a.body, "id-A") || a.Header.Get("X-Weir-Target") != "B" {
		t.Errorf("a trace of A is in the answer (target %q):\n%s", a.Header.Get("X-Weir-Target"), a.body)
	}
	if n := strings.Count(a.body, `"role":"assistant"`); n != 1 {
		t.Errorf("%d role events", n)
	}
}

// calls checks how often the upstreams were asked.
func (g *rig) calls(t *testing.T, want map[string]int) {
	t.Helper()
	for name, n := range want {
		if got := len(g.ups[name].seen()); got != n {
			t.Errorf("%s was asked %d times, want %d", name, got, n)
		}
	}
}

func TestG01_ErrorStatusBeforeAnyByte(t *testing.T) {
	for _, code := range []int{429, 500, 502, 503, 529} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			inBubble(t, setup{handling: func(h *gateway.Handling) { h.QuickRetry = 0 }}, []*upstream{up("A", status(code)), up("B", good)}, func(t *testing.T, g *rig) {
				a := g.ask(plainBody)
				isB(t, a)
				g.calls(t, map[string]int{"A": 1, "B": 1})
				got, want := string(g.ups["B"].seen()[0].body), `"messages":[{"role":"user","content":"hi"}]`
				if !strings.Contains(got, want) || !strings.Contains(got, `"model":"model-B"`) {
					t.Errorf("B got %s", got)
				}
			})
		})
	}
}

func TestG01_NoConnection(t *testing.T) {
	ups := []*upstream{up("A", good), up("B", good)}
	ups[0].refuses = true
	inBubble(t, setup{}, ups, func(t *testing.T, g *rig) {
		isB(t, g.ask(plainBody))
		if r := g.latest(); r.Attempts[0].Outcome != weir.ConnectError || r.DuplicateRisk != 0 {
			t.Errorf("the trail begins with %+v, duplicate risk %d", r.Attempts[0], r.DuplicateRisk)
		}
	})
}

func TestG02_FirstEventIsAnError(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", func(c *call) { c.head(); c.ka(); c.fails("429") }), up("B", good)}, func(t *testing.T, g *rig) {
		isB(t, g.ask(plainBody))
		g.calls(t, map[string]int{"A": 1, "B": 1})
		if h := g.fleet.Health("A", time.Now()); h.Reason != string(route.CoolingDown) {
			t.Errorf("A is %+v, want it cooled", h)
		}
	})
}

func TestG04_ErrorAfterBookkeeping(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", func(c *call) { c.role(); c.fails("503") }), up("B", good)}, func(t *testing.T, g *rig) {
		isB(t, g.ask(plainBody))
		g.calls(t, map[string]int{"A": 1, "B": 1})
	})
}

func TestG04_ReasoningCommits(t *testing.T) {
	thinks := func(c *call) {
		c.role()
		c.event(`{"id":"id-A","choices":[{"index":0,"delta":{"reasoning_content":"hm"},"finish_reason":null}]}`)
		c.fails("503")
	}
	inBubble(t, setup{}, []*upstream{up("A", thinks), up("B", good)}, func(t *testing.T, g *rig) {
		a := g.ask(plainBody)
		if kind, _ := a.failure(); kind != string(weir.UpstreamError) || !strings.Contains(a.body, "hm") {
			t.Errorf("ended with %q:\n%s", kind, a.body)
		}
		g.calls(t, map[string]int{"B": 0})
	})
}

func TestG05_SlowFirstToken(t *testing.T) {
	const limit = 100 * time.Millisecond
	inBubble(t, setup{limits: route.Limits{FirstOutput: limit}}, []*upstream{up("A", func(c *call) { c.role(); c.forever() }), up("B", good)}, func(t *testing.T, g *rig) {
		began := time.Now()
		a := g.ask(plainBody)
		isB(t, a)
		if a.took != limit {
			t.Errorf("took %v", a.took)
		}
		if at := g.ups["A"].seen()[0].over(t).Sub(began); at != limit {
			t.Errorf("A was cancelled after %v", at)
		}
	})
}

func TestG06_AllFail(t *testing.T) {
	ups := []*upstream{up("A", status(500)), up("B", good)}
	ups[1].refuses = true
	inBubble(t, setup{}, ups, func(t *testing.T, g *rig) {
		a := g.ask(plainBody)
		if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Content-Type") != "application/json" || !strings.Contains(a.body, `"error"`) {
			t.Errorf("got %d %s\n%s", a.StatusCode, a.Header.Get("Content-Type"), a.body)
		}
		if strings.Contains(a.body, "dial") || !strings.Contains(a.body, "B: connect_error") || !strings.Contains(a.body, "status 500") {
			t.Errorf("it says too much or too little: %s", a.body)
		}
		g.calls(t, map[string]int{"A": 2})
	})
}

func TestG07_ClientErrorComesBackAtOnce(t *testing.T) {
	refuses := map[string]func(*call){
		"400": func(c *call) {
			c.says(400, `{"error":{"message":"temperature must be below 2","type":"invalid_request_error","param":"temperature","code":null}}`)
		},
		"413": func(c *call) { c.says(413, `{"error":{"message":"temperature must be below 2"}}`) },
		"422": func(c *call) { c.says(422, `{"error":{"message":"temperature must be below 2"}}`) },
		"in band": func(c *call) {
			c.head()
			c.event(`{"error":{"message":"temperature must be below 2","code":400}}`)
		},
	}
	for name, play := range refuses {
		t.Run(name, func(t *testing.T) {
			inBubble(t, setup{}, []*upstream{up("A", play), up("B", good)}, func(t *testing.T, g *rig) {
				a := g.ask(plainBody)
				want := 400
				fmt.Sscan(name, &want)
				if a.StatusCode != want || !strings.Contains(a.body, "temperature must be below 2") || a.Header.Get("Content-Type") != "application/json" {
					t.Errorf("got %d\n%s", a.StatusCode, a.body)
				}
				g.calls(t, map[string]int{"A": 1, "B": 0})
				if h := g.fleet.Health("A", time.Now()); h.Failures != 0 || h.State == weir.HealthOpen {
					t.Errorf("A is %+v", h)
				}
			})
		})
	}
}

func TestG08_BodyIsReplayedWhole(t *testing.T) {
	long := strings.Repeat("é \\u00e9 0.10 ", 25_000)
	body := `{ "messages":[{"role":"user","content":"` + long + `"}],"model" : "m", "stream":true,"x":1e0}`
	echo := func(c *call) {
		c.role()
		c.tok(fmt.Sprintf("%d %x", c.ContentLength, sha256.Sum256(c.body)))
		c.fin()
		c.done()
	}
	inBubble(t, setup{}, []*upstream{up("A", status(503)), up("B", echo)}, func(t *testing.T, g *rig) {
		a := g.ask(body)
		atA, atB := g.ups["A"].seen()[0].body, g.ups["B"].seen()[0].body
		if strings.Replace(string(atA), "model-A", "model-B", 1) != string(atB) {
			t.Error("A and B got different bodies")
		}
		want := strings.Replace(body, `"model" : "m"`, `"model" : "model-B"`, 1)
		want = strings.TrimSuffix(want, "}") + `,"stream_options":{"include_usage":true}}`
		if string(atB) != want {
			t.Errorf("B got %d bytes, want %d", len(atB), len(want))
		}
		if a.text() != fmt.Sprintf("%d %x", len(want), sha256.Sum256([]byte(want))) {
			t.Errorf("B echoed %q", a.text())
		}
	})
}

func TestG11_NoResendAfterTheRequestMayHaveBeenTaken(t *testing.T) {
	slow := func(c *call) { c.forever() }
	limits := route.Limits{FirstOutput: 100 * time.Millisecond}
	inBubble(t, setup{limits: limits}, []*upstream{up("A", slow), up("B", good)}, func(t *testing.T, g *rig) {
		isB(t, g.ask(plainBody, "Idempotency-Key", "k1"))
		g.calls(t, map[string]int{"A": 1, "B": 1})
		for _, u := range g.ups {
			if k := u.seen()[0].Request.Header.Get("Idempotency-Key"); k != "k1" {
				t.Errorf("%s got the key %q", u.name, k)
			}
		}
		if r := g.latest(); r.DuplicateRisk != 1 {
			t.Errorf("duplicate risk is %d", r.DuplicateRisk)
		}
	})
	inBubble(t, setup{limits: limits, route: func(r *gateway.Route) { r.Plan.Grace = -1 }}, []*upstream{up("A", slow), up("B", slow), up("C", good)}, func(t *testing.T, g *rig) {
		if a := g.ask(plainBody); a.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("got %d", a.StatusCode)
		}
		g.calls(t, map[string]int{"A": 1, "B": 1, "C": 0})
	})
}

func TestG12_AttemptBudget(t *testing.T) {
	ups := []*upstream{up("A", status(503)), up("B", status(503)), up("C", status(503))}
	inBubble(t, setup{handling: func(h *gateway.Handling) { h.Attempts = 2 }}, ups, func(t *testing.T, g *rig) {
		a := g.ask(plainBody)
		if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("X-Should-Retry") != "false" || a.Header.Get("Retry-After") != "" {
			t.Errorf("got %d, x-should-retry %q, Retry-After %q", a.StatusCode, a.Header.Get("X-Should-Retry"), a.Header.Get("Retry-After"))
		}
		g.calls(t, map[string]int{"A": 1, "B": 1, "C": 0})
	})
}
