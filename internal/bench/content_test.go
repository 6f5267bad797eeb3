package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"weir.dev/weir"
)

// says answers 200 with a body, and cuts the connection after it where cut is
// set.
func says(contentType, body string, cut bool) func(http.ResponseWriter, int, map[string]any) {
	return func(w http.ResponseWriter, _ int, _ map[string]any) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
		_ = http.NewResponseController(w).Flush()
		if cut {
			panic(http.ErrAbortHandler)
		}
	}
}

func chunk(delta, finish string) string {
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
}

// TestContent: what was asked and what came, however the call ended.
func TestContent(t *testing.T) {
	const (
		sse, text = "text/event-stream", `{"content":"caf\u00e9 "}`
		whole     = `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"all","reasoning_content":"hm"},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`
		page      = "<html><body>hello</body></html>"
		refusal   = `{"error":{"message":"no","type":"server_error"}}`
		inBand    = `{"error":{"message":"overloaded","code":503}}`
	)
	for name, c := range map[string]struct {
		answer          func(http.ResponseWriter, int, map[string]any)
		whole           bool // no stream is asked for
		outcome         weir.Outcome
		answered        bool
		text, reasoning string
		finish, raw     string
	}{
		"stream": {
			answer:  says(sse, chunk(`{"role":"assistant"}`, "null")+chunk(`{"reasoning_content":"hm"}`, "null")+chunk(text, "null")+chunk(text, `"stop"`)+"data: [DONE]\n\n", false),
			outcome: weir.OK, answered: true, text: "café café ", reasoning: "hm", finish: "stop",
		},
		"whole":            {answer: says("application/json", whole, false), whole: true, outcome: weir.OK, answered: true, text: "all", reasoning: "hm", finish: "length"},
		"whole for stream": {answer: says("application/json", whole, false), outcome: weir.NotStreamed, answered: true, text: "all", reasoning: "hm", finish: "length"},
		"cut":              {answer: says(sse, chunk(text, "null")+chunk(text, "null"), true), outcome: weir.Truncated, answered: true, text: "café café "},
		"empty":            {answer: says(sse, chunk(`{}`, `"stop"`)+"data: [DONE]\n\n", false), outcome: weir.OK, answered: true, finish: "stop"},
		"in-band error":    {answer: says(sse, chunk(text, "null")+"data: "+inBand+"\n\n", false), outcome: weir.UpstreamError, answered: true, text: "café ", raw: inBand},
		"not JSON":         {answer: says(sse, chunk(text, "null")+"data: what\n\n"+chunk(text, `"stop"`), false), outcome: weir.Malformed, answered: true, text: "café café ", finish: "stop", raw: "what"},
		"page":             {answer: says("text/html", page, false), outcome: weir.Malformed, raw: page},
		"HTTP error":       {answer: func(w http.ResponseWriter, _ int, _ map[string]any) { refuse(w, 500, refusal) }, outcome: weir.UpstreamError, raw: refusal},
		"cut whole":        {answer: says("application/json", whole[:80], true), whole: true, outcome: weir.Truncated, raw: whole[:80]},
		"nothing":          {answer: says(sse, "", false), outcome: weir.EmptyResponse},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, answers{c.answer}, func(t *testing.T, cfg Config, es []*endpoint) {
				var got []*Content
				cfg.Requests, cfg.Warmup, cfg.Work.NoStream = 1, 0, c.whole
				cfg.OnContent = func(c *Content) { got = append(got, c) }
				res := mustRun(t, cfg)
				if len(got) != 1 || res.Samples[0].Outcome != c.outcome {
					t.Fatalf("%d contents of %+v", len(got), res.Samples)
				}
				one := got[0]
				if one.ID != res.Samples[0].ID || one.Target != 0 || one.Answered != c.answered || one.Finish != c.finish || string(one.RawError) != c.raw {
					t.Errorf("%+v, raw error %q", one, one.RawError)
				}
				var asked map[string]any
				if err := json.Unmarshal(one.Request, &asked); err != nil || fmt.Sprint(asked) != fmt.Sprint(es[0].asked[0]) {
					t.Errorf("%v\nkept  %v\nasked %v", err, asked, es[0].asked[0])
				}
				said, thought := "", ""
				if choice := one.Answer.Choice(0); choice != nil {
					said, thought = string(choice.Text), string(choice.Reasoning)
				}
				if said != c.text || thought != c.reasoning {
					t.Errorf("answer %q, reasoning %q", said, thought)
				}
			})
		})
	}
}

