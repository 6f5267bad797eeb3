package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sim"
)

// nodeCase and nodeResult are the input and output of check.mjs, which says
// what each field is.
type nodeCase struct {
	Name      string         `json:"name"`
	Client    string         `json:"client"`
	Body      map[string]any `json:"body"`
	Helper    bool           `json:"helper,omitempty"`
	Models    bool           `json:"models,omitempty"`
	StopAfter int            `json:"stop_after,omitempty"`

	want want
}

type nodeResult struct {
	Name      string     `json:"name"`
	Text      string     `json:"text"`
	Reasoning string     `json:"reasoning"`
	Finish    string     `json:"finish"`
	Usage     *nodeUsage `json:"usage"`
	Events    int        `json:"events"`
	LastEvent string     `json:"last_event"`
	Error     *nodeError `json:"error"`
}

// nodeUsage is OpenAI's and Anthropic's usage in one; what a client does not
// have is nil.
type nodeUsage struct {
	Prompt     *int `json:"prompt_tokens"`
	Completion *int `json:"completion_tokens"`
	Total      *int `json:"total_tokens"`
	Details    struct {
		Reasoning *int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	Input  *int `json:"input_tokens"`
	Output *int `json:"output_tokens"`
}

type nodeError struct {
	Class      string  `json:"class"`
	API        bool    `json:"api_error"`
	Status     *int    `json:"status"`
	Message    string  `json:"message"`
	RetryAfter *string `json:"retry_after"`
}

// want is what a client's caller must get. The simulator's tokens are words, so
// texts are counted.
type want struct {
	text, reasoning int // words
	finish          string
	tokens          int    // by the usage, reasoning included; 0: there must be no usage
	events          int    // 0: not checked
	last            string // of the events; "": not checked
	err             string // the error's class; "": there must be none
	status          int    // the error's; 0: it must have none
	retryAfter      string
	names           string // in a list of models
}

// brokenFetch is what Node's fetch throws when the connection breaks within a
// body. The clients pass it on; all other errors are of classes of their own.
const brokenFetch = "TypeError"

// TestNodeClients needs test/sdk/node_modules. It does not skip without: a form
// that was not tried is not accepted.
func TestNodeClients(t *testing.T) {
	cases := append(append(openAIForms(), anthropicForms()...), failures()...)
	server, base := startSim(t)
	results := runNode(t, base, cases)
	asked := map[string]int{} // requests so far, by model
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			check(t, c, results[i])
			if model, ok := c.Body["model"].(string); ok {
				checkText(t, c, results[i], server, asked[model])
				asked[model]++
			}
		})
	}
}

// checkText holds the texts against what the simulator sent: all of it, or its
// beginning where the answer was cut.
func checkText(t *testing.T, c nodeCase, got nodeResult, server *sim.Server, n int) {
	t.Helper()
	body, err := json.Marshal(c.Body)
	if err != nil {
		t.Fatal(err)
	}
	dialect := map[string]weir.Dialect{"openai": weir.OpenAIChat, "anthropic": weir.Anthropic}[c.Client]
	asked, err := request.Decode(dialect, body)
	if err != nil {
		return // nothing was answered
	}
	asked.Stream = true // the texts do not depend on it
	var sent, thought strings.Builder
	for _, e := range server.Schedule(asked.Model, n, asked) {
		switch e.Step {
		case sim.StepText:
			sent.WriteString(e.Text)
		case sim.StepReasoning:
			thought.WriteString(e.Text)
		}
	}
	if !strings.HasPrefix(sent.String(), got.Text) {
		t.Errorf("text %q, sent was %q", got.Text, sent.String())
	}
	if !strings.HasPrefix(thought.String(), got.Reasoning) {
		t.Errorf("reasoning %q, sent was %q", got.Reasoning, thought.String())
	}
}

