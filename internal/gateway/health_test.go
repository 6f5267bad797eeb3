package gateway_test

import (
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/route"
)

// The cases of gateway-cases.md about health, cool-downs and routing, as far as
// the gateway has a part in them; the rest is package route's.

// recorded plays a stream of cases.md.
func recorded(t *testing.T, name string) func(*call) {
	t.Helper()
	b, err := os.ReadFile("../dialect/testdata/streams/" + name + ".sse")
	if err != nil {
		t.Fatal(err)
	}
	return func(c *call) {
		c.head()
		c.send(string(b))
	}
}

func TestG36_WhatCountsAsFailure(t *testing.T) {
	tests := map[string]struct {
		play   func(*call) // nil: refuses connections
		state  weir.HealthState
		reason route.Reason
		fromA  bool // the caller gets A's answer, broken or not
	}{
		"refused":     {nil, weir.HealthOpen, route.Open, false},
		"no credit":   {func(c *call) { c.says(400, `{"error":{"message":"Your credit balance is too low to access the API"}}`) }, weir.HealthOpen, route.OutOfQuota, false},
		"S46":         {recorded(t, "S46"), weir.HealthOpen, route.Open, true},
		"S18":         {recorded(t, "S18"), weir.HealthOpen, route.Open, true},
		"bad request": {status(400), weir.HealthUnknown, "", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := up("A", test.play)
			a.refuses = test.play == nil
			inBubble(t, setup{}, []*upstream{a, up("B", good)}, func(t *testing.T, g *rig) {
				for range 5 {
					got := g.ask(plainBody)
					if fromB := got.Header.Get("X-Weir-Target") == "B"; fromB == test.fromA {
						t.Errorf("from B: %v\n%d %s", fromB, got.StatusCode, got.body)
					}
				}
				if h := g.fleet.Health("A", time.Now()); h.State != test.state || h.Reason != string(test.reason) {
					t.Errorf("A is %s (%s), want %s (%s)", h.State, h.Reason, test.state, test.reason)
				}
			})
		})
	}
}

func TestG37_RateLimitCoolDown(t *testing.T) {
	for _, header := range []func(now time.Time) []string{
		func(time.Time) []string { return []string{"Retry-After", "2"} },
		func(time.Time) []string { return []string{"Retry-After-Ms", "2000"} },
		func(now time.Time) []string {
			return []string{"Date", now.UTC().Format(http.TimeFormat), "Retry-After", now.Add(2 * time.Second).UTC().Format(http.TimeFormat)}
		},
	} {
		limited := func(c *call) { c.says(429, `{"error":{"message":"slow down"}}`, header(c.at)...) }
		inBubble(t, setup{}, []*upstream{up("A", limited), up("B", good)}, func(t *testing.T, g *rig) {
			for range 8 {
				isB(t, g.ask(plainBody))
				time.Sleep(500 * time.Millisecond)
			}
			calls := g.ups["A"].seen()
			if len(calls) != 2 || calls[1].at.Sub(calls[0].at) < 2*time.Second {
				t.Errorf("A was asked %d times", len(calls))
			}
		})
	}
}

func TestG39_SingleUpstream(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", turns(status(500), good))}, func(t *testing.T, g *rig) {
		for range 2 {
			if a := g.ask(plainBody); a.text() != "Hello" || !a.isDone() {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		}
		g.calls(t, map[string]int{"A": 3})
	})
	inBubble(t, setup{}, []*upstream{up("A", turns(status(503), status(503), status(503), status(503), status(503), status(503), good))}, func(t *testing.T, g *rig) {
		for range 6 {
			if a := g.ask(plainBody); a.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("%d", a.StatusCode)
			}
		}
		if a := g.ask(plainBody); a.text() != "Hello" { // its breaker is open, and there is no other
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	})
}

func TestG40_AllCooledDown(t *testing.T) {
	limited := func(wait string) func(*call) {
		return func(c *call) { c.says(429, `{"error":{"message":"slow down"}}`, "Retry-After", wait) }
	}
	inBubble(t, setup{}, []*upstream{up("A", limited("5")), up("B", limited("9"))}, func(t *testing.T, g *rig) {
		for range 2 {
			a := g.ask(plainBody)
			wait, _ := strconv.Atoi(a.Header.Get("Retry-After"))
			if a.StatusCode != http.StatusTooManyRequests || wait != 5 || a.Header.Get("X-Should-Retry") != "true" {
				t.Errorf("%d, Retry-After %d, x-should-retry %s: %s", a.StatusCode, wait, a.Header.Get("X-Should-Retry"), a.body)
			}
		}
		g.calls(t, map[string]int{"A": 1, "B": 1})
		if h := g.fleet.Health("A", time.Now()); h.Totals.Failure != 0 {
			t.Errorf("A is %+v", h)
		}
	})
}

func TestAllKeysRefused(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", status(401)), up("B", status(402))}, func(t *testing.T, g *rig) {
		for range 2 {
			if a := g.ask(plainBody); a.StatusCode != http.StatusBadGateway {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		}
		g.calls(t, map[string]int{"A": 1, "B": 1})
	})
}

func TestG42_ErrorRateNeedsAMinimum(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", turns(status(503), good, status(503))), up("B", good)}, func(t *testing.T, g *rig) {
		g.ask(plainBody)
		time.Sleep(time.Hour)
		if a := g.ask(plainBody); a.Header.Get("X-Weir-Target") != "A" {
			t.Errorf("one failure took A out")
		}
		for range 25 {
			isB(t, g.ask(plainBody))
		}
		g.calls(t, map[string]int{"A": 2 + 5})
	})
}

func TestG47_EmptyOrUnknownFleet(t *testing.T) {
	ready := func(g *rig) answer {
		r, _ := http.NewRequest(http.MethodGet, "http://gateway/readyz", http.NoBody)
		resp, err := g.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var b strings.Builder
		_, _ = b.WriteString(readAll(resp))
		return answer{Response: resp, body: b.String()}
	}
	inBubble(t, setup{}, nil, func(t *testing.T, g *rig) {
		if a := ready(g); a.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
		if a := g.ask(plainBody); a.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	})
	inBubble(t, setup{}, []*upstream{up("A", good)}, func(t *testing.T, g *rig) {
		if a := ready(g); a.StatusCode != http.StatusOK || !strings.Contains(a.body, `"unknown":1`) {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	})
	inBubble(t, setup{config: withKeys(nil)}, []*upstream{up("A", good)}, func(t *testing.T, g *rig) {
		if a := ready(g); a.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("without a key: %d %s", a.StatusCode, a.body)
		}
	})
}

func TestG50_ModelName(t *testing.T) {
	for want, rewrite := range map[string]bool{"m-test": false, "m": true} {
		inBubble(t, setup{route: func(r *gateway.Route) { r.RewriteModel = rewrite }}, []*upstream{up("A", recorded(t, "S32"))}, func(t *testing.T, g *rig) {
			a := g.ask(plainBody, "X-Weir-Target", "B")
			if strings.Count(a.body, `"model":"`+want+`"`) != 5 || strings.Count(a.body, `"model":`) != 5 || a.text() != "Hello world" || !a.isDone() {
				t.Errorf("got\n%s", a.body)
			}
			got := g.ups["A"].seen()[0]
			if !strings.Contains(string(got.body), `"model":"model-A"`) || got.Request.Header.Get("X-Weir-Target") != "" {
				t.Errorf("A got %v\n%s", got.Request.Header, got.body)
			}
		})
	}
}
