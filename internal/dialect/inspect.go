package dialect

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"time"

	"weir.dev/weir"
)

// InspectOptions say how a recorded answer is to be read.
type InspectOptions struct {
	Dialect weir.Dialect // empty: guessed from the bytes
	HTTP    bool         // a raw HTTP response; recognised by itself where it begins with "HTTP/"
	LineCap int          // as in Options
	OnEvent func(tick weir.Tick, name, data []byte)
}

// Inspection is what Weir sees in a recorded answer. Numbers are null where
// unknown, texts "" where nothing came.
type Inspection struct {
	Dialect          weir.Dialect      `json:"dialect"`
	OutputText       string            `json:"output_text"`
	ReasoningText    string            `json:"reasoning_text"`
	RefusalText      string            `json:"refusal_text"`
	ToolCalls        []InspectedCall   `json:"tool_calls"`
	PromptTokens     weir.Opt[int]     `json:"prompt_tokens"`
	CachedTokens     weir.Opt[int]     `json:"cached_tokens"`
	CompletionTokens weir.Opt[int]     `json:"completion_tokens"`
	ReasoningTokens  weir.Opt[int]     `json:"reasoning_tokens"`
	OutputEvents     int               `json:"output_events"`
	FirstOutputEvent weir.Opt[int]     `json:"first_output_event"`
	FinishReason     weir.Opt[string]  `json:"finish_reason"`
	Choices          []InspectedChoice `json:"choices,omitempty"` // where there is more than one
	Outcome          weir.Outcome      `json:"outcome"`
	ErrorType        weir.Opt[string]  `json:"error_type"`
	ErrorMessage     weir.Opt[string]  `json:"error_message"`
	HTTPStatus       weir.Opt[int]     `json:"http_status"`
	RetryAfter       weir.Span         `json:"retry_after_ms"`
	Buffered         bool              `json:"buffered"` // one event holds most of the answer; a recording has no times to tell more by
	Warnings         []string          `json:"warnings"`

	Bytes int64 `json:"-"` // length of the body read
}

// InspectedCall is one tool call.
type InspectedCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// InspectedChoice is one of several answers to one request.
type InspectedChoice struct {
	Index        int              `json:"index"`
	Text         string           `json:"text"`
	FinishReason weir.Opt[string] `json:"finish_reason"`
}

// Inspect reads a recorded answer: a body after transfer and content decoding,
// or a raw HTTP response. The error says why the input could not be read; an
// answer that went wrong is no error but an outcome.
func Inspect(in io.Reader, o InspectOptions) (*Inspection, error) {
	br := bufio.NewReaderSize(in, 64<<10)
	res := &response{body: br}
	if head, err := br.Peek(5); o.HTTP || string(head) == "HTTP/" {
		if res, err = readResponse(br); err != nil {
			return nil, err
		}
	} else if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	body := bufio.NewReaderSize(res.body, 64<<10)
	if o.Dialect == "" {
		head, _ := body.Peek(64 << 10)
		o.Dialect = Guess(head)
	}
	answer := new(Answer)
	r := NewReader(Options{
		Dialect: o.Dialect, Stream: true, Status: res.status, Header: res.header,
		LineCap: o.LineCap, Answer: answer, OnEvent: o.OnEvent,
	})
	n, err := feedAll(r, body)
	out := inspection(r, r.End(err), answer)
	out.Dialect, out.Bytes = o.Dialect, n
	if res.status != 0 {
		out.HTTPStatus = weir.Some(res.status)
	}
	return out, nil
}

func feedAll(r *Reader, body io.Reader) (total int64, err error) {
	buf := make([]byte, 64<<10)
	for {
		n, err := body.Read(buf)
		r.Feed(buf[:n], weir.Stamp{})
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
}

func inspection(r *Reader, res Result, answer *Answer) *Inspection {
	t := weir.Trace{Ticks: r.Ticks, Usage: res.Usage}
	out := &Inspection{
		ToolCalls:    []InspectedCall{},
		PromptTokens: res.Usage.Prompt, CachedTokens: res.Usage.Cached,
		CompletionTokens: res.Usage.Completion, ReasoningTokens: res.Usage.Reasoning,
		OutputEvents: t.OutputEvents(), FinishReason: known(res.Finish),
		Outcome: res.Outcome, ErrorType: known(res.ErrorType), ErrorMessage: known(res.ErrorText),
		RetryAfter: waited(res), Buffered: mostlyOneEvent(&t), Warnings: append([]string{}, res.Warnings...),
	}
	if i := slices.IndexFunc(r.Ticks, func(t weir.Tick) bool { return t.Kind.Output() }); i >= 0 {
		out.FirstOutputEvent = weir.Some(i)
	}
	if c := answer.Choice(0); c != nil {
		out.OutputText, out.ReasoningText, out.RefusalText = string(c.Text), string(c.Reasoning), string(c.Refusal)
		for _, call := range c.Calls {
			out.ToolCalls = append(out.ToolCalls, InspectedCall{string(call.Name), string(call.Arguments)})
		}
	}
	if len(res.choices) > 1 {
		out.Choices = choicesOf(res, answer)
	}
	return out
}

func choicesOf(res Result, answer *Answer) (out []InspectedChoice) {
	for _, c := range res.choices {
		one := InspectedChoice{Index: int(c.index), FinishReason: known(c.finish)}
		if a := answer.Choice(int(c.index)); a != nil {
			one.Text = string(a.Text)
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b InspectedChoice) int { return a.Index - b.Index })
	return out
}

// mostlyOneEvent is the part of weir.Trace.Buffered that needs no times.
func mostlyOneEvent(t *weir.Trace) bool {
	n := t.NSeen().Or(0)
	var largest, all int64
	for _, tick := range t.Ticks {
		if tick.Kind.Output() {
			all += int64(tick.Bytes)
			largest = max(largest, int64(tick.Bytes))
		}
	}
	return n >= 16 && 2*largest > all
}

func known(s string) weir.Opt[string] {
	if s == "" {
		return weir.None[string]()
	}
	return weir.Some(s)
}

// waited is the wait asked for, where it can be told without a clock.
func waited(res Result) weir.Span {
	if d, ok := res.RetryAfter.Get(); ok {
		return weir.SpanOf(d.Round(time.Microsecond))
	}
	return weir.Span{}
}
