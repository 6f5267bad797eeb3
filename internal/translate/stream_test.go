package translate

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sse"
)

var (
	targets = []weir.Dialect{weir.OpenAIChat, weir.Anthropic, weir.Gemini}
	callers = []weir.Dialect{weir.OpenAIChat, weir.OpenAIResponses, weir.Anthropic}
)

type event struct{ name, data []byte }

// cutEvents are a stream's events as the gateway's reader gives them out.
func cutEvents(d weir.Dialect, raw []byte) (all []event) {
	r := dialect.NewReader(dialect.Options{Dialect: d, Stream: true, OnEvent: func(_ weir.Tick, name, data []byte) {
		all = append(all, event{bytes.Clone(name), bytes.Clone(data)})
	}})
	r.Feed(raw, weir.Stamp{})
	r.End(nil)
	return all
}

func joinEvents(all []event) (raw []byte) {
	for _, e := range all {
		raw = sse.AppendEvent(raw, string(e.name), e.data)
	}
	return raw
}

// told is what a caller reads when a target sends these events.
func told(from, to weir.Dialect, all []event, failure *request.Problem) []byte {
	s := NewStream(from, to, AnswerOptions{IncludeUsage: true, Created: 1764547200})
	var out []byte
	for _, e := range all {
		data := bytes.Clone(e.data)
		out = s.Feed(out, e.name, data)
		clear(data) // nothing of it may be kept
	}
	return s.End(out, failure)
}

// said is the meaning of a stream or a body.
type said struct {
	Text, Reasoning, Refusal string
	Calls                    []dialect.InspectedCall
	Usage                    weir.Usage
	Finish                   string
	OK                       bool
	Model                    string
}

var opts = cmp.AllowUnexported(weir.Opt[int]{})

func understood(d weir.Dialect, raw []byte, stream bool) said {
	var answer dialect.Answer
	r := dialect.NewReader(dialect.Options{Dialect: d, Stream: stream, Answer: &answer})
	r.Feed(raw, weir.Stamp{})
	res := r.End(nil)
	survived := res.Outcome == weir.Malformed && res.Finished // an event of it is no JSON
	out := said{Usage: res.Usage, Finish: res.Finish, OK: res.Outcome == weir.OK || survived, Model: res.Model}
	if c := answer.Choice(0); c != nil {
		out.Text, out.Reasoning, out.Refusal = string(c.Text), string(c.Reasoning), string(c.Refusal)
		for _, call := range c.Calls {
			out.Calls = append(out.Calls, dialect.InspectedCall{Name: string(call.Name), Arguments: compact(string(call.Arguments))})
		}
	}
	return out
}