// TestContentOfEveryCall: warm-up, refusals that taught us something and calls
// that never met a server have a content each, joined to their traces by id.
func TestContentOfEveryCall(t *testing.T) {
	picky := func(w http.ResponseWriter, n int, body map[string]any) {
		if _, old := body["max_tokens"]; old {
			refuse(w, 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}`)
			return
		}
		stream(20*ms, ms)(w, n, body)
	}
	bubble(t, answers{picky, stream(10*ms, ms)}, func(t *testing.T, c Config, _ []*endpoint) {
		kept := map[string]*Content{}
		c.OnContent = func(c *Content) { kept[c.ID] = c }
		c.Targets = append(c.Targets, weir.Target{Name: "closed", URL: "http://closed/v1", Dialect: weir.OpenAIChat, Model: "m"})
		c.Base = closed{c.Base.(hosts)}
		res := mustRun(t, c)
		if len(kept) != len(res.Samples) {
			t.Errorf("%d contents of %d samples", len(kept), len(res.Samples))
		}
		for _, s := range res.Samples {
			one := kept[s.ID]
			switch {
			case one == nil:
				t.Errorf("no content of %+v", s)
			case c.Targets[one.Target].Name != s.Target, one.Answered != (s.Outcome == weir.OK), (one.RawError != nil) != (s.Status.Or(0) == 400):
				t.Errorf("%+v of %+v", one, s)
			}
		}
	})
}

// closed are hosts of which one is down.
type closed struct{ hosts }

func (c closed) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == "closed" {
		return nil, syscall.ECONNREFUSED
	}
	return c.hosts.RoundTrip(r)
}

// TestContentChangesNoFigure: the plan is met to the nanosecond, as without.
func TestContentChangesNoFigure(t *testing.T) {
	bubble(t, answers{stream(250*ms, 40*ms)}, func(t *testing.T, c Config, _ []*endpoint) {
		c.Concurrency, c.OnContent = 3, func(*Content) {}
		for _, s := range mustRun(t, c).Samples {
			if s.TTFT != weir.SpanOf(250*ms) || s.TPOT != weir.SpanOf(40*ms) || s.E2E != weir.SpanOf(330*ms) || s.Lateness != 0 || s.BoundedEvents != 0 {
				t.Errorf("%+v", s)
			}
		}
	})
}

// TestContentIsRedacted: every text goes through Redact, and a request that is
// no JSON after it is not kept.
func TestContentIsRedacted(t *testing.T) {
	tools := `{"tool_calls":[{"index":0,"id":"id-secret","function":{"name":"f-secret","arguments":"{\"a\":\"secret\"}"}}]}`
	body := chunk(`{"reasoning_content":"a secret"}`, "null") + chunk(`{"content":"sec"}`, "null") + chunk(`{"content":"ret"}`, "null") +
		chunk(`{"refusal":"secret"}`, "null") + chunk(tools, `"secret"`) + `data: {"error":{"message":"secret"}}` + "\n\n"
	bubble(t, answers{says("text/event-stream", body, false)}, func(t *testing.T, c Config, _ []*endpoint) {
		var got *Content
		c.Requests, c.Warmup, c.Work.Plan.Prompt = 1, 0, "the secret"
		c.OnContent = func(c *Content) { got = c }
		c.Redact = func(s string) string { return strings.ReplaceAll(s, "secret", "#") }
		mustRun(t, c)
		choice := got.Answer.Choice(0)
		all := fmt.Sprintf("%s|%s|%s|%s|%s|%s|%s|%s|%s", got.RawError, got.Finish, choice.Text, choice.Reasoning, choice.Refusal, choice.Calls[0].ID, choice.Calls[0].Name, choice.Calls[0].Arguments, got.Request)
		if want := `{"error":{"message":"#"}}|#|#|a #|#|id-#|f-#|{"a":"#"}|{"model"`; !strings.HasPrefix(all, want) || strings.Contains(all, "secret") || !json.Valid(got.Request) {
			t.Errorf("%s", all)
		}
		c.Redact = func(s string) string { return strings.ReplaceAll(s, "\"", "#") }
		mustRun(t, c)
		if !json.Valid(got.Request) || bytes.Contains(got.Request, []byte("model")) {
			t.Errorf("%s", got.Request)
		}
	})
}

// TestContentIsBounded: an answer is cut, and slots wait for a collector that
// is behind.
func TestContentIsBounded(t *testing.T) {
	long := chunk(`{"content":"`+strings.Repeat("x", 1<<20)+`"}`, "null")
	bubble(t, answers{says("text/event-stream", strings.Repeat(long, 10)+chunk(`{}`, `"stop"`), false)}, func(t *testing.T, c Config, _ []*endpoint) {
		var got *Content
		c.Requests, c.Warmup, c.OnContent = 1, 0, func(c *Content) { got = c }
		mustRun(t, c)
		if n := len(got.Answer.Choice(0).Text); n != maxContent || !got.Answer.Cut || got.Finish != "stop" {
			t.Errorf("%d bytes, cut %v, finish %q", n, got.Answer.Cut, got.Finish)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b, late := newBehind(), false
		b.addContent(&recording{heard: maxContentBehind})
		var adding sync.WaitGroup
		adding.Go(func() {
			b.add(step{trace: &weir.Trace{}})
			late = true
		})
		time.Sleep(time.Second)
		if late {
			t.Error("a trace was added to a full queue")
		}
		if n := len(b.takeContents()); n != 1 {
			t.Errorf("%d contents", n)
		}
		adding.Wait()
	})
}

// TestContentOfAnInterruptedRun: what came before Ctrl-C is kept.
func TestContentOfAnInterruptedRun(t *testing.T) {
	hangs := func(w http.ResponseWriter, _ int, _ map[string]any) {
		says("text/event-stream", chunk(`{"content":"half"}`, "null"), false)(w, 0, nil)
		time.Sleep(time.Minute)
	}
	bubble(t, answers{hangs}, func(t *testing.T, c Config, _ []*endpoint) {
		var got []*Content
		c.Warmup, c.Concurrency, c.Limits.Stall = 0, 2, 0
		c.OnContent = func(c *Content) { got = append(got, c) }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		res, err := Run(ctx, c)
		if err != nil || !res.Interrupted || len(got) != 2 {
			t.Fatalf("%d contents, %+v, %v", len(got), res, err)
		}
		for _, one := range got {
			if string(one.Answer.Choice(0).Text) != "half" || one.Finish != "" || one.RawError != nil {
				t.Errorf("%+v", one)
			}
		}
		time.Sleep(time.Minute) // the handlers end
	})
}
