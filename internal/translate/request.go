package translate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// Codes of the errors of a translation. What one target's dialect has not,
// another's may have; what is wrong in itself is wrong for every target.
const (
	CannotTranslate = "cannot_translate"
	InvalidRequest  = "invalid_request"
)

// RequestOptions say what a body does not: to whom it goes, and what that
// target is known to take. Model is needed.
type RequestOptions struct {
	URL   string // of the target, as request.Encode takes it; "": Translated has none
	Model string // the target's name of the model; it replaces the caller's

	// MaxTokens is sent to Anthropic, which needs a limit, where the caller set
	// none; 0: request.DefaultMaxTokens.
	MaxTokens int

	NewTokensName   bool // chat: max_completion_tokens, not max_tokens
	NoStreamOptions bool // chat: the target refuses stream_options
	ReasoningInput  bool // chat: the target takes the reasoning of earlier turns, as reasoning_content
	NoSampling      bool // Anthropic: the model refuses temperature, top_p and top_k (Claude since 4.7)
	ThinkingBudget  bool // Anthropic, Gemini: the model thinks by a budget of tokens (Claude to 4.5, Gemini 2.5), not by an effort
	Prefill         bool // the target goes on where a last assistant message ends
}

// Translated is a request for the target.
type Translated struct {
	request.Encoded          // URL, headers without a key, body
	Stream          bool     // the caller wants a stream
	Dropped         []string // what was left out by docs/translation.md, each once, as in messages[].name
}

// Request writes a caller's request in a target's dialect. from is openai-chat,
// openai-responses or anthropic; to is another one of openai-chat, anthropic
// and gemini. Time and memory are linear in the body, which the caller has
// bounded; encoding/json bounds its depth.
//
// Errors are *weir.Error. One with the code CannotTranslate names in its
// Message the path of the member that the target has no place for, as in
// messages[3].content[1].input_audio.
func Request(from, to weir.Dialect, body []byte, o RequestOptions) (Translated, error) {
	if !isPair(from, to) {
		return Translated{}, &weir.Error{
			Code:    CannotTranslate,
			Message: fmt.Sprintf("requests are not translated from %s to %s", from, to),
			Hint:    "from openai-chat, openai-responses or anthropic to another of openai-chat, anthropic and gemini",
		}
	}
	c, err := decodeRequest(from, body)
	if err != nil {
		return Translated{}, err
	}
	e := encoding{to: to, conversation: c, options: o}
	written := e.body()
	if e.err != nil {
		return Translated{}, e.err
	}
	t := Translated{Stream: c.stream, Dropped: everywhere(append(c.dropped, e.dropped...))}
	if t.Body, err = marshal(written); err != nil {
		return Translated{}, err
	}
	t.Header = request.Header(to, c.stream)
	if o.URL != "" {
		t.URL, err = request.URL(o.URL, to, o.Model, c.stream)
	}
	return t, err
}

func isPair(from, to weir.Dialect) bool {
	return from != to &&
		slices.Contains([]weir.Dialect{weir.OpenAIChat, weir.OpenAIResponses, weir.Anthropic}, from) &&
		slices.Contains([]weir.Dialect{weir.OpenAIChat, weir.Anthropic, weir.Gemini}, to)
}

func decodeRequest(from weir.Dialect, body []byte) (*conversation, error) {
	if !json.Valid(body) {
		var v any
		return nil, &weir.Error{Code: "bad_json", Message: "the body is not JSON", Err: json.Unmarshal(body, &v)}
	}
	d := &decoding{}
	o := d.object("", body)
	switch from {
	case weir.OpenAIChat:
		d.chat(o)
	case weir.OpenAIResponses:
		d.responses(o)
	case weir.Anthropic:
		d.anthropic(o)
	}
	o.close()
	if d.err == nil && len(d.c.turns) == 0 {
		d.bad("the conversation", "has no message with content", "at least one message of the user")
	}
	return &d.c, d.err
}

// encoding writes a conversation for one target.
type encoding struct {
	trouble
	*conversation

	to      weir.Dialect
	options RequestOptions
	dropped []string
}

// body is the target's body as a value for encoding/json.
func (e *encoding) body() any {
	last := e.turns[len(e.turns)-1]
	if last.role == assistant && !e.options.Prefill {
		e.refuse(last.path, "the last message is the assistant's, and the target does not go on where it ends", "end with a message of the user")
	}
	switch e.to {
	case weir.Anthropic:
		return e.anthropicBody()
	case weir.Gemini:
		return e.geminiBody()
	default:
		return e.chatBody()
	}
}

// needTurns is for a conversation of which all was dropped.
func (e *encoding) needTurns(n int) {
	if n == 0 {
		e.bad("the conversation", "nothing in it is for this target", "at least one message of the user")
	}
}

// drop notes what is left out for this target.
func (e *encoding) drop(path string) { e.dropped = append(e.dropped, path) }

// refuseSet refuses a setting that the target has not.
func (e *encoding) refuseSet(settings ...setting) {
	for _, s := range settings {
		if s.isSet() {
			e.refuse(s.path, string(e.to)+" has none", "leave it out, or route to a target of the caller's dialect")
		}
	}
}

// everywhere is each path once, without the numbers in it: a long conversation
// says the same thing in every message.
func everywhere(paths []string) []string {
	for i, p := range paths {
		paths[i] = strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return -1
			}
			return r
		}, p)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// marshal writes v without escaping HTML: the escapes would cost tokens in no
// model and bytes in every prompt.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	if err := w.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