// runNode gives the cases to check.mjs.
func runNode(t *testing.T, base string, cases []nodeCase) []nodeResult {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Fatalf("%v: the official clients need Node 20 or newer: run `make deps`", err)
	}
	for _, client := range []string{"openai", "@anthropic-ai/sdk"} {
		if _, err := os.Stat("node_modules/" + client + "/package.json"); err != nil {
			t.Fatalf("test/sdk/node_modules has no %s: run `make deps`", client)
		}
	}
	input, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "check.mjs", base)
	var out, stderr bytes.Buffer
	node.Stdin, node.Stdout, node.Stderr = bytes.NewReader(input), &out, &stderr
	if err := node.Run(); err != nil {
		t.Fatalf("node check.mjs: %v\n%s", err, stderr.Bytes())
	}
	var results []nodeResult
	if err := json.Unmarshal(out.Bytes(), &results); err != nil {
		t.Fatalf("node check.mjs: %v in its output:\n%s", err, out.Bytes())
	}
	if len(results) != len(cases) {
		t.Fatalf("node check.mjs gave %d results for %d cases", len(results), len(cases))
	}
	return results
}

func check(t *testing.T, c nodeCase, got nodeResult) {
	t.Helper()
	w := c.want
	checkError(t, w, got.Error)
	if c.Models {
		if !strings.Contains(" "+got.Text+" ", " "+w.names+" ") {
			t.Errorf("models %q, want %q among them", got.Text, w.names)
		}
		return
	}
	if n := len(strings.Fields(got.Text)); n != w.text {
		t.Errorf("%d words of text, want %d: %q", n, w.text, got.Text)
	}
	if n := len(strings.Fields(got.Reasoning)); n != w.reasoning {
		t.Errorf("%d words of reasoning, want %d: %q", n, w.reasoning, got.Reasoning)
	}
	if got.Finish != w.finish {
		t.Errorf("finish %q, want %q", got.Finish, w.finish)
	}
	if w.events != 0 && got.Events != w.events {
		t.Errorf("%d events, want %d", got.Events, w.events)
	}
	if w.last != "" && got.LastEvent != w.last {
		t.Errorf("last event %q, want %q", got.LastEvent, w.last)
	}
	checkUsage(t, c, got.Usage)
}

func checkError(t *testing.T, w want, got *nodeError) {
	t.Helper()
	switch {
	case got == nil && w.err == "":
		return
	case got == nil:
		t.Errorf("no error, want %s", w.err)
		return
	case w.err == "":
		t.Errorf("error %s, want none", asJSON(got))
		return
	case got.Class != w.err || got.API != (w.err != brokenFetch):
		t.Errorf("error %s, want the class %s", asJSON(got), w.err)
	}
	if n := value(got.Status); n != w.status {
		t.Errorf("the error's status is %d, want %d", n, w.status)
	}
	if after := value(got.RetryAfter); after != w.retryAfter {
		t.Errorf("retry-after %q, want %q", after, w.retryAfter)
	}
	if w.status != 0 && strings.Contains(got.Message, "no body") {
		t.Errorf("the client found no message in the error's body: %q", got.Message)
	}
}

