package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"weir.dev/weir/test/callers"
)

// TestGoCallers holds weir gateway against the clients for Go.
func TestGoCallers(t *testing.T) {
	callers.Run(t, driveGo, callers.Go())
}

// goClients say how each client makes a call.
var goClients = map[string]func(context.Context, *goCall) error{
	"openai-go": callChat, "openai-go, responses": callResponses, "anthropic-sdk-go": callMessages,
}

// goCall is a call under way.
type goCall struct {
	callers.Call
	callers.Result
	base string
}

func driveGo(ctx context.Context, base string, calls []callers.Call) ([]callers.Result, error) {
	results := make([]callers.Result, len(calls))
	lanes := make(chan struct{}, 24)
	var all sync.WaitGroup
	for i, c := range calls {
		lanes <- struct{}{}
		all.Go(func() {
			g := &goCall{Call: c, base: base}
			began := time.Now()
			if err := goClients[c.Client](ctx, g); err != nil {
				g.Error = describe(err)
			}
			g.TookMS = float64(time.Since(began)) / 1e6
			results[i] = g.Result
			<-lanes
		})
	}
	all.Wait()
	return results, nil
}

// describe has the type that a caller would look for.
func describe(err error) *callers.Error {
	of := func(class string, r *http.Response, kind, message string) *callers.Error {
		e := &callers.Error{Class: class, Kind: &kind, Message: message, Status: &r.StatusCode}
		if after := r.Header.Get("Retry-After"); after != "" {
			e.RetryAfter = &after
		}
		return e
	}
	if e, ok := errors.AsType[*openai.Error](err); ok {
		return of("*openai.Error", e.Response, e.Code, e.Message)
	}
	if e, ok := errors.AsType[*anthropic.Error](err); ok {
		return of("*anthropic.Error", e.Response, string(e.Type()), e.Error())
	}
	if e, ok := errors.AsType[*ssestream.StreamError](err); ok {
		return &callers.Error{Class: "*ssestream.StreamError", Message: e.Error()}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &callers.Error{Class: "context.DeadlineExceeded", Message: err.Error()}
	}
	return &callers.Error{Class: "error", Message: err.Error()}
}

// keep is a middleware of both clients: it notes the bodies that are sent.
func (g *goCall) keep(r *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	g.Sent = append(g.Sent, string(body))
	r.Body = io.NopCloser(bytes.NewReader(body))
	return next(r)
}

func (g *goCall) timeout() time.Duration {
	if g.TimeoutMS > 0 {
		return time.Duration(g.TimeoutMS) * time.Millisecond
	}
	return 20 * time.Second
}

// leaves tells whether the caller walks away after so many pieces of text.
func (g *goCall) leaves(pieces int) bool {
	if g.Leave == 0 || pieces < g.Leave {
		return false
	}
	at := float64(time.Now().UnixMicro()) / 1000
	g.LeftAt = &at
	return true
}

func (g *goCall) used(input, output, cached int64) {
	in, out, hit := int(input), int(output), int(cached)
	g.Input, g.Output, g.Cached = &in, &out, &hit
}

// tool is called with the arguments that the model gave, and gives its answer.
func (g *goCall) tool(id, name, arguments string) string {
	call := callers.ToolCall{ID: id, Name: name}
	if err := json.Unmarshal([]byte(arguments), &call.Arguments); err != nil {
		return err.Error()
	}
	g.Calls = append(g.Calls, call)
	switch call.Arguments["gauge"] {
	case "north":
		return "42 cm"
	case "south":
		return "17 cm"
	}
	return "no such gauge"
}

const toolName, toolDescription = "level", "How high the water stands at a gauge."

func object(properties map[string]any, required ...string) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

var (
	toolSchema    = object(map[string]any{"gauge": map[string]any{"type": "string"}}, "gauge")
	readingSchema = object(map[string]any{"gauge": map[string]any{"type": "string"}, "level": map[string]any{"type": "number"}}, "gauge", "level")
)

// readAs has the reading of a structured answer.
func (g *goCall) readAs(text string) error {
	if !g.Schema {
		return nil
	}
	var reading struct {
		Gauge string  `json:"gauge"`
		Level float64 `json:"level"`
	}
	if err := json.Unmarshal([]byte(text), &reading); err != nil {
		return err
	}
	var err error
	g.Object, err = json.Marshal(reading)
	return err
}