func compact(arguments string) string {
	var v any
	if json.Unmarshal([]byte(arguments), &v) != nil {
		return arguments
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// expected is what a caller should read where the target said s.
func expected(from, to weir.Dialect, s said) said {
	calls := len(s.Calls) > 0
	for i := range s.Calls {
		if s.Calls[i].Arguments == "" {
			s.Calls[i].Arguments = "{}"
		}
	}
	if !s.OK {
		s.Finish, s.Usage = "", weir.Usage{} // an error has neither
		return s
	}
	switch word := strings.ToLower(s.Finish); {
	case calls && word != "length" && word != "max_tokens":
		s.Finish = map[weir.Dialect]string{weir.OpenAIChat: "tool_calls", weir.OpenAIResponses: "completed", weir.Anthropic: "tool_use"}[to]
	case word == "length", word == "max_tokens":
		s.Finish = map[weir.Dialect]string{weir.OpenAIChat: "length", weir.OpenAIResponses: "max_output_tokens", weir.Anthropic: "max_tokens"}[to]
	case s.Refusal != "" && to == weir.Anthropic:
		s.Finish = "refusal"
	default:
		s.Finish = map[weir.Dialect]string{weir.OpenAIChat: "stop", weir.OpenAIResponses: "completed", weir.Anthropic: "end_turn"}[to]
	}
	u := &s.Usage
	switch {
	case to == weir.Anthropic: // its SDKs need numbers; it has the refusal as text
		s.Text, s.Refusal = s.Text+s.Refusal, ""
		u.Prompt, u.Completion = weir.Some(u.Prompt.Or(0)), weir.Some(u.Completion.Or(0))
	case to == weir.OpenAIResponses && u.Reported():
		u.Cached, u.Reasoning = weir.Some(u.Cached.Or(0)), weir.Some(u.Reasoning.Or(0))
	}
	return s
}

// Every recorded stream means the same to a caller of any dialect as it does
// to a reader of its own.
func TestStreamsMeanTheSame(t *testing.T) {
	files, err := filepath.Glob("../dialect/testdata/streams/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatal("no streams", err)
	}
	own, _ := filepath.Glob("testdata/answers/*.sse")
	n := 0
	for _, f := range append(files, own...) {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		from := dialectOf(t, f, raw)
		for _, to := range callers {
			if from == to || from == weir.Ollama || strings.Contains(filepath.Base(f), "_to_") {
				continue
			}
			n++
			t.Run(strings.TrimSuffix(filepath.Base(f), ".sse")+"/"+string(to), func(t *testing.T) {
				target := understood(from, raw, true)
				if target.OK && len(cutEvents(from, raw)) == 0 {
					t.Skip("no event stream")
				}
				out := told(from, to, cutEvents(from, raw), nil)
				got, want := understood(to, out, true), expected(from, to, target)
				if !want.OK {
					got.Usage, got.Finish, want.Text, got.Text = weir.Usage{}, "", "", ""
				}
				if d := cmp.Diff(want, got, opts); d != "" {
					t.Errorf("%s\n%s", d, out)
				}
				framed(t, out)
			})
		}
	}
	if n < 100 {
		t.Errorf("only %d pairs of a stream and a caller", n)
	}
}

func dialectOf(t *testing.T, file string, raw []byte) weir.Dialect {
	t.Helper()
	var c struct{ API weir.Dialect }
	if b, err := os.ReadFile(strings.TrimSuffix(file, ".sse") + ".json"); err == nil {
		if err := json.Unmarshal(b, &c); err != nil {
			t.Fatal(err)
		}
	}
	if c.API == "" {
		return dialect.Guess(raw)
	}
	return c.API
}

// framed checks that a stream is whole events, each with JSON in it.
func framed(t *testing.T, raw []byte) {
	t.Helper()
	var r sse.Reader
	for rest := raw; ; {
		ev, after, ok, err := r.Next(rest)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		if string(ev.Data) != "[DONE]" && !json.Valid(ev.Data) {
			t.Errorf("not JSON: %s", ev.Data)
		}
		rest = after
	}
	if _, pending := r.Pending(); pending || r.Junk() > 0 {
		t.Errorf("not whole events: %s", raw)
	}
}

// A stream that is cut after any event is whole for its caller if and only if
// it was whole for a reader of its own; so is one that fails.
func TestCutStreamsAreNeverEnded(t *testing.T) {
	for _, from := range targets {
		raw, err := os.ReadFile("testdata/answers/" + short[from] + ".sse")
		if err != nil {
			t.Fatal(err)
		}
		all := cutEvents(from, raw)
		for _, to := range callers {
			for n := range all {
				want := understood(from, joinEvents(all[:n]), true).OK
				for _, failure := range []*request.Problem{nil, {Status: 504, Message: "stalled"}} {
					out := told(from, to, all[:n], failure)
					got := understood(to, out, true).OK
					if got != want {
						t.Errorf("%s to %s, %d events: whole %v, want %v\n%s", from, to, n, got, want, out)
					}
					if ended := strings.Contains(string(out), "[DONE]") || strings.Contains(string(out), "message_stop"); ended && !want {
						t.Errorf("%s to %s, %d events: ended\n%s", from, to, n, out)
					}
				}
			}
		}
	}
}

var short = map[weir.Dialect]string{
	weir.OpenAIChat: "chat", weir.OpenAIResponses: "responses", weir.Anthropic: "anthropic", weir.Gemini: "gemini",
}

// golden compares got with a file, or writes it there with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (go test -update writes it): %s", name, d)
	}
}

func TestStreamsByteForByte(t *testing.T) {
	for _, from := range targets {
		raw, err := os.ReadFile("testdata/answers/" + short[from] + ".sse")
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range callers {
			if from != to {
				golden(t, "testdata/answers/"+short[from]+"_to_"+short[to]+".sse", told(from, to, cutEvents(from, raw), nil))
			}
		}
	}
}

func TestBodiesByteForByte(t *testing.T) {
	for _, from := range targets {
		raw, err := os.ReadFile("testdata/answers/" + short[from] + ".json")
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range callers {
			if from == to {
				continue
			}
			out, err := Whole(from, to, raw, AnswerOptions{Created: 1764547200})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "testdata/answers/"+short[from]+"_to_"+short[to]+".json", append(out, '\n'))
			if d := cmp.Diff(expected(from, to, understood(from, raw, false)), understood(to, out, false), opts); d != "" {
				t.Errorf("%s to %s: %s\n%s", from, to, d, out)
			}
		}
	}
}
