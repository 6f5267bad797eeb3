package gateway_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/route"
)

// The cases of gateway-cases.md after the first output.

// brokeOff checks that an answer is a text and then an error event, and nothing
// that looks like a good end.
func brokeOff(t *testing.T, a answer, text string, kind weir.Outcome) {
	t.Helper()
	if a.err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("got %v, %d", a.err, a.StatusCode)
	}
	if got, message := a.failure(); got != string(kind) || message == "" {
		t.Errorf("the last event is an error %q %q, want %s:\n%s", got, message, kind, a.body)
	}
	if a.text() != text || strings.Contains(a.body, "[DONE]") || strings.Contains(a.body, `"finish_reason":"`) {
		t.Errorf("want %q and no end:\n%s", text, a.body)
	}
}

func cutAfterTwo(c *call) {
	c.role()
	c.tok("a")
	c.tok("b")
	c.cut()
}

func TestG13_ErrorEventAfterOutput(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", func(c *call) { c.role(); c.tok("Hel"); c.fails("500") }), up("B", good)}, func(t *testing.T, g *rig) {
		brokeOff(t, g.ask(plainBody), "Hel", weir.UpstreamError)
		g.calls(t, map[string]int{"A": 1, "B": 0})
	})
}

func TestG14_CutAfterOutput(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", cutAfterTwo), up("B", good)}, func(t *testing.T, g *rig) {
		brokeOff(t, g.ask(plainBody), "ab", weir.Truncated)
		g.calls(t, map[string]int{"A": 1, "B": 0})
		if h := g.fleet.Health("A", time.Now()); h.Failures != 1 {
			t.Errorf("A has %d failures", h.Failures)
		}
	})
}

func TestG15_ContinuationIsOptional(t *testing.T) {
	refuses := func(c *call) { c.says(400, `{"error":{"message":"prefill not supported"}}`) }
	s := setup{route: func(r *gateway.Route) {
		r.Rescue = gateway.RescuePrefill
		r.Targets[1].Prefill = true
	}}
	inBubble(t, s, []*upstream{up("A", cutAfterTwo), up("B", refuses)}, func(t *testing.T, g *rig) {
		a := g.ask(plainBody)
		brokeOff(t, a, "ab", weir.Truncated)
		if strings.Contains(a.body, "prefill") {
			t.Errorf("B's 400 reached the caller:\n%s", a.body)
		}
		g.calls(t, map[string]int{"A": 1, "B": 1})
	})
	s.route = func(r *gateway.Route) { r.Rescue = gateway.RescuePrefill }
	inBubble(t, s, []*upstream{up("A", cutAfterTwo), up("B", refuses)}, func(t *testing.T, g *rig) {
		brokeOff(t, g.ask(plainBody), "ab", weir.Truncated)
		g.calls(t, map[string]int{"B": 0}) // it is not marked as able
	})
}

func TestG17_MissingDone(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", recorded(t, "S17"))}, func(t *testing.T, g *rig) {
		if a := g.ask(plainBody); a.text() == "" || !a.isDone() {
			t.Errorf("got\n%s", a.body)
		}
	})
	inBubble(t, setup{}, []*upstream{up("A", recorded(t, "S18"))}, func(t *testing.T, g *rig) {
		a := g.ask(plainBody)
		brokeOff(t, a, a.text(), weir.Truncated)
	})
}

func TestG17_LastEventWithoutABlankLine(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", func(c *call) { c.role(); c.tok("Hello"); c.fin(); c.send("data: [DONE]") })}, func(t *testing.T, g *rig) {
		if a := g.ask(plainBody); a.text() != "Hello" || !a.isDone() {
			t.Errorf("got\n%s", a.body)
		}
	})
}

func TestG17_OpenAfterTheFinish(t *testing.T) {
	inBubble(t, setup{}, []*upstream{up("A", func(c *call) { c.role(); c.tok("Hello"); c.fin(); c.forever() })}, func(t *testing.T, g *rig) {
		a := g.ask(plainBody)
		if a.text() != "Hello" || !a.isDone() || a.took != gateway.DefaultHandling().Trailer {
			t.Errorf("after %v:\n%s", a.took, a.body)
		}
	})
}

func TestG18_StallInMidStream(t *testing.T) {
	const limit = 100 * time.Millisecond
	stalls := func(c *call) { c.role(); c.tok("a"); c.forever() }
	inBubble(t, setup{limits: route.Limits{Stall: limit}}, []*upstream{up("A", stalls), up("B", good)}, func(t *testing.T, g *rig) {
		began := time.Now()
		a := g.ask(plainBody)
		brokeOff(t, a, "a", weir.TimeoutStall)
		if a.took != limit || g.ups["A"].seen()[0].over(t).Sub(began) != limit {
			t.Errorf("took %v", a.took)
		}
	})
}