func checkUsage(t *testing.T, c nodeCase, got *nodeUsage) {
	t.Helper()
	w := c.want
	switch {
	case w.err != "" || c.StopAfter > 0: // whether some came before is not the point
	case w.tokens == 0 && got == nil:
	case w.tokens == 0:
		t.Errorf("usage %s, want none", asJSON(got))
	case got == nil:
		t.Errorf("no usage, want %d tokens", w.tokens)
	case c.Client == "anthropic":
		if value(got.Input) != promptTokens || value(got.Output) != w.tokens {
			t.Errorf("usage %s, want %d in and %d out", asJSON(got), promptTokens, w.tokens)
		}
	case value(got.Prompt) != promptTokens, value(got.Completion) != w.tokens, value(got.Total) != promptTokens+w.tokens, value(got.Details.Reasoning) != w.reasoning:
		t.Errorf("usage %s, want %d in and %d out, %d of them reasoning", asJSON(got), promptTokens, w.tokens, w.reasoning)
	}
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

type fields = map[string]any

// form is a case: a plan as the model's name, and what else the body has.
func form(client, name, plan string, more fields, w want) nodeCase {
	body := fields{"model": plan, "messages": []fields{{"role": "user", "content": prompt}}}
	if client == "anthropic" {
		body["max_tokens"] = 100
	}
	maps.Copy(body, more)
	return nodeCase{Name: client + " " + name, Client: client, Body: body, want: w}
}

var (
	streamed  = fields{"stream": true}
	withUsage = fields{"stream": true, "stream_options": fields{"include_usage": true}}
)

// openAIForms are all forms of an answer in OpenAI's chat dialect.
func openAIForms() []nodeCase {
	const plan = "ttft=2ms,gap=1ms,tokens=12,tokens_per_event=3"
	const chunk = "chat.completion.chunk"
	answer := func(events, tokens int) want {
		return want{text: 12, finish: "stop", tokens: tokens, events: events, last: chunk}
	}
	f := func(name, plan string, more fields, w want) nodeCase { return form("openai", name, plan, more, w) }
	whole := want{text: 12, finish: "stop", tokens: 12}

	helper := f("helper", plan, fields{"stream_options": fields{"include_usage": true}}, want{text: 12, finish: "stop", tokens: 12, events: 7})
	helper.Helper = true
	left := f("caller leaves", plan+",stall=2:60s", streamed, want{text: 6, events: 3})
	left.StopAfter = 3 // the role chunk and two of output

	return []nodeCase{
		// An answer is a role chunk, four of output, one with the finish reason.
		f("streamed", plan, streamed, answer(6, 0)),
		f("usage=end asked", plan, withUsage, answer(7, 12)),
		f("usage=end continuous", plan, fields{"stream": true, "stream_options": fields{"include_usage": true, "continuous_usage_stats": true}}, answer(7, 12)),
		f("usage=every asked", plan+",usage=every", withUsage, answer(7, 12)),
		f("usage=every not asked", plan+",usage=every", streamed, answer(6, 12)),
		f("usage=finish asked", plan+",usage=finish", withUsage, answer(6, 12)),
		f("usage=none asked", plan+",usage=none", withUsage, answer(6, 0)),
		f("usage=zeros-first asked", plan+",usage=zeros-first", withUsage, answer(7, 12)),
		f("role=false", plan+",role=false", withUsage, answer(6, 12)),
		f("done=false", plan+",done=false", withUsage, answer(7, 12)),
		f("one token an event", "tokens=12", withUsage, answer(15, 12)),
		f("buffer", plan+",buffer=true", withUsage, answer(7, 12)),
		f("stall", plan+",stall=2:200ms", withUsage, answer(7, 12)),
		f("reasoning", plan+",reasoning=6", withUsage, want{text: 6, reasoning: 6, finish: "stop", tokens: 12, events: 7}),
		f("limit", plan, fields{"stream": true, "max_tokens": 5}, want{text: 5, finish: "length"}),
		f("limit by its new name", plan, fields{"stream": true, "max_completion_tokens": 5}, want{text: 5, finish: "length"}),
		f("what benchmark clients send", plan, fields{
			"stream": true, "max_tokens": 5, "ignore_eos": true, "stop": nil, "temperature": 0, "top_p": 1, "seed": 7, "n": 1,
			"messages": []fields{{"role": "user", "content": []fields{{"type": "text", "text": prompt}}}},
		}, want{text: 5, finish: "length"}),
		helper,
		left,
		// The client skips a body that is no event stream; its caller gets nothing.
		f("json instead of a stream", plan+",json=true", streamed, want{}),

		f("whole", plan, nil, whole),
		f("whole, listed model", "river-70b", nil, whole),
		f("whole, usage=none", plan+",usage=none", nil, want{text: 12, finish: "stop"}),
		f("whole, reasoning", plan+",reasoning=6", nil, want{text: 6, reasoning: 6, finish: "stop", tokens: 12}),
		f("whole, limit", plan, fields{"max_completion_tokens": 5}, want{text: 5, finish: "length", tokens: 5}),
		{Name: "openai models", Client: "openai", Models: true, want: want{names: "river-70b"}},
	}
}

// anthropicForms are all forms of an answer in Anthropic's dialect.
func anthropicForms() []nodeCase {
	const plan = "ttft=2ms,gap=1ms,eos=12,tokens_per_event=3"
	f := func(name, plan string, more fields, w want) nodeCase { return form("anthropic", name, plan, more, w) }
	// An answer is message_start, content_block_start, four deltas,
	// content_block_stop, message_delta, message_stop.
	whole := want{text: 12, finish: "end_turn", tokens: 12}
	stream := whole
	stream.events, stream.last = 9, "message_stop"
	thought := want{text: 6, reasoning: 6, finish: "end_turn", tokens: 12}
	thoughtStream := thought
	thoughtStream.events, thoughtStream.last = 11, "message_stop"

	helper := f("helper", plan, nil, want{text: 12, finish: "end_turn", tokens: 12, events: 9})
	helper.Helper = true
	helperThought := f("helper, reasoning", plan+",reasoning=6", nil, want{text: 6, reasoning: 6, finish: "end_turn", tokens: 12, events: 11})
	helperThought.Helper = true
	left := f("caller leaves", plan+",stall=2:60s", streamed, want{text: 6, events: 4})
	left.StopAfter = 4 // message_start, content_block_start and two deltas

	return []nodeCase{
		f("streamed", plan, streamed, stream),
		f("buffer", plan+",buffer=true", streamed, stream),
		f("stall", plan+",stall=2:200ms", streamed, stream),
		f("role=false", plan+",role=false", streamed, stream), // its stream cannot do without the opening
		f("done=false", plan+",done=false", streamed, want{text: 12, finish: "end_turn", tokens: 12, events: 8, last: "message_delta"}),
		f("reasoning", plan+",reasoning=6", streamed, thoughtStream),
		f("limit", plan, fields{"stream": true, "max_tokens": 5}, want{text: 5, finish: "max_tokens", tokens: 5}),
		f("parts", plan, fields{"stream": true, "messages": []fields{{"role": "user", "content": []fields{{"type": "text", "text": prompt}}}}}, stream),
		helper,
		helperThought,
		left,
		f("whole", plan, nil, whole),
		f("whole, listed model", "river-70b", nil, whole),
		f("whole, reasoning", plan+",reasoning=6", nil, thought),
		f("whole, limit", plan, fields{"max_tokens": 5}, want{text: 5, finish: "max_tokens", tokens: 5}),
	}
}

// failures must reach the caller as the client's own errors, streamed or not.
func failures() (cases []nodeCase) {
	classes := []struct {
		status            int
		openai, anthropic string
	}{
		{http.StatusBadRequest, "BadRequestError", "BadRequestError"},
		{http.StatusUnauthorized, "AuthenticationError", "AuthenticationError"},
		{http.StatusForbidden, "PermissionDeniedError", "PermissionDeniedError"},
		{http.StatusNotFound, "NotFoundError", "NotFoundError"},
		{http.StatusUnprocessableEntity, "UnprocessableEntityError", "UnprocessableEntityError"},
		{http.StatusTooManyRequests, "RateLimitError", "RateLimitError"},
		{http.StatusInternalServerError, "InternalServerError", "InternalServerError"},
		{http.StatusServiceUnavailable, "InternalServerError", "ServiceUnavailableError"},
		{529, "InternalServerError", "OverloadedError"},
	}
	for _, client := range []string{"openai", "anthropic"} {
		for _, c := range classes {
			plan := fmt.Sprintf("status=%d", c.status)
			w := want{err: c.openai, status: c.status}
			if client == "anthropic" {
				w.err = c.anthropic
			}
			cases = append(cases, form(client, plan+" streamed", plan, streamed, w), form(client, plan+" whole", plan, nil, w))
		}
		wait := want{err: "RateLimitError", status: http.StatusTooManyRequests, retryAfter: "2"}
		part := "tokens=12,eos=12,tokens_per_event=3"
		cases = append(cases,
			form(client, "retry after", "status=429:2s", streamed, wait),
			form(client, "unknown model", "no-such-model", streamed, want{err: "NotFoundError", status: http.StatusNotFound}),
			form(client, "no messages", "tokens=1", fields{"messages": []fields{}}, want{err: "BadRequestError", status: http.StatusBadRequest}),
			form(client, "fail=100%", "fail=100%:500", streamed, want{err: "InternalServerError", status: http.StatusInternalServerError}),
			form(client, "error=2", part+",error=2", streamed, want{text: 6, err: "APIError"}),
			form(client, "error=0", part+",error=0", streamed, want{err: "APIError"}),
			form(client, "cut=2", part+",cut=2", streamed, want{text: 6, err: brokenFetch}),
			form(client, "cut=0", part+",cut=0", streamed, want{err: brokenFetch}),
		)
	}
	return cases
}
