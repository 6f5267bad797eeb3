package gateway

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/splice"
	"weir.dev/weir/internal/translate"
)

// allowed are the headers of a caller that go on to a target that speaks its
// dialect. All others stay here: keys and cookies, what is between two hops
// only, and what is ours.
func allowed() []string {
	return []string{"Anthropic-Version", "Anthropic-Beta", "Openai-Beta", "Traceparent", "Tracestate", "Idempotency-Key"}
}

// allowedAnywhere are those that mean the same in every dialect.
func allowedAnywhere() []string { return []string{"Traceparent", "Tracestate", "Idempotency-Key"} }

// passes tells whether a target takes the caller's body as it is.
func (x *exchange) passes(t *target) bool {
	if x.name == journal.Embeddings || x.name == journal.TextCompletion {
		return speaksOpenAI(t.Dialect)
	}
	return x.dialect == t.Dialect
}

// outgoing is the request to a target. It does not hold the target's key.
func (x *exchange) outgoing(ctx context.Context, t *target, w writing) (*http.Request, error) {
	write := x.splice
	if !x.passes(t) {
		write = x.translate
	}
	to, body, err := write(t, w)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url, bytes.NewReader(body))
	if err != nil {
		return nil, &weir.Error{Code: "bad_target", Message: "target " + t.Name + " cannot be asked"} // the cause holds its URL
	}
	r.Header = maps.Clone(to.header)
	carry := allowedAnywhere()
	if x.passes(t) {
		carry = allowed()
	}
	for _, name := range carry {
		if v := x.r.Header[name]; len(v) > 0 && !endsHere(x.r.Header, name) {
			r.Header[name] = v[:1]
		}
	}
	return r, nil
}

// endsHere tells whether the caller meant a header for this hop only.
func endsHere(h http.Header, name string) bool {
	for _, list := range h["Connection"] {
		for one := range strings.SplitSeq(list, ",") {
			if strings.EqualFold(strings.TrimSpace(one), name) {
				return true
			}
		}
	}
	return false
}

// writing is how a request is written, beyond what the caller and the target
// determine.
type writing struct {
	prefill []byte // text that the answer is to begin with; nil: none
}

// splice is the caller's body with the target's name of the model in it, and
// usage asked for. Every other byte is as it was: prompt caches hash them.
func (x *exchange) splice(t *target, w writing) (endpoint, []byte, error) {
	to := t.wholes
	if x.asked.Stream {
		to = t.streams
	}
	if x.path != "/messages" {
		to = to.at(x.path)
	}
	var edits splice.Edits
	if x.model != t.Model || !x.asked.Sole("model") { // another spelling of it may be what the target reads
		edits.SetString("model", t.Model)
	}
	if x.addsUsage(t) {
		edits.SetIn("stream_options", "include_usage", []byte("true"))
	} else if _, has := x.asked.Raw("stream_options"); has && t.refusesUsage.Load() {
		edits.Remove("stream_options")
	}
	if edits.Len() == 0 && w.prefill == nil {
		return to, x.body, nil
	}
	body, err := edits.AppendTo(nil, &x.asked.Object)
	if err == nil && w.prefill != nil {
		body, err = translate.Continue(x.dialect, body, string(w.prefill))
	}
	return to, body, err
}

// addsUsage tells whether usage is asked for that the caller did not ask for.
func (x *exchange) addsUsage(t *target) bool {
	choice := x.dialect == weir.OpenAIChat || x.dialect == weir.OpenAICompletions
	return choice && x.asked.Stream && !x.asked.IncludeUsage && !t.refusesUsage.Load()
}

// translate is the caller's request in the target's dialect.
func (x *exchange) translate(t *target, w writing) (endpoint, []byte, error) {
	out, err := translate.Request(x.dialect, t.Dialect, x.body, translate.RequestOptions{
		URL: t.URL, Model: t.Model, NewTokensName: t.MaxTokensName, NoStreamOptions: t.refusesUsage.Load(), Prefill: t.Prefill,
	})
	if err != nil {
		return endpoint{}, nil, err
	}
	to := t.wholes
	if x.asked.Stream {
		to = t.streams
	}
	return endpoint{out.URL, to.header}, out.Body, nil
}
