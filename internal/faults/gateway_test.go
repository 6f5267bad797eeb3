package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/internal/sse"
)

// goodGateway is about the least that passes: it holds an answer back until its
// first output, fails over before that, rescues by matching after it, and ends
// with an error event where it cannot. A route leads to the model of its name
// and then to the fallback.
type goodGateway struct {
	up     http.RoundTripper
	divide time.Duration // of all limits

	mu    sync.Mutex
	until map[string]time.Time // a model that is out of use
}

const (
	gatewayFirstOutput = 8 * time.Second
	gatewayStall       = 10 * time.Second
	gatewayWrite       = 10 * time.Second
	gatewayOut         = 20 * time.Second
)

func (g *goodGateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var asked struct {
		Model  string
		Stream bool
	}
	if json.Unmarshal(body, &asked) != nil {
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	c := &relayed{g: g, w: w, r: r, body: body, stream: asked.Stream, model: asked.Model, tools: bytes.Contains(body, []byte(`"tools":`))}
	for _, model := range g.plan(asked.Model) {
		for try := range 2 {
			fault := c.attempt(model)
			if fault == nil || r.Context().Err() != nil {
				return
			}
			if c.first == nil {
				c.first = fault
			}
			g.judge(model, fault)
			if final := fault.status >= 400 && fault.status < 429 && !strings.Contains(fault.text, "context"); final {
				c.fail(fault)
				return
			}
			if again := try == 0 && c.sent == "" && (fault.status == 500 || fault.status == 0 && fault.early); !again {
				break
			}
		}
		if c.tools && c.begun {
			break
		}
	}
	c.fail(c.first)
}

// plan leaves out what is out of use.
func (g *goodGateway) plan(model string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Now().Before(g.until[model]) {
		return []string{healthyName}
	}
	return []string{model, healthyName}
}

// judge takes a model out of use while it has an outage.
func (g *goodGateway) judge(model string, f *failure) {
	if f.status == http.StatusServiceUnavailable {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.until[model] = time.Now().Add(gatewayOut / g.divide)
	}
}

var wallID = regexp.MustCompile(`"id":"[^"]*"`)

type failure struct {
	status int // 0: no answer
	early  bool
	text   string
}

func (f *failure) Error() string { return f.text }

// relayed is one request on its way.
type relayed struct {
	g      *goodGateway
	w      http.ResponseWriter
	r      *http.Request
	body   []byte
	stream bool
	model  string
	tools  bool
	sent   string // the text that the caller has
	id     []byte // of the answer that it began with
	begun  bool   // the caller has the head
	first  *failure
}

var errSlow = errors.New("no output in time")

// attempt asks one model; nil says that the caller has a whole answer.
func (c *relayed) attempt(model string) *failure {
	ctx, cancel := context.WithCancelCause(c.r.Context())
	defer cancel(nil)
	clock := time.AfterFunc(gatewayFirstOutput/c.g.divide, func() { cancel(errSlow) })
	defer clock.Stop()
	body := bytes.Replace(c.body, []byte(`"model":`+strconv.Quote(c.model)), []byte(`"model":`+strconv.Quote(model)), 1)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://wall"+c.r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return &failure{text: err.Error()}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+targetKeyPrefix+model)
	resp, err := c.g.up.RoundTrip(req)
	if err != nil {
		return &failure{early: !errors.Is(context.Cause(ctx), errSlow), text: err.Error()}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		return &failure{status: resp.StatusCode, text: string(text)}
	}
	if !c.stream {
		return c.whole(resp)
	}
	return c.relay(resp, clock)
}

func (c *relayed) whole(resp *http.Response) *failure {
	text, err := io.ReadAll(resp.Body)
	if err != nil || !json.Valid(text) {
		return &failure{text: "half a body"}
	}
	c.w.Header().Set("Content-Type", "application/json")
	c.w.Write(text)
	return nil
}

// relay forwards the events that are fit to be seen.
func (c *relayed) relay(resp *http.Response, clock *time.Timer) *failure {
	var held, text []byte
	var done, finished, failed bool
	spoken := weir.OpenAIChat
	if strings.HasSuffix(c.r.URL.Path, "/messages") {
		spoken = weir.Anthropic
	}
	answer := &dialect.Answer{Limit: 64 << 10}
	if !c.begun {
		c.id = nil
	}
	start := len(c.sent)
	reader := dialect.NewReader(dialect.Options{Dialect: spoken, Stream: true, LineCap: 4 << 20, Answer: answer, OnEvent: func(tick weir.Tick, name, data []byte) {
		switch {
		case tick.Kind&weir.TickError != 0:
			failed = true
		case tick.Kind&weir.TickBroken != 0 || failed || done:
		case tick.Kind&weir.TickDone != 0:
			done = true
			held = sse.AppendEvent(held, string(name), data)
		default:
			finished = finished || tick.Kind&weir.TickFinish != 0
			if tick.Kind.Output() {
				clock.Reset(gatewayStall / c.g.divide)
			}
			if tick.Kind&weir.TickText != 0 {
				text = answer.Choice(0).Text
			}
			if c.begun && start > 0 && (len(text) <= start || tick.Kind&weir.TickRole != 0 && len(text) == 0) {
				return // a rescue: the caller has this already
			}
			if id := wallID.Find(data); c.id == nil {
				c.id = bytes.Clone(id)
			} else if c.begun && start > 0 {
				data = bytes.Replace(data, id, c.id, 1)
			}
			held = sse.AppendEvent(held, string(name), data)
		}
	}})
	in, buf := dialect.Decoder(resp.Header.Get("Content-Encoding"), resp.Body), make([]byte, 32<<10)
	for {
		n, err := in.Read(buf)
		reader.Feed(buf[:n], weir.Stamp{})
		if start > 0 && !strings.HasPrefix(string(text), c.sent[:min(len(c.sent), len(text))]) {
			return &failure{text: "the answers differ"}
		}
		called := answer.Choice(0) != nil && len(answer.Choice(0).Calls) > 0
		if len(held) > 0 && !failed && (c.begun || len(text) > 0 || called || done) {
			if !c.write(held) {
				return nil // nobody is left to tell
			}
			held, c.sent = nil, c.sent+string(text[min(len(c.sent), len(text)):])
		}
		switch {
		case failed:
			return &failure{text: "an error event"}
		case done:
			return nil
		case errors.Is(err, io.EOF) && finished && c.begun:
			if spoken == weir.OpenAIChat {
				c.write([]byte("data: [DONE]\n\n"))
			}
			return nil
		case err != nil:
			return &failure{text: "the stream broke off"}
		}
	}
}

// write gives up on callers that do not read.
func (c *relayed) write(p []byte) bool {
	rc := http.NewResponseController(c.w)
	if !c.begun {
		c.begun = true
		c.w.Header().Set("Content-Type", "text/event-stream")
	}
	rc.SetWriteDeadline(time.Now().Add(gatewayWrite / c.g.divide))
	_, err := c.w.Write(p)
	return errors.Join(err, rc.Flush()) == nil
}

// fail tells the caller what went wrong first.
func (c *relayed) fail(f *failure) {
	text := f.text
	if !json.Valid([]byte(text)) {
		text = `{"error":{"message":` + strconv.Quote(text) + `}}`
	}
	if c.begun {
		c.write([]byte("data: " + text + "\n\n"))
		return
	}
	c.w.Header().Set("Content-Type", "application/json")
	if f.status == 0 {
		f.status = http.StatusServiceUnavailable
	}
	c.w.WriteHeader(f.status)
	io.WriteString(c.w, text)
}