func TestG20_LongHealthyStream(t *testing.T) {
	ticks := func(c *call) {
		c.role()
		for range 150 {
			c.wait(20 * time.Millisecond)
			c.tok("x")
		}
		c.fin()
		c.done()
	}
	s := setup{
		limits:   route.Limits{FirstOutput: 200 * time.Millisecond, Bytes: 100 * time.Millisecond, Stall: 100 * time.Millisecond},
		handling: func(h *gateway.Handling) { h.Whole = time.Second },
	}
	inBubble(t, s, []*upstream{up("A", ticks)}, func(t *testing.T, g *rig) {
		if a := g.ask(plainBody); a.text() != strings.Repeat("x", 150) || !a.isDone() {
			t.Errorf("ended after %v:\n%s", a.took, a.body)
		}
	})
}

func TestRepeatedEndsGoOutOnce(t *testing.T) {
	twice := func(c *call) {
		c.role()
		c.tok("Hello")
		c.fin()
		c.fin()
		c.done()
		c.done()
	}
	inBubble(t, setup{}, []*upstream{up("A", twice)}, func(t *testing.T, g *rig) {
		a := g.ask(plainBody)
		if strings.Count(a.body, `"finish_reason":"stop"`) != 1 || strings.Count(a.body, "[DONE]") != 1 {
			t.Errorf("got\n%s", a.body)
		}
	})
	asked := strings.Replace(plainBody, "{", `{"stream_options":{"include_usage":true},`, 1)
	counts := func(c *call) {
		c.tok("Hello")
		c.fin()
		c.event(`{"id":"id-A","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`)
		c.done()
	}
	inBubble(t, setup{}, []*upstream{up("A", counts)}, func(t *testing.T, g *rig) {
		a := g.ask(asked)
		if strings.Count(a.body, `"finish_reason":"stop"`) != 1 || !strings.Contains(a.body, `"choices":[],"usage":{"prompt_tokens":9`) {
			t.Errorf("got\n%s", a.body)
		}
	})
	two := func(c *call) {
		for i := range 2 {
			c.event(`{"id":"id-A","choices":[{"index":%d,"delta":{"content":"x"},"finish_reason":null}]}`, i)
		}
		for i := range 2 {
			c.wait(3 * time.Second) // longer than a trailer is waited for
			c.event(`{"id":"id-A","choices":[{"index":%d,"delta":{},"finish_reason":"stop"}]}`, i)
		}
		c.done()
	}
	inBubble(t, setup{}, []*upstream{up("A", two)}, func(t *testing.T, g *rig) {
		a := g.ask(strings.Replace(plainBody, "{", `{"n":2,`, 1))
		if strings.Count(a.body, `"finish_reason":"stop"`) != 2 || !a.isDone() {
			t.Errorf("got\n%s", a.body)
		}
	})
}

func TestBrokenEventIsSurvived(t *testing.T) {
	breaks := func(c *call) {
		c.role()
		c.tok("Hel")
		c.event(`{"id":"x","choices":[{"delta":{"con`)
		c.tok("lo")
		c.fin()
		c.done()
	}
	inBubble(t, setup{}, []*upstream{up("A", breaks), up("B", good)}, func(t *testing.T, g *rig) {
		a := g.ask(plainBody)
		if a.text() != "Hello" || !a.isDone() || strings.Contains(a.body, `"con`+"\n") {
			t.Errorf("got\n%s", a.body)
		}
		if r := g.record(a); r.Outcome != weir.OK || r.Attempts[0].Broken != 1 {
			t.Errorf("outcome %s, %d broken events", r.Outcome, r.Attempts[0].Broken)
		}
	})
}

// rescued is a route that goes on with what broke off.
func rescued(how gateway.Rescue) setup {
	return setup{route: func(r *gateway.Route) {
		r.Rescue = how
		for i := range r.Targets {
			r.Targets[i].Prefill = true
		}
	}}
}

func tokens(list ...string) func(*call) {
	return func(c *call) {
		c.role()
		for _, text := range list {
			c.tok(text)
		}
		c.fin()
		if c.asksUsage() {
			c.use(9, len(list))
		}
		c.done()
	}
}

