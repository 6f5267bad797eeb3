package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
)

// The cases of gateway-cases.md on the caller's side.

func TestG21_CallerLeavesInMidStream(t *testing.T) {
	endless := func(c *call) {
		c.role()
		for {
			c.wait(10 * time.Millisecond)
			c.tok("x")
		}
	}
	inBubble(t, setup{}, []*upstream{up("A", endless), up("B", good)}, func(t *testing.T, g *rig) {
		ctx, leave := context.WithCancel(t.Context())
		resp, err := g.client.Do(g.request(ctx, "/v1/chat/completions", plainBody))
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(resp.Body)
		for range 4 * 2 { // role and three tokens
			in.ReadString('\n')
		}
		left := time.Now()
		leave()
		time.Sleep(100 * time.Millisecond)
		if at := g.ups["A"].seen()[0].over(t); at.Sub(left) > 20*time.Millisecond {
			t.Errorf("A went on for %v", at.Sub(left))
		}
		g.calls(t, map[string]int{"A": 1, "B": 0})
		if h := g.fleet.Health("A", time.Now()); h.Failures != 0 {
			t.Errorf("it counts against A: %+v", h)
		}
		if r := g.latest(); r.Outcome != weir.Canceled {
			t.Errorf("the outcome is %s", r.Outcome)
		}
	})
}

func TestG22_CallerLeavesBeforeTheFirstByte(t *testing.T) {
	phases := map[string]func(*call){
		"headers": func(c *call) { c.wait(5 * time.Second) },
		"held":    func(c *call) { c.role(); c.wait(5 * time.Second) },
		"error's body": func(c *call) {
			c.WriteHeader(503)
			c.flush()
			c.wait(5 * time.Second)
		},
	}
	for name, play := range phases {
		for _, body := range []string{plainBody, strings.Replace(plainBody, "true", "false", 1)} {
			t.Run(name, func(t *testing.T) {
				inBubble(t, setup{}, []*upstream{up("A", play), up("B", good)}, func(t *testing.T, g *rig) {
					ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
					defer leave()
					began := time.Now()
					a := g.askAt(ctx, "/v1/chat/completions", body)
					if a.err == nil {
						t.Fatal("an answer came")
					}
					time.Sleep(100 * time.Millisecond)
					if at := g.ups["A"].seen()[0].over(t); at.Sub(began) > 60*time.Millisecond {
						t.Errorf("A went on until %v", at.Sub(began))
					}
					g.calls(t, map[string]int{"A": 1, "B": 0})
					if r := g.latest(); r.Outcome != weir.Canceled || r.Attempts[0].Outcome != weir.Canceled {
						t.Errorf("the outcome is %s, A's %s", r.Outcome, r.Attempts[0].Outcome)
					}
				})
			})
		}
	}
}

func TestG25_AccountingOnDisconnect(t *testing.T) {
	counts := func(c *call) {
		c.role()
		for i := range 10 {
			c.wait(10 * time.Millisecond)
			c.event(`{"id":"i","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}],"usage":{"prompt_tokens":10,"completion_tokens":%d}}`, i+2)
		}
	}
	leaveAfter := func(t *testing.T, g *rig, d time.Duration) {
		ctx, leave := context.WithTimeout(t.Context(), d)
		defer leave()
		g.askAt(ctx, "/v1/chat/completions", plainBody)
		time.Sleep(time.Second)
	}
	inBubble(t, setup{}, []*upstream{up("A", counts)}, func(t *testing.T, g *rig) {
		leaveAfter(t, g, 25*time.Millisecond)
		r := g.latest()
		if r.Outcome != weir.Canceled || r.Usage.Prompt != weir.Some(10) || r.Usage.Completion != weir.Some(3) || r.UsageEstimated {
			t.Errorf("%s, %+v, estimated %v", r.Outcome, r.Usage, r.UsageEstimated)
		}
	})
	silent := func(c *call) { c.role(); c.tok("four"); c.tok("more"); c.forever() }
	inBubble(t, setup{}, []*upstream{up("A", silent)}, func(t *testing.T, g *rig) {
		leaveAfter(t, g, 25*time.Millisecond)
		if r := g.latest(); !r.UsageEstimated || r.Usage.Completion.Or(0) == 0 || r.Usage.Prompt.Or(0) == 0 {
			t.Errorf("%+v, estimated %v", r.Usage, r.UsageEstimated)
		}
	})
	inBubble(t, setup{}, []*upstream{up("A", func(c *call) { c.forever() })}, func(t *testing.T, g *rig) {
		leaveAfter(t, g, 25*time.Millisecond)
		if r := g.latest(); r.Usage.Reported() || r.UsageEstimated {
			t.Errorf("%+v, estimated %v", r.Usage, r.UsageEstimated)
		}
	})
}

