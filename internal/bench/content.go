package bench

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
)

// Content is what one call asked and what it was answered. It is gathered only
// where Config.OnContent is set, and what it holds may be personal.
type Content struct {
	ID      string          // of the call's trace
	Target  int             // index into Config.Targets
	Request json.RawMessage // the body as it was sent; headers are not kept

	Answered bool           // there is an answer, whole or not
	Answer   dialect.Answer // what came of it
	Finish   string         // why choice 0 ended, as sent

	// RawError is what came in place of an answer, or the event in which a stream
	// said that it failed or that was not to be read; nil: nothing of either.
	RawError []byte
}

// maxContent bounds what is kept of an answer; what is kept of an error is
// bounded by maxAnswer.
const maxContent = 8 << 20

// recording gathers a call's content, beside its trace. It reads the body once
// more, after the meter has stamped it, so that the meter waits for nothing; it
// is completed by the collector.
type recording struct {
	content Content
	reader  *dialect.Reader // nil: there was no response
	body    io.ReadCloser
	head    []byte // the body's first bytes, until output comes
	heard   int
	output  bool
	end     error // how the body ended; nil: it was left
}

var contentReaders = sync.Pool{New: func() any { return new(dialect.Reader) }}

// record begins a recording, where anybody wants one.
func (p *phase) record(request []byte) *recording {
	if p.OnContent == nil {
		return nil
	}
	return &recording{content: Content{Target: p.index, Request: request, Answer: dialect.Answer{Limit: maxContent}}}
}

// hear lets a recording, if there is one, read with those who read the body.
func (p *phase) hear(rec *recording, resp *http.Response) {
	if rec == nil {
		return
	}
	rec.reader = contentReaders.Get().(*dialect.Reader)
	rec.reader.Reset(dialect.Options{
		Dialect: p.Dialect, Stream: !p.Work.NoStream, Status: resp.StatusCode, Header: resp.Header,
		Answer: &rec.content.Answer, OnEvent: rec.event,
	})
	rec.body, resp.Body = resp.Body, rec
}

// keep hands a recording, if there is one, to the collector.
func (p *phase) keep(rec *recording, trace *weir.Trace) {
	if rec == nil || trace == nil {
		return
	}
	rec.content.ID = trace.ID
	p.took.addContent(rec)
}

// Read implements io.Reader.
func (r *recording) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	r.heard += n
	if !r.output {
		r.head = append(r.head, p[:min(n, maxAnswer-len(r.head))]...)
	}
	r.reader.Feed(p[:n], weir.Stamp{})
	if err != nil {
		r.end = err
	}
	return n, err
}

// Close implements io.Closer.
func (r *recording) Close() error { return r.body.Close() }

func (r *recording) event(tick weir.Tick, _, data []byte) {
	if tick.Kind.Output() {
		r.output, r.head = true, nil
	}
	if tick.Kind&(weir.TickError|weir.TickBroken) != 0 && r.content.RawError == nil {
		r.content.RawError = bytes.Clone(data[:min(len(data), maxAnswer)])
	}
}

// size is about what it holds in memory.
func (r *recording) size() int { return len(r.content.Request) + r.heard }

// complete ends the recording.
func (r *recording) complete() *Content {
	c := &r.content
	if r.reader == nil {
		return c
	}
	if r.end == nil {
		r.end = io.ErrUnexpectedEOF
	}
	res := r.reader.End(r.end)
	r.reader.Reset(dialect.Options{}) // it is to hold nothing of the call
	contentReaders.Put(r.reader)
	r.reader, c.Finish = nil, res.Finish
	c.Answered = len(c.Answer.Choices) > 0 || c.Finish != ""
	if c.RawError == nil && !c.Answered && res.Outcome != weir.OK && len(r.head) > 0 {
		c.RawError = r.head
	}
	return c
}

// redact takes secrets out of all of it.
func (c *Content) redact(f func(string) string) {
	clean := func(b *[]byte) {
		if s := string(*b); len(s) > 0 {
			*b = []byte(f(s))
		}
	}
	clean((*[]byte)(&c.Request))
	if !json.Valid(c.Request) { // what was taken out was no text
		c.Request = json.RawMessage(`"redacted"`)
	}
	clean(&c.RawError)
	c.Finish = f(c.Finish)
	for _, one := range c.Answer.Choices {
		clean(&one.Text)
		clean(&one.Reasoning)
		clean(&one.Refusal)
		for _, call := range one.Calls {
			call.ID = f(call.ID)
			clean(&call.Name)
			clean(&call.Arguments)
		}
	}
}

// deliver gives a call's content to whoever asked for it.
func (r *run) deliver(rec *recording) {
	c := rec.complete()
	if r.Redact != nil {
		c.redact(r.Redact)
	}
	r.OnContent(c)
}