func TestRescue(t *testing.T) {
	prefilled := func(c *call) {
		if !strings.Contains(string(c.body), `{"role":"assistant","content":"ab"}`) {
			c.says(400, `{"error":{"message":"where is the beginning?"}}`)
			return
		}
		tokens("c", "d")(c)
	}
	tests := map[string]struct {
		how  gateway.Rescue
		b    func(*call)
		text string // empty: it cannot be rescued
	}{
		"the same tokens":      {gateway.RescueMatch, tokens("a", "b", "c", "d"), "abcd"},
		"other tokens":         {gateway.RescueMatch, tokens("abc", "d"), "abcd"},
		"nothing more":         {gateway.RescueMatch, tokens("a", "b"), "ab"},
		"nothing but the end":  {gateway.RescueMatch, lastAtOnce("a", "b"), "ab"},
		"the end at once":      {gateway.RescueMatch, lastAtOnce("ab", "cd"), "abcd"},
		"another text":         {gateway.RescueMatch, tokens("a", "x", "c"), ""},
		"a shorter text":       {gateway.RescueMatch, tokens("a"), ""},
		"it breaks off sooner": {gateway.RescueMatch, func(c *call) { c.role(); c.tok("a"); c.cut() }, ""},
		"it is refused":        {gateway.RescueMatch, status(400), ""},
		"prefill":              {gateway.RescuePrefill, prefilled, "abcd"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, rescued(test.how), []*upstream{up("A", cutAfterTwo), up("B", test.b)}, func(t *testing.T, g *rig) {
				a := g.ask(plainBody)
				seam := g.record(a).Rescue
				if test.text == "" {
					brokeOff(t, a, "ab", weir.Truncated)
					if seam.OK {
						t.Errorf("the seam is %+v", seam)
					}
					return
				}
				if a.text() != test.text || !a.isDone() || strings.Contains(a.body, "id-B") || strings.Count(a.body, `"role"`) != 1 || strings.Contains(a.body, `"error"`) {
					t.Errorf("got\n%s", a.body)
				}
				if !seam.OK || seam.From != "A" || seam.To != "B" || seam.Sent != 2 {
					t.Errorf("the seam is %+v", seam)
				}
			})
		})
	}
}

// lastAtOnce is an answer of two pieces, the second of which has the finish
// reason.
func lastAtOnce(one, two string) func(*call) {
	return func(c *call) {
		c.role()
		c.tok(one)
		c.event(`{"id":%q,"object":"chat.completion.chunk","created":1,"model":"served","choices":[{"index":0,"delta":{"content":%q},"finish_reason":"stop"}]}`, c.id, two)
		c.done()
	}
}

func TestRescueAddsUp(t *testing.T) {
	counted := func(c *call) {
		c.event(`{"id":"id-A","choices":[{"index":0,"delta":{"content":"ab"},"finish_reason":null}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`)
		c.cut()
	}
	inBubble(t, rescued(gateway.RescueMatch), []*upstream{up("A", counted), up("B", tokens("ab", "c"))}, func(t *testing.T, g *rig) {
		a := g.ask(strings.Replace(plainBody, "{", `{"stream_options":{"include_usage":true},`, 1))
		if a.text() != "abc" || !strings.Contains(a.body, `"usage":{"prompt_tokens":18,"completion_tokens":4,"total_tokens":22}`) {
			t.Errorf("got\n%s", a.body)
		}
		if r := g.record(a); r.Usage.Prompt != weir.Some(18) || r.Usage.Completion != weir.Some(4) {
			t.Errorf("the record has %+v", r.Usage)
		}
	})
}

// What a rescue used that broke off itself, before the seam, counts too.
func TestRescueAddsUpAllAttempts(t *testing.T) {
	breaks := func(text string, tokens int) func(*call) {
		return func(c *call) {
			c.event(`{"id":"id-x","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}],"usage":{"prompt_tokens":9,"completion_tokens":%d,"total_tokens":%d}}`, text, tokens, 9+tokens)
			c.cut()
		}
	}
	s := rescued(gateway.RescueMatch)
	s.handling = func(h *gateway.Handling) { h.Attempts = 5 }
	inBubble(t, s, []*upstream{up("A", breaks("ab", 2)), up("B", breaks("a", 1)), up("C", tokens("ab", "c"))}, func(t *testing.T, g *rig) {
		a := g.ask(strings.Replace(plainBody, "{", `{"stream_options":{"include_usage":true},`, 1))
		if a.text() != "abc" || !strings.Contains(a.body, `"usage":{"prompt_tokens":27,"completion_tokens":5,"total_tokens":32}`) {
			t.Errorf("got\n%s", a.body)
		}
	})
}

func TestRescueOfNothingButText(t *testing.T) {
	calls := func(c *call) {
		c.role()
		c.event(`{"id":"id-A","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a"}}]},"finish_reason":null}]}`)
		c.cut()
	}
	inBubble(t, rescued(gateway.RescueMatch), []*upstream{up("A", calls), up("B", good)}, func(t *testing.T, g *rig) {
		brokeOff(t, g.ask(plainBody), "", weir.Truncated)
		g.calls(t, map[string]int{"B": 0})
	})
	for _, wish := range []string{`"n":2`, `"logprobs":true`, `"response_format":{"type":"json_object"}`} {
		inBubble(t, rescued(gateway.RescueMatch), []*upstream{up("A", cutAfterTwo), up("B", good)}, func(t *testing.T, g *rig) {
			brokeOff(t, g.ask(strings.Replace(plainBody, "{", "{"+wish+",", 1)), "ab", weir.Truncated)
			g.calls(t, map[string]int{"B": 0})
		})
	}
}