func TestG28_UsageAskedForByTheGateway(t *testing.T) {
	asked := strings.Replace(plainBody, "{", `{"stream_options":{"include_usage":true},`, 1)
	inBubble(t, setup{}, []*upstream{up("A", good)}, func(t *testing.T, g *rig) {
		a := g.ask(plainBody)
		if strings.Contains(a.body, "usage") || !a.isDone() {
			t.Errorf("usage came unasked:\n%s", a.body)
		}
		if r := g.record(a); r.Usage.Completion != weir.Some(2) || r.Usage.Prompt != weir.Some(9) {
			t.Errorf("the record has %+v", r.Usage)
		}
		a = g.ask(asked)
		if strings.Count(a.body, `"usage":{`) != 1 {
			t.Errorf("usage was asked for:\n%s", a.body)
		}
		for _, c := range g.ups["A"].seen() {
			if !c.asksUsage() {
				t.Errorf("A was not asked for usage: %s", c.body)
			}
		}
	})
}

func TestG28_StreamOptionsRefused(t *testing.T) {
	refuses := func(c *call) {
		if c.asksUsage() {
			c.says(400, `{"error":{"message":"unknown field stream_options"}}`)
			return
		}
		good(c)
	}
	inBubble(t, setup{}, []*upstream{up("A", refuses), up("B", good)}, func(t *testing.T, g *rig) {
		for range 2 {
			if a := g.ask(plainBody); a.text() != "Hello" || a.Header.Get("X-Weir-Target") != "A" {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		}
		g.calls(t, map[string]int{"A": 3, "B": 0})
	})
}

func TestG28_NullUsageIsTakenOut(t *testing.T) {
	nulls := func(c *call) {
		c.head()
		c.event(`{"id":"i","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}],"usage":null}`)
		c.event(`{"id":"i","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`)
		c.use(1, 1)
		c.done()
	}
	inBubble(t, setup{}, []*upstream{up("A", nulls)}, func(t *testing.T, g *rig) {
		if a := g.ask(plainBody); strings.Contains(a.body, "usage") || a.text() != "Hello" || !a.isDone() {
			t.Errorf("got\n%s", a.body)
		}
	})
}

func TestG29_CommentsAndPings(t *testing.T) {
	play := func(c *call) {
		c.head()
		c.ka()
		c.role()
		c.wait(200 * time.Millisecond)
		c.tok("a")
		c.fin()
		c.done()
	}
	inBubble(t, setup{handling: func(h *gateway.Handling) { h.Hold, h.KeepAlive = 50*time.Millisecond, 50*time.Millisecond }}, []*upstream{up("A", play)}, func(t *testing.T, g *rig) {
		a := g.ask(plainBody)
		if a.text() != "a" || !a.isDone() || strings.Count(a.body, ": keep-alive\n\n") < 3 {
			t.Errorf("got\n%s", a.body)
		}
		for block := range strings.SplitSeq(a.body, "\n\n") {
			if strings.HasPrefix(block, "data: :") || strings.Contains(block, "\n:") || strings.Contains(block, "id: ") {
				t.Errorf("%q", block)
			}
		}
	})
	inBubble(t, setup{}, []*upstream{up("A", func(c *call) {
		c.role()
		c.tok("a")
		c.ka()
		c.wait(time.Second)
		c.tok("b")
		c.fin()
		c.done()
	})}, func(t *testing.T, g *rig) {
		began := time.Now()
		resp, err := g.client.Do(g.request(t.Context(), "/v1/chat/completions", plainBody))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		got, buf := "", make([]byte, 64<<10)
		for !strings.Contains(got, ": keep-alive\n\n") {
			n, _ := resp.Body.Read(buf)
			got += string(buf[:n])
		}
		if time.Since(began) > 0 {
			t.Errorf("A's comment came after %v", time.Since(began))
		}
	})
}

func TestG30_KeepAliveWhileHeadersAreHeld(t *testing.T) {
	slow := func(c *call) { c.wait(300 * time.Millisecond); status(503)(c) }
	s := setup{handling: func(h *gateway.Handling) { h.Hold, h.KeepAlive = 100*time.Millisecond, 50*time.Millisecond }}
	inBubble(t, s, []*upstream{up("A", slow), up("B", good)}, func(t *testing.T, g *rig) {
		began := time.Now()
		resp, err := g.client.Do(g.request(t.Context(), "/v1/chat/completions", plainBody))
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp, err)
		}
		if d := time.Since(began); d != 100*time.Millisecond {
			t.Errorf("200 came after %v", d)
		}
		body, _ := io.ReadAll(resp.Body)
		a := answer{Response: resp, body: string(body)}
		if a.text() != "Hello" || !a.isDone() || !strings.HasPrefix(a.body, ": keep-alive\n\n") || resp.Header.Get("X-Weir-Target") != "" {
			t.Errorf("got %v\n%s", resp.Header, a.body)
		}
		g.calls(t, map[string]int{"A": 1, "B": 1})
		if r := g.record(a); !r.Early || r.Target != "B" {
			t.Errorf("early %v, target %q", r.Early, r.Target)
		}
	})
	inBubble(t, s, []*upstream{up("A", slow)}, func(t *testing.T, g *rig) {
		a := g.ask(plainBody)
		if kind, _ := a.failure(); kind != string(weir.UpstreamError) || a.StatusCode != http.StatusOK {
			t.Errorf("%d\n%s", a.StatusCode, a.body)
		}
	})
}

