package sdk

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"weir.dev/weir"
	"weir.dev/weir/meter"
)

// measured is OpenAI's Go client for a simulator, with the meter under it; trace
// waits for the next call's trace.
func measured(t *testing.T) (client openai.Client, trace func() *weir.Trace) {
	t.Helper()
	_, base := startSim(t)
	traces := make(chan *weir.Trace, 8) // more than any test makes: a sink must not block
	transport := &meter.Transport{Sink: func(t *weir.Trace) { traces <- t }}
	t.Cleanup(transport.CloseIdleConnections)
	client = openai.NewClient(
		option.WithBaseURL(base+"/v1"), option.WithAPIKey("unused"), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: transport}),
	)
	return client, func() *weir.Trace {
		t.Helper()
		select {
		case trace := <-traces:
			return trace
		case <-time.After(10 * time.Second):
			t.Fatal("no trace came")
			return nil
		}
	}
}

func ask(model string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
	}
}

func TestGoOpenAIStreamed(t *testing.T) {
	client, trace := measured(t)
	params := ask("ttft=20ms,gap=2ms,tokens=12,tokens_per_event=3")
	params.StreamOptions.IncludeUsage = openai.Bool(true)

	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	var text strings.Builder
	usage := int64(0)
	for stream.Next() {
		chunk := stream.Current()
		if len(chunk.Choices) > 0 {
			text.WriteString(chunk.Choices[0].Delta.Content)
		}
		usage += chunk.Usage.CompletionTokens
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}

	tr := trace()
	if tr.Outcome != weir.OK || tr.Finish != "stop" || tr.Status != http.StatusOK {
		t.Errorf("outcome %q, finish %q, status %d (%s %s), want ok, stop, 200", tr.Outcome, tr.Finish, tr.Status, tr.ErrorType, tr.ErrorText)
	}
	if got := outputTicks(tr); got != 4 {
		t.Errorf("%d output ticks, want 4: 12 tokens, 3 in an event", got)
	}
	if n := tr.Usage.Completion.Or(-1); n != 12 || usage != 12 {
		t.Errorf("completion tokens: the meter has %d, the client %d, want 12", n, usage)
	}
	if n := tr.Usage.Prompt.Or(-1); n != promptTokens {
		t.Errorf("prompt tokens %d, want %d", n, promptTokens)
	}
	if got := text.Len(); got != tr.OutputChars {
		t.Errorf("the client got %d characters, the meter saw %d", got, tr.OutputChars)
	}
	if ttft, known := tr.TTFT().Get(); !known || ttft.Duration() < 20*time.Millisecond {
		t.Errorf("ttft %v (known %v), want 20ms or more: that is the plan", ttft.Duration(), known)
	}
}

func TestGoOpenAIWhole(t *testing.T) {
	client, trace := measured(t)
	answer, err := client.Chat.Completions.New(t.Context(), ask("ttft=5ms,gap=1ms,tokens=12"))
	if err != nil {
		t.Fatal(err)
	}
	tr := trace()
	if tr.Outcome != weir.OK || tr.Finish != "stop" {
		t.Errorf("outcome %q, finish %q (%s %s), want ok, stop", tr.Outcome, tr.Finish, tr.ErrorType, tr.ErrorText)
	}
	if n := tr.Usage.Completion.Or(-1); n != 12 || answer.Usage.CompletionTokens != 12 {
		t.Errorf("completion tokens: the meter has %d, the client %d, want 12", n, answer.Usage.CompletionTokens)
	}
	if got := len(answer.Choices[0].Message.Content); got != tr.OutputChars {
		t.Errorf("the client got %d characters, the meter saw %d", got, tr.OutputChars)
	}
	if tpot := tr.TPOT(); tpot.Known() {
		t.Errorf("tpot %v of an answer that came in one piece, want none", tpot.Or(0).Duration())
	}
}

func TestGoOpenAIRateLimited(t *testing.T) {
	client, trace := measured(t)
	_, err := client.Chat.Completions.New(t.Context(), ask("status=429:2s"))
	if api := new(openai.Error); !errors.As(err, &api) || api.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the client got the error %v, want its own with 429", err)
	}
	tr := trace()
	if tr.Outcome != weir.RateLimited || tr.Status != http.StatusTooManyRequests {
		t.Errorf("outcome %q, status %d, want rate_limited, 429", tr.Outcome, tr.Status)
	}
	if wait, known := tr.RetryAfter.Get(); !known || wait.Duration() != 2*time.Second {
		t.Errorf("retry after %v (known %v), want 2s", wait.Duration(), known)
	}
}

func TestGoOpenAICut(t *testing.T) {
	client, trace := measured(t)
	stream := client.Chat.Completions.NewStreaming(t.Context(), ask("tokens=12,cut=3"))
	chunks := 0
	for stream.Next() {
		if c := stream.Current(); len(c.Choices) > 0 && c.Choices[0].Delta.Content != "" {
			chunks++
		}
	}
	if stream.Err() == nil {
		t.Error("the client took a cut stream for a whole one")
	}
	stream.Close()
	tr := trace()
	if tr.Outcome != weir.Truncated {
		t.Errorf("outcome %q, want truncated", tr.Outcome)
	}
	if got := outputTicks(tr); got != 3 || chunks != 3 {
		t.Errorf("output before the cut: the meter has %d events, the client %d, want 3", got, chunks)
	}
	if tr.Usage.Reported() {
		t.Errorf("usage %+v of a stream that was cut before it, want none", tr.Usage)
	}
}

// A caller that walks away must end the call at the provider too.
func TestGoOpenAICallerLeaves(t *testing.T) {
	client, trace := measured(t)
	stream := client.Chat.Completions.NewStreaming(t.Context(), ask("tokens=12,stall=2:60s"))
	for n := 0; n < 2 && stream.Next(); {
		if c := stream.Current(); len(c.Choices) > 0 && c.Choices[0].Delta.Content != "" {
			n++
		}
	}
	stream.Close()
	tr := trace()
	if tr.Outcome != weir.Canceled {
		t.Errorf("outcome %q, want canceled", tr.Outcome)
	}
	if got := outputTicks(tr); got != 2 {
		t.Errorf("%d output ticks, want 2", got)
	}
}

func outputTicks(tr *weir.Trace) (n int) {
	for _, tick := range tr.Ticks {
		if tick.Kind.Output() {
			n++
		}
	}
	return n
}
