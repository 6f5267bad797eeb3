package gateway_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/gateway/tenant"
)

const anthropicBody = `{"model":"m","stream":true,"max_tokens":64,"messages":[{"role":"user","content":"hi"}]}`

// message plays an Anthropic stream of the given texts, and ends it if it is to.
func message(whole bool, texts ...string) func(*call) {
	return func(c *call) {
		c.head()
		send := func(name, data string) { c.send("event: " + name + "\ndata: " + data + "\n\n") }
		send("message_start", fmt.Sprintf(`{"type":"message_start","message":{"id":%q,"type":"message","role":"assistant","model":"served","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}}`, c.id))
		send("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
		for _, text := range texts {
			send("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, text))
		}
		if !whole {
			c.cut()
		}
		send("content_block_stop", `{"type":"content_block_stop","index":0}`)
		send("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`)
		send("message_stop", `{"type":"message_stop"}`)
	}
}

// anthropic makes an upstream speak it.
func anthropic(u *upstream) *upstream {
	u.dialect = weir.Anthropic
	return u
}

// said joins the texts of an Anthropic answer.
func (a answer) said() string {
	var all strings.Builder
	for _, data := range a.events() {
		if _, text, ok := strings.Cut(data, `"text":"`); ok && strings.Contains(data, "text_delta") {
			text, _, _ = strings.Cut(text, `"`)
			all.WriteString(text)
		}
	}
	return all.String()
}

func TestAnthropicCallers(t *testing.T) {
	ask := func(t *testing.T, g *rig) answer {
		return g.askAt(t.Context(), "/v1/messages", anthropicBody, "X-Api-Key", "mine", "Anthropic-Version", "2023-01-01", "Anthropic-Beta", "b1")
	}
	t.Run("bytes pass", func(t *testing.T) {
		inBubble(t, setup{}, []*upstream{anthropic(up("A", message(true, "Hel", "lo")))}, func(t *testing.T, g *rig) {
			a := ask(t, g)
			if a.said() != "Hello" || strings.Count(a.body, "event: message_stop") != 1 || strings.Contains(a.body, "[DONE]") {
				t.Errorf("got\n%s", a.body)
			}
			got := g.ups["A"].seen()[0]
			h := got.Request.Header
			if got.URL.Path != "/v1/messages" || h.Get("Anthropic-Version") != "2023-01-01" || h.Get("Anthropic-Beta") != "b1" || h.Get("X-Api-Key") != "" {
				t.Errorf("A got %s %v", got.URL.Path, h)
			}
			if want := strings.Replace(anthropicBody, `"m"`, `"model-A"`, 1); string(got.body) != want {
				t.Errorf("A got %s", got.body)
			}
		})
	})
	t.Run("cut", func(t *testing.T) {
		inBubble(t, setup{}, []*upstream{anthropic(up("A", message(false, "Hel")))}, func(t *testing.T, g *rig) {
			a := ask(t, g)
			if !strings.Contains(a.body, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\"") || strings.Contains(a.body, "message_stop") {
				t.Errorf("got\n%s", a.body)
			}
		})
	})
	t.Run("rescue", func(t *testing.T) {
		ups := []*upstream{anthropic(up("A", message(false, "Hel", "lo"))), anthropic(up("B", message(true, "H", "ello the", "re")))}
		inBubble(t, rescued(gateway.RescueMatch), ups, func(t *testing.T, g *rig) {
			a := ask(t, g)
			if a.said() != "Hello there" || strings.Count(a.body, "event: message_start") != 1 || strings.Count(a.body, "event: content_block_start") != 1 || strings.Count(a.body, "event: message_stop") != 1 {
				t.Errorf("got\n%s", a.body)
			}
		})
	})
	t.Run("errors", func(t *testing.T) {
		inBubble(t, setup{}, []*upstream{anthropic(up("A", status(503)))}, func(t *testing.T, g *rig) {
			if a := ask(t, g); a.StatusCode != 503 || !strings.HasPrefix(a.body, `{"type":"error","error":{"type":"overloaded_error"`) {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		})
	})
}

func TestTranslation(t *testing.T) {
	t.Run("chat caller, Anthropic target, after a chat target", func(t *testing.T) {
		ups := []*upstream{up("A", func(c *call) { c.role(); c.fails("503") }), anthropic(up("B", message(true, "Hel", "lo")))}
		inBubble(t, setup{}, ups, func(t *testing.T, g *rig) {
			a := g.ask(plainBody)
			isB(t, a)
			got := g.ups["B"].seen()[0]
			if got.URL.Path != "/v1/messages" || !strings.Contains(string(got.body), `"model":"model-B"`) || got.Request.Header.Get("Anthropic-Version") == "" {
				t.Errorf("B got %s %v %s", got.URL.Path, got.Request.Header, got.body)
			}
			if r := g.record(a); r.Usage.Completion != weir.Some(2) || r.Attempts[1].Dialect != weir.Anthropic {
				t.Errorf("%+v", r)
			}
		})
	})
	t.Run("Anthropic caller, chat target", func(t *testing.T) {
		inBubble(t, setup{}, []*upstream{up("A", good)}, func(t *testing.T, g *rig) {
			a := g.askAt(t.Context(), "/v1/messages", anthropicBody)
			if a.said() != "Hello" || strings.Count(a.body, "event: message_stop") != 1 {
				t.Errorf("got\n%s", a.body)
			}
			if c := g.ups["A"].seen()[0]; !c.asksUsage() {
				t.Errorf("A got %s", c.body)
			}
		})
	})
	t.Run("an answer that cannot be told", func(t *testing.T) {
		nameless := func(c *call) {
			c.role()
			c.event(`{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"arguments":"{}"}}]},"finish_reason":null}]}`)
			c.fin()
			c.done()
		}
		inBubble(t, setup{}, []*upstream{up("A", nameless), up("B", good)}, func(t *testing.T, g *rig) {
			a := g.askAt(t.Context(), "/v1/messages", anthropicBody)
			if r := g.record(a); a.said() != "Hello" || r.Attempts[0].Outcome != weir.Malformed {
				t.Errorf("%+v\n%s", r.Attempts, a.body)
			}
		})
	})
	t.Run("whole", func(t *testing.T) {
		inBubble(t, setup{}, []*upstream{up("A", goodWhole)}, func(t *testing.T, g *rig) {
			a := g.askAt(t.Context(), "/v1/messages", strings.Replace(anthropicBody, "true", "false", 1))
			if !strings.Contains(a.body, `"text":"Hello"`) || !strings.Contains(a.body, `"type":"message"`) {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		})
	})
	t.Run("cut", func(t *testing.T) {
		inBubble(t, setup{}, []*upstream{anthropic(up("A", message(false, "Hel")))}, func(t *testing.T, g *rig) {
			brokeOff(t, g.ask(plainBody), "Hel", weir.Truncated)
		})
	})
	t.Run("error", func(t *testing.T) {
		refuses := func(c *call) {
			c.says(400, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens is too large"}}`)
		}
		inBubble(t, setup{}, []*upstream{anthropic(up("A", refuses))}, func(t *testing.T, g *rig) {
			if a := g.ask(plainBody); a.StatusCode != 400 || !strings.HasPrefix(a.body, `{"error":{"message":"max_tokens is too large"`) {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		})
	})
	t.Run("what cannot be carried", func(t *testing.T) {
		body := strings.Replace(plainBody, "{", `{"n":3,`, 1)
		inBubble(t, setup{}, []*upstream{anthropic(up("A", good))}, func(t *testing.T, g *rig) {
			a := g.ask(body)
			if a.StatusCode != 400 || !strings.Contains(a.body, `"n`) && !strings.Contains(a.body, " n") {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
			g.calls(t, map[string]int{"A": 0})
		})
		inBubble(t, setup{}, []*upstream{anthropic(up("A", good)), up("B", good)}, func(t *testing.T, g *rig) {
			isB(t, g.ask(body)) // another target has a place for it
		})
	})
}

// A response is its caller's: whoever else names it is told that there is none.
func TestResponsesAreTheirTenants(t *testing.T) {
	u := up("A", func(c *call) { c.says(200, `{"id":"resp-1","object":"response","status":"completed","output":[]}`) })
	u.dialect = weir.OpenAIResponses
	keys := []tenant.Key{{Name: "one", SHA256: sha256.Sum256([]byte("secret-1"))}, {Name: "two", SHA256: sha256.Sum256([]byte("secret-2"))}}
	inBubble(t, setup{keys: keys}, []*upstream{u}, func(t *testing.T, g *rig) {
		for _, c := range []struct {
			secret, body string
			want         int
		}{
			{"secret-1", `{"model":"m","input":"hi"}`, 200},
			{"secret-1", `{"model":"m","input":"more","previous_response_id":"resp-1"}`, 200},
			{"secret-2", `{"model":"m","input":"more","previous_response_id":"resp-1"}`, 404},
		} {
			if a := g.askAt(t.Context(), "/v1/responses", c.body, "Authorization", "Bearer "+c.secret); a.StatusCode != c.want {
				t.Errorf("%s, %s: %d %s, want %d", c.secret, c.body, a.StatusCode, a.body, c.want)
			}
		}
	})
}

func TestResponsesArePinned(t *testing.T) {
	play := func(c *call) {
		if strings.Contains(string(c.body), `"stream":true`) {
			c.head()
			c.send(fmt.Sprintf("event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"resp-%s\",\"status\":\"in_progress\"}}\n\n", c.id))
			c.send("event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"Hello\"}\n\n")
			c.send(fmt.Sprintf("event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp-%s\",\"status\":\"completed\",\"usage\":{\"input_tokens\":9,\"output_tokens\":2}}}\n\n", c.id))
			return
		}
		c.says(200, fmt.Sprintf(`{"id":"whole-%s","object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hello"}]}]}`, c.id))
	}
	ups := []*upstream{up("A", turns(status(503), play)), up("B", play)}
	for _, u := range ups {
		u.dialect = weir.OpenAIResponses
	}
	inBubble(t, setup{}, ups, func(t *testing.T, g *rig) {
		ask := func(body string) answer { return g.askAt(context.Background(), "/v1/responses", body) }
		if a := ask(`{"model":"m","input":"hi","stream":true}`); a.Header.Get("X-Weir-Target") != "B" || !strings.Contains(a.body, "response.completed") || strings.Contains(a.body, "[DONE]") {
			t.Errorf("%v %s", a.Header, a.body)
		}
		if a := ask(`{"model":"m","input":"more","previous_response_id":"resp-id-B"}`); a.Header.Get("X-Weir-Target") != "B" {
			t.Errorf("%d %v %s", a.StatusCode, a.Header, a.body)
		}
		if a := ask(`{"model":"m","input":"more","previous_response_id":"whole-id-B"}`); a.Header.Get("X-Weir-Target") != "B" {
			t.Errorf("%d %v %s", a.StatusCode, a.Header, a.body)
		}
		if a := ask(`{"model":"m","input":"more","previous_response_id":"somebody's"}`); a.Header.Get("X-Weir-Target") != "A" {
			t.Errorf("%d %v %s", a.StatusCode, a.Header, a.body)
		}
	})
}