func TestG31_FlushPerEvent(t *testing.T) {
	paced := func(c *call) {
		c.role()
		for range 20 {
			c.wait(50 * time.Millisecond)
			c.tok("x")
		}
		c.fin()
		c.done()
	}
	inBubble(t, setup{}, []*upstream{up("A", paced)}, func(t *testing.T, g *rig) {
		began := time.Now()
		resp, err := g.client.Do(g.request(t.Context(), "/v1/chat/completions", plainBody))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.Header.Get("X-Accel-Buffering") != "no" || resp.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("headers %v", resp.Header)
		}
		buf := make([]byte, 64<<10)
		for i := 1; i <= 20; i++ {
			n, err := resp.Body.Read(buf)
			if err != nil && err != io.EOF || strings.Count(string(buf[:n]), `"content":"x"`) != 1 || time.Since(began) != time.Duration(i)*50*time.Millisecond {
				t.Fatalf("read %d after %v: %v\n%s", i, time.Since(began), err, buf[:n])
			}
		}
	})
}

func TestDrainForUsage(t *testing.T) {
	counts := func(c *call) {
		c.role()
		for range 5 {
			c.wait(10 * time.Millisecond)
			c.tok("x")
		}
		c.fin()
		c.use(9, 5)
		c.done()
	}
	drains := func(r *gateway.Route) { r.Targets[0].DrainUsage = true }
	for name, test := range map[string]struct {
		most int
		want weir.Opt[int]
	}{"drained": {1, weir.Some(5)}, "no room": {-1, weir.Some(1)}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, setup{route: drains, bounds: gateway.Bounds{Drains: test.most}}, []*upstream{up("A", counts)}, func(t *testing.T, g *rig) {
				ctx, leave := context.WithTimeout(t.Context(), 25*time.Millisecond)
				defer leave()
				g.askAt(ctx, "/v1/chat/completions", plainBody)
				time.Sleep(time.Second)
				if r := g.latest(); r.Outcome != weir.Canceled || r.Usage.Completion != test.want || r.UsageEstimated == (test.most > 0) {
					t.Errorf("%s %+v", r.Outcome, r.Usage)
				}
			})
		})
	}
	endless := func(c *call) {
		c.role()
		for {
			c.wait(10 * time.Millisecond)
			c.tok("x")
		}
	}
	inBubble(t, setup{route: drains, bounds: gateway.Bounds{UsageDrain: time.Second}}, []*upstream{up("A", endless)}, func(t *testing.T, g *rig) {
		ctx, leave := context.WithTimeout(t.Context(), 25*time.Millisecond)
		defer leave()
		began := time.Now()
		g.askAt(ctx, "/v1/chat/completions", plainBody)
		time.Sleep(2 * time.Second)
		if d := g.ups["A"].seen()[0].over(t).Sub(began); d < time.Second || d > 1100*time.Millisecond {
			t.Errorf("A was read on for %v", d)
		}
	})
}

func TestWithoutKeepAlive(t *testing.T) {
	for name, test := range map[string]struct {
		first time.Duration
		want  int
	}{"begun before the hold is over": {10 * time.Millisecond, 0}, "begun by the hold": {time.Second, 1}} {
		t.Run(name, func(t *testing.T) {
			play := func(c *call) {
				c.wait(test.first)
				c.role()
				c.tok("a")
				c.wait(time.Second)
				c.fin()
				c.done()
			}
			inBubble(t, setup{handling: func(h *gateway.Handling) { h.Hold, h.KeepAlive = 100*time.Millisecond, 0 }}, []*upstream{up("A", play)}, func(t *testing.T, g *rig) {
				if a := g.ask(plainBody); strings.Count(a.body, ": keep-alive") != test.want || !a.isDone() {
					t.Errorf("got\n%s", a.body)
				}
			})
		})
	}
}
