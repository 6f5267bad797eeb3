package gateway_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"weir.dev/weir"
	"weir.dev/weir/internal/catalog"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/gateway/tenant"
	"weir.dev/weir/internal/route"
)

// withKeys puts each target's key below the meter, as cmd/weir does.
func withKeys(keys map[string]string) func(*gateway.Config) {
	return func(c *gateway.Config) {
		auth := &catalog.Auth{Base: c.Upstream}
		for i, t := range c.Routes[0].Targets {
			if key := keys[t.Name]; key != "" {
				if err := auth.Add(t.Target, key); err != nil {
					panic(err)
				}
			}
			c.Routes[0].Plan.Targets[i].Keyed = keys[t.Name] != ""
		}
		c.Upstream, c.Redact = auth, auth.Redact
	}
}

func TestG33_CredentialsStayAtTheGateway(t *testing.T) {
	s := setup{config: withKeys(map[string]string{"B": "key-of-B"}), keys: []tenant.Key{{Name: "me", SHA256: sha256.Sum256([]byte("gw-key-1"))}}}
	inBubble(t, s, []*upstream{up("A", good), up("B", good)}, func(t *testing.T, g *rig) {
		a := g.ask(plainBody, "Authorization", "Bearer gw-key-1", "X-Api-Key", "gw-key-2", "Api-Key", "gw-key-3", "Cookie", "s=1",
			"Proxy-Authorization", "Basic eA==", "X-Weir-Target", "A", "Connection", "X-Secret", "X-Secret", "1", "Traceparent", "00-1", "Openai-Beta", "b")
		isB(t, a)
		g.calls(t, map[string]int{"A": 0, "B": 1})
		got := g.ups["B"].seen()[0].Request.Header
		want := map[string]string{"Authorization": "Bearer key-of-B", "Traceparent": "00-1", "Openai-Beta": "b", "Content-Type": "application/json", "User-Agent": "weir", "Accept-Encoding": "identity"}
		for name, value := range want {
			if got.Get(name) != value {
				t.Errorf("%s is %q", name, got.Get(name))
			}
		}
		for name := range got {
			if want[name] == "" && name != "Accept" && name != "Content-Length" {
				t.Errorf("%s reached B", name)
			}
		}
		if r := g.latest(); len(r.Skipped) != 1 || r.Skipped[0].Why != string(route.NoKey) || r.Key != "me" {
			t.Errorf("skipped %+v, key %q", r.Skipped, r.Key)
		}
	})
}

func TestG35_SecretsInLogsAndErrors(t *testing.T) {
	const secret = "SECRET-canary-0123456789"
	refused := func(c *gateway.Config) {
		c.Routes[0].Targets[0].URL += "?key=" + secret
		withKeys(map[string]string{"A": secret})(c)
	}
	leaks := func(c *call) { c.says(401, fmt.Sprintf(`{"error":{"message":"Incorrect API key: %s"}}`, secret)) }
	for name, up := range map[string]*upstream{"refused": {name: "A", refuses: true}, "repeated": up("A", leaks), "in band": up("A", func(c *call) { c.head(); c.fails(secret) })} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, setup{config: refused}, []*upstream{up}, func(t *testing.T, g *rig) {
				a := g.ask(plainBody)
				if a.StatusCode < 500 {
					t.Errorf("got %d", a.StatusCode)
				}
				said := a.body + fmt.Sprint(a.Header) + g.logged.String() + fmt.Sprintf("%+v", g.record(a))
				if strings.Contains(said, secret) {
					t.Errorf("the key is in %s", said)
				}
			})
		})
	}
}

func TestKeys(t *testing.T) {
	keys := []tenant.Key{
		{Name: "all", SHA256: sha256.Sum256([]byte("secret-of-all")), RPM: 2},
		{Name: "other", SHA256: sha256.Sum256([]byte("secret-of-other")), Routes: []string{"other"}},
	}
	inBubble(t, setup{keys: keys}, []*upstream{up("A", good)}, func(t *testing.T, g *rig) {
		for _, h := range [][]string{{}, {"Authorization", "Bearer wrong"}, {"X-Api-Key", "wrong"}} {
			if a := g.ask(plainBody, h...); a.StatusCode != http.StatusUnauthorized {
				t.Errorf("%v: %d", h, a.StatusCode)
			}
		}
		if a := g.ask(plainBody, "Authorization", "Bearer secret-of-other"); a.StatusCode != http.StatusNotFound {
			t.Errorf("another key's route: %d", a.StatusCode)
		}
		g.calls(t, map[string]int{"A": 0})
		for i := range 3 {
			a := g.ask(plainBody, "X-Api-Key", "secret-of-all")
			switch {
			case i < 2 && a.StatusCode != http.StatusOK:
				t.Errorf("%d: %d %s", i, a.StatusCode, a.body)
			case i == 2 && (a.StatusCode != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" || !strings.Contains(a.body, "2 requests a minute")):
				t.Errorf("over the limit: %d, Retry-After %q, %s", a.StatusCode, a.Header.Get("Retry-After"), a.body)
			}
		}
		g.calls(t, map[string]int{"A": 2})
	})
}

func TestBodies(t *testing.T) {
	inBubble(t, setup{bounds: gateway.Bounds{Body: 1 << 10}}, []*upstream{up("A", good)}, func(t *testing.T, g *rig) {
		for body, want := range map[string]int{
			`{"model":"m"`:       400,
			`[]`:                 400,
			``:                   400,
			`{"messages":[]}`:    400,
			`{"model":"nobody"}`: 404,
			`{"x":"` + strings.Repeat("x", 2000) + `"}`: 413,
		} {
			if a := g.ask(body); a.StatusCode != want || !strings.Contains(a.body, `"error"`) {
				t.Errorf("%.20s: %d %s", body, a.StatusCode, a.body)
			}
		}
		chunked := g.request(context.Background(), "/v1/chat/completions", `{"x":"`+strings.Repeat("x", 2000)+`"}`)
		chunked.ContentLength = -1
		resp, err := g.client.Do(chunked)
		if err != nil || resp.StatusCode != 413 {
			t.Errorf("without a length: %v %v", resp, err)
		}
		resp.Body.Close()
		g.calls(t, map[string]int{"A": 0})
		if a := g.askAt(context.Background(), "/v1/messages", `{`); !strings.Contains(a.body, `{"type":"error","error":{"type":"invalid_request_error"`) {
			t.Errorf("Anthropic's callers are told %s", a.body)
		}
	})
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", func(c *call) { c.says(307, "", "Location", "http://b/v1/chat/completions") }), up("B", good)}, func(t *testing.T, g *rig) {
		isB(t, g.ask(plainBody))
		if got := g.ups["B"].seen()[0]; !strings.Contains(string(got.body), "model-B") {
			t.Errorf("A's redirect was followed: %s", got.body)
		}
		if r := g.latest(); r.Attempts[0].Outcome != weir.UpstreamError {
			t.Errorf("A's attempt is %+v", r.Attempts[0])
		}
	})
}
