package faults

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// quote writes a JSON string.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a form
	}
	return string(b)
}

func brokenEvent() fault {
	const tenth = 9
	return fault{
		id: "S10", what: "tenth event is invalid JSON", want: "survives in place, whole answer",
		serve: func(e *exchange) error {
			if err := e.begin(tenth - 1); err != nil { // the role event was the first
				return err
			}
			if err := e.raw(`data: {"id":"chatcmpl-wall","choices":[{"index":0,"delta":{"content":"`); err != nil {
				return err
			}
			return e.end(tenth - 1)
		},
		whole: func(e *exchange) error {
			return e.json(http.StatusOK, []byte(`{"id":"chatcmpl-wall","choices":[{"index":0,"message":`))
		},
		judge: func(r *ruling, s sight) {
			r.advise(len(s.fallback()) == 0, "the fallback was asked; the target's own answer was whole")
		},
	}
}

func noDone() fault {
	const prompt = 2 * time.Second
	return fault{
		id: "S11", what: "no [DONE]", want: "finalises promptly, usage reported",
		serve: func(e *exchange) error {
			if err := e.begin(Tokens); err != nil {
				return err
			}
			return e.finish()
		},
		whole: (*exchange).healthy,
		cases: []ask{{usage: true}},
		judge: func(r *ruling, s sight) {
			if s.Ended != Whole {
				return
			}
			r.advise(s.Done, "passed on without the terminal event")
			r.advise(s.tail() <= s.scale(prompt)+slack, "ended %v after the last token, at most %v", s.tail(), s.scale(prompt))
			r.advise(s.Usage.Completion.Known(), "usage was asked for and is not there")
		},
	}
}

func errorFirst() fault {
	inside := request.Problem{Status: http.StatusInternalServerError, Message: "the wall failed inside a 200"}
	return fault{
		id: "W01", what: "200 then an error event before any output", want: "fails over",
		serve: func(e *exchange) error {
			if err := e.open(); err != nil {
				return err
			}
			if err := e.wait(gap); err != nil {
				return err
			}
			return e.send(e.stream.AppendError(nil, inside, request.With{}))
		},
		whole: func(e *exchange) error {
			return e.json(http.StatusOK, request.AppendProblem(nil, e.asked.Dialect, inside))
		},
	}
}

const variantHTML = "html"

func noStream() fault {
	const page = "<!doctype html>\n<html><head><title>502 Bad Gateway</title></head>\n<body><h1>502 Bad Gateway</h1></body></html>\n"
	return fault{
		id: "W03", what: "200 with a JSON error body / HTML page under text/event-stream", want: "fails over",
		serve: func(e *exchange) error {
			body := request.AppendProblem(nil, e.asked.Dialect, request.Problem{Status: http.StatusInternalServerError, Message: "the wall has no stream"})
			if e.mark.Variant == variantHTML {
				body = []byte(page)
			}
			if err := e.head(http.StatusOK, eventStream); err != nil {
				return err
			}
			return e.send(body)
		},
		cases: []ask{{variant: "json-error"}, {variant: variantHTML}},
	}
}

// The ways of W08.
const (
	variantUnsaid = "gzip-unsaid" // gzip without a Content-Encoding
	variantLied   = "gzip-lied"   // Content-Encoding: gzip, and it is not
	variantError  = "error-1mib"
	variantLine   = "line-2mib"
)

// maxErrorShown is how much of an error a caller need be shown.
const maxErrorShown = 64 << 10

func encodings() fault {
	return fault{
		id: "W08", what: "gzip body with wrong or missing header, 1 MiB error body, 2 MiB line", want: "bounded, clear",
		serve: serveEncodings,
		cases: []ask{{variant: variantUnsaid}, {variant: variantLied}, {variant: variantError}, {variant: variantLine}},
		judge: func(r *ruling, s sight) {
			if s.Ended != Failed {
				return
			}
			if s.Bytes > maxErrorShown {
				r.require(false, "an error of %d bytes reached the caller, at most %d", s.Bytes, maxErrorShown)
				return
			}
			r.pass("a clear error of %d bytes", s.Bytes)
		},
	}
}

