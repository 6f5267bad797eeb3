package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
)

type inspectCmd struct {
	File    string `arg:"" optional:"" default:"-" help:"The recording; - reads standard input."`
	Dialect string `help:"${dialects}; guessed from the bytes when not given." placeholder:"D"`
	HTTP    bool   `name:"http" help:"The recording is a raw HTTP response (recognised by itself where it begins with HTTP/)."`
	Output  string `short:"o" enum:"text,json" default:"text" help:"text or json."`
	LineCap int    `name:"line-cap" default:"16777216" help:"Longest line in bytes that is read." placeholder:"BYTES"`
}

// Help is shown below the flags.
func (inspectCmd) Help() string {
	return `Reads an SSE or NDJSON body, or a raw HTTP response, and says what is in it:
the text, the token counts, where the first output was, how it ended.

  curl -iN https://api.example.com/v1/chat/completions ... | weir inspect
  weir inspect answer.sse -o json

Exit code: 0 for an answer that is ok, 1 for any other, 2 for input that cannot be read.`
}

func (c *inspectCmd) Run(p *process) error {
	o := dialect.InspectOptions{HTTP: c.HTTP, LineCap: c.LineCap}
	if c.LineCap < 1 {
		return usage("--line-cap %d: it must be at least 1", c.LineCap)
	}
	if c.Dialect != "" {
		d, ok := weir.ParseDialect(c.Dialect)
		if !ok {
			return usage("--dialect %q is not known: it is one of %s", c.Dialect, dialectNames())
		}
		o.Dialect = d
	}
	in, name, closeFile, err := c.open(p)
	if err != nil {
		return err
	}
	defer func() { _ = closeFile() }() // it was only read
	secrets := keysOf(p)
	var events bytes.Buffer
	if c.Output == "text" {
		n, last, redact := 0, []byte(nil), secrets.Mask
		o.OnEvent = func(tick weir.Tick, event, data []byte) {
			data = []byte(redact(string(data))) // before it is cut
			fmt.Fprintln(&events, eventLine(n, tick, event, news(last, data)))
			last = append(last[:0], data...)
			n++
		}
	}
	seen, err := dialect.Inspect(in, o)
	if err != nil {
		return usage("%s cannot be read: %s", name, secrets.Redact(err.Error()))
	}
	redactInspection(seen, secrets)
	if seen.Bytes == 0 && !seen.HTTPStatus.Known() {
		fmt.Fprintf(p.err, "weir: %s is empty: record the body of an answer, as curl -N or curl -iN prints it\n", name)
	}
	if c.Output == "json" {
		enc := json.NewEncoder(p.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(seen); err != nil {
			return err
		}
	} else if _, err := p.out.Write(append(events.Bytes(), inspectText(seen)...)); err != nil {
		return err
	}
	if seen.Outcome != weir.OK {
		return quiet(exitFailed)
	}
	return nil
}

// inspectHint says what to do about a recording that makes no sense.
func inspectHint(i *dialect.Inspection) string {
	switch {
	case i.ErrorType.Or("") == "line_too_long", i.ErrorType.Or("") == "body_too_long":
		return "a line is longer than --line-cap"
	case i.Outcome == weir.Malformed && i.OutputEvents == 0:
		return fmt.Sprintf("this is no %s answer: is it the body that the API sent, and is --dialect right?", i.Dialect)
	}
	return ""
}

func (c *inspectCmd) open(p *process) (in io.Reader, name string, closeFile func() error, err error) {
	if c.File == "-" {
		return p.in, "standard input", func() error { return nil }, nil
	}
	f, err := os.Open(c.File)
	if err != nil {
		return nil, "", nil, usage("%v", err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		_ = f.Close()
		return nil, "", nil, usage("%s is a folder, not a recording", c.File)
	}
	return f, c.File, f.Close, nil
}

// eventLine shows one event and what it was taken for.
func eventLine(n int, tick weir.Tick, event, data []byte) string {
	what := tick.Kind.String()
	if tick.Kind.Output() {
		what += fmt.Sprintf(" %d B", tick.Bytes)
	}
	if tick.Tokens > 0 {
		what += fmt.Sprintf(" +%d tok", tick.Tokens)
	}
	name := ""
	if len(event) > 0 {
		name = oneLine(event, 40) + ": "
	}
	return fmt.Sprintf("%4d  %-22s %s%s", n, what, name, oneLine(data, 160))
}

// news is an event's data without the long beginning that it shares with the
// event before it, so that a line shows what the event says.
func news(before, data []byte) []byte {
	same := 0
	for same < min(len(before), len(data)) && before[same] == data[same] {
		same++
	}
	if same == len(data) {
		same = 0
	}
	at := bytes.LastIndexAny(data[:same], "{,")
	if at < 40 {
		return data
	}
	return append([]byte("... "), bytes.TrimPrefix(data[at:], []byte(","))...)
}

// oneLine makes foreign bytes fit for a terminal: no control characters, which
// could drive it, and no more than limit of them.
func oneLine(b []byte, limit int) string {
	more := ""
	if len(b) > limit {
		b, more = b[:limit], "..."
	}
	return printable(strings.ToValidUTF8(string(b), "")) + more
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) { // bidirectional marks too
			return ' '
		}
		return r
	}, s)
}

func inspectText(i *dialect.Inspection) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-18s %s\n", name, value)
		}
	}
	number := func(name string, v weir.Opt[int]) {
		if n, ok := v.Get(); ok {
			line(name, fmt.Sprint(n))
		} else {
			line(name, "not reported")
		}
	}
	outcome := string(i.Outcome)
	if e, ok := i.ErrorType.Get(); ok {
		outcome += ", " + e
	}
	if s, ok := i.HTTPStatus.Get(); ok {
		outcome += fmt.Sprintf(" (HTTP %d)", s)
	}
	line("outcome", outcome)
	line("error", printable(i.ErrorMessage.Or("")))
	if d, ok := i.RetryAfter.Get(); ok {
		line("retry after", d.Duration().String())
	}
	line("hint", inspectHint(i))
	line("dialect", string(i.Dialect))
	line("finish reason", printable(cmp.Or(i.FinishReason.Or(""), "none")))
	if n, ok := i.FirstOutputEvent.Get(); ok {
		line("output events", fmt.Sprintf("%d, the first is event %d", i.OutputEvents, n))
	} else {
		line("output events", "none")
	}
	number("prompt tokens", i.PromptTokens)
	number("cached tokens", i.CachedTokens)
	number("completion tokens", i.CompletionTokens)
	number("reasoning tokens", i.ReasoningTokens)
	if i.Buffered {
		line("buffered", "one event holds most of the answer: its speed cannot be told")
	}
	line("warnings", strings.Join(i.Warnings, ", "))
	line("reasoning", oneLine([]byte(i.ReasoningText), 2000))
	line("text", oneLine([]byte(i.OutputText), 2000))
	line("refusal", oneLine([]byte(i.RefusalText), 2000))
	for _, call := range i.ToolCalls {
		line("tool call", printable(call.Name)+" "+oneLine([]byte(call.Arguments), 500))
	}
	for _, choice := range i.Choices {
		line(fmt.Sprintf("choice %d", choice.Index), fmt.Sprintf("%q, finish reason %s", choice.Text, printable(choice.FinishReason.Or("none"))))
	}
	return b.String()
}

func dialectNames() string {
	var names []string
	for _, d := range weir.Dialects() {
		names = append(names, string(d))
	}
	return strings.Join(names, ", ")
}
