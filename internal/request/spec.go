package request

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"

	"weir.dev/weir"
)

// Spec is what to ask, without a dialect. Model and Messages are needed.
type Spec struct {
	Model    string
	System   string // empty: none is sent
	Messages []Message

	MaxTokens       int               // most output tokens; 0: not sent, except that Anthropic needs one and gets DefaultMaxTokens
	Temperature     weir.Opt[float64] // not sent where unknown
	ReasoningEffort string            // "", "low", "medium", "high" or what the provider has beside them
	IgnoreEOS       bool              // generate exactly MaxTokens; only sent in the OpenAI chat and completions dialects, where vLLM and its kin know it
	Stream          bool

	Extra   map[string]json.RawMessage // top-level body fields; they replace ours of the same name
	Headers http.Header                // they replace ours of the same name; never secrets
}

// DefaultMaxTokens is sent to Anthropic, which needs a limit, when a Spec has none.
const DefaultMaxTokens = 4096

// Encoded is a request that is ready to send by POST. It holds no key.
type Encoded struct {
	URL    string
	Body   []byte
	Header http.Header
}

// Encode writes s in the dialect d, in the way that l, which may be nil, has
// learned. base is the URL of a host, of an API (http://h/v1) or of the full
// path.
//
// The order of the body's fields is fixed, since prompt caches may hash bytes:
// model, the prompt (the system's text first), limits and sampling, then stream
// and its options, then what Extra adds, by name.
func Encode(base string, d weir.Dialect, s Spec, l *Learned) (*Encoded, error) {
	if err := s.check(d); err != nil {
		return nil, err
	}
	u, err := URL(base, d, s.Model, s.Stream)
	if err != nil {
		return nil, err
	}
	body, err := encodeBody(d, s, l)
	if err != nil {
		return nil, err
	}
	return &Encoded{URL: u, Body: body, Header: s.header(d)}, nil
}

func encodeBody(d weir.Dialect, s Spec, l *Learned) ([]byte, error) {
	k := l.known()
	var f fields
	switch d {
	case weir.OpenAIChat:
		f = chatFields(s, k)
	case weir.OpenAICompletions:
		f = completionsFields(s, k)
	case weir.OpenAIResponses:
		f = responsesFields(s, k)
	case weir.Anthropic:
		f = anthropicFields(s, k)
	case weir.Gemini:
		f = geminiFields(s, k)
	case weir.Ollama:
		f = ollamaFields(s, k)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Extra)) {
		f.replace(name, s.Extra[name])
	}
	return f.encode()
}

// Header is what a request has beside its key.
func Header(d weir.Dialect, stream bool) http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	if stream {
		h.Set("Accept", "text/event-stream")
		if d == weir.Ollama {
			h.Set("Accept", "application/x-ndjson")
		}
		// Compression merges events.
		h.Set("Accept-Encoding", "identity")
	}
	if d == weir.Anthropic {
		h.Set("Anthropic-Version", "2023-06-01")
	}
	return h
}

func (s Spec) header(d weir.Dialect) http.Header {
	h := Header(d, s.Stream)
	for name, values := range s.Headers {
		h[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	return h
}

func (s Spec) check(d weir.Dialect) error {
	bad := func(what, hint string) error {
		return &weir.Error{Code: "bad_request_spec", Message: "request to " + string(d) + ": " + what, Hint: hint}
	}
	if parsed, ok := weir.ParseDialect(string(d)); !ok || parsed != d {
		return bad("unknown dialect", fmt.Sprintf("one of %v", weir.Dialects()))
	}
	switch t := s.Temperature.Or(0); {
	case s.Model == "":
		return bad("no model", "name the model as the provider does")
	case len(s.Messages) == 0:
		return bad("no messages", "give at least one message of the user")
	case s.MaxTokens < 0:
		return bad(fmt.Sprintf("max tokens %d", s.MaxTokens), "1 or more, or 0 for none")
	case math.IsNaN(t) || math.IsInf(t, 0) || t < 0:
		return bad(fmt.Sprintf("temperature %v", t), "a number from 0")
	case s.ReasoningEffort != "" && d == weir.OpenAICompletions:
		return bad("reasoning effort "+s.ReasoningEffort, "completions have none; use openai-chat, or an extra field")
	}
	for i, m := range s.Messages {
		if what, hint := m.flaw(d); what != "" {
			return bad(fmt.Sprintf("message %d %s", i, what), hint)
		}
	}
	if n := s.marks(); n > mostMarks && d == weir.Anthropic {
		return bad(fmt.Sprintf("%d cache marks", n), fmt.Sprintf("at most %d, that of the system's text included", mostMarks))
	}
	for name, value := range s.Extra {
		if !json.Valid(value) {
			return bad(fmt.Sprintf("extra field %q is not JSON", name), `a JSON value; a text needs its quotes: "..."`)
		}
	}
	return nil
}