func serveEncodings(e *exchange) error {
	switch e.mark.Variant {
	case variantError:
		return e.refuse(request.Problem{Status: http.StatusServiceUnavailable, Message: strings.Repeat("the wall is down; ", 1<<20/18)})
	case variantLine:
		if err := e.begin(cutAt); err != nil {
			return err
		}
		if err := e.raw(`data: {"id":%q,"object":"chat.completion.chunk","model":%q,"choices":[],"padding":%q}`, e.stream.ID, e.stream.Model, strings.Repeat("x", 2<<20)); err != nil {
			return err
		}
		return e.end(cutAt)
	case variantLied:
		e.w.Header().Set("Content-Encoding", "gzip")
		return e.healthy()
	}
	return e.zipped()
}

// zipped sends the healthy stream as gzip and does not say so.
func (e *exchange) zipped() error {
	if err := e.head(http.StatusOK, eventStream); err != nil {
		return err
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	put := func(p []byte) error {
		if _, err := z.Write(p); err != nil {
			return fmt.Errorf("gzip: %w", err)
		}
		if err := z.Flush(); err != nil {
			return fmt.Errorf("gzip: %w", err)
		}
		p = bytes.Clone(out.Bytes())
		out.Reset()
		return e.send(p)
	}
	if err := put(e.stream.AppendOpening(nil, e.withUsage())); err != nil {
		return err
	}
	for _, t := range e.words {
		if err := e.wait(gap); err != nil {
			return err
		}
		if err := put(e.stream.AppendDelta(nil, request.Text, t, request.With{})); err != nil {
			return err
		}
	}
	last := e.stream.AppendFinish(nil, request.FinishStop, e.withUsage())
	if err := put(e.stream.AppendDone(last, request.With{})); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("gzip: %w", err)
	}
	return e.send(out.Bytes())
}

// The ways of W09.
const (
	usageEvery   = "every"
	usageNone    = "none"
	usageChoices = "choices"
	usageZeros   = "zeros"
)

func usageForms() fault {
	return fault{
		id: "W09", what: "usage on every event, none at all, inside choices, zeros first", want: "right totals",
		serve: serveUsage,
		cases: []ask{{variant: usageEvery, usage: true}, {variant: usageNone, usage: true}, {variant: usageChoices, usage: true}, {variant: usageZeros, usage: true}},
		judge: func(r *ruling, s sight) {
			if s.Ended != Whole || len(s.faulty()) == 0 {
				return
			}
			if s.Variant == usageNone {
				r.require(s.Usage.Completion != weir.Some(0), "no usage was reported, and the caller is told 0 tokens")
				if s.Usage.Reported() {
					r.note("no usage was reported; the caller is told %s", counts(s.Usage))
				}
				return
			}
			a := s.faulty()[len(s.faulty())-1]
			r.require(s.Usage.Prompt == a.Prompt && s.Usage.Completion == a.Completion, "said %s; it was %s", counts(s.Usage), counts(weir.Usage{Prompt: a.Prompt, Completion: a.Completion}))
		},
	}
}

func serveUsage(e *exchange) error {
	if e.asked.Dialect == weir.Anthropic || !e.asked.Stream {
		return e.healthy()
	}
	if err := e.open(); err != nil {
		return err
	}
	sofar := weir.Usage{Prompt: e.usage.Prompt}
	for i, t := range e.words {
		if err := e.wait(gap); err != nil {
			return err
		}
		w := request.With{}
		switch e.mark.Variant {
		case usageEvery, "":
			sofar.Completion = weir.Some(i + 1)
			w.Usage = &sofar
		case usageZeros:
			w.Usage = &weir.Usage{Prompt: weir.Some(0), Completion: weir.Some(0)}
		}
		if err := e.token(t, w); err != nil {
			return err
		}
	}
	if e.mark.Variant == usageNone {
		if err := e.send(e.stream.AppendFinish(nil, request.FinishStop, request.With{})); err != nil {
			return err
		}
		return e.done()
	}
	e.reported()
	if e.mark.Variant == usageChoices {
		const form = `data: {"id":%q,"object":"chat.completion.chunk","created":%d,"model":%q,"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}]}`
		in, out := e.usage.Prompt.Or(0), e.usage.Completion.Or(0)
		if err := e.raw(form, e.stream.ID, e.stream.Created, e.stream.Model, in, out, in+out); err != nil {
			return err
		}
		return e.done()
	}
	if err := e.finish(); err != nil {
		return err
	}
	return e.done()
}
