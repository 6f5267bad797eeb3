package gateway

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
	"weir.dev/weir/internal/splice"
	"weir.dev/weir/internal/translate"
	"weir.dev/weir/meter"
)

// whole takes in an answer that is not streamed, and passes it on once it has
// all of it.
func (a *attempt) whole() *cause {
	body, c := a.wholeBody()
	if c != nil {
		return c
	}
	if a.reads == "" { // nobody has looked into it
		a.ended.usage.Prompt = promptIn(body)
		if v := dialect.Classify(a.resp.StatusCode, a.resp.Header, body); v.Outcome != weir.OK {
			a.ended.outcome, a.ended.errorType, a.ended.errorText = v.Outcome, a.plant.redact(v.ErrorType), a.plant.redact(v.Message)
		}
	}
	if a.ended.outcome != weir.OK {
		c := a.failure(true)
		c.inBand(body, a.resp.Header)
		c.errorType, c.message = a.plant.redact(c.errorType), a.plant.redact(c.message)
		return c
	}
	return a.send(body)
}

func (a *attempt) wholeBody() ([]byte, *cause) {
	limit := int64(a.plant.bounds.Answer)
	var b bytes.Buffer
	if n := a.resp.ContentLength; n > 0 && n <= limit {
		b.Grow(int(n) + bytes.MinRead)
	}
	_, err := b.ReadFrom(io.LimitReader(a.resp.Body, limit+1))
	if int64(b.Len()) > limit {
		a.cancel(meter.ErrAbandoned)
		a.finish()
		c := a.failure(true)
		c.outcome, c.errorType = weir.Malformed, "body_too_long"
		return nil, c
	}
	a.finish()
	if err != nil && !errors.Is(err, io.EOF) && a.ended.outcome == weir.OK {
		a.ended.outcome = weir.Truncated
	}
	return b.Bytes(), nil
}

// send gives the caller the answer.
func (a *attempt) send(body []byte) *cause {
	kind := "application/json"
	if a.passes(a.target) {
		if t := a.resp.Header.Get("Content-Type"); t != "" {
			kind = t
		}
		edit := splice.Events{Model: a.target.Model}
		if a.site.RewriteModel {
			edit.Model, edit.Rewrite = a.site.name, true
		}
		body, _ = edit.Edit(body)
	} else {
		told, err := translate.Whole(a.target.Dialect, a.dialect, body, a.answerOptions())
		if err != nil {
			c := a.failure(true)
			c.outcome, c.errorType, c.message = weir.Malformed, translate.BadAnswer, err.Error()
			return c
		}
		body = told
	}
	a.pinResponse(body)
	h := a.w.Header()
	a.sayWho(h)
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	before := time.Now()
	a.record.Held, a.record.Target, a.record.Status = a.since(before), a.target.Name, weir.Some(a.resp.StatusCode)
	a.w.WriteHeader(a.resp.StatusCode)
	err := a.writeAll(body)
	a.record.TTFT = a.since(time.Now())
	a.record.Backpressure = weir.SpanOf(time.Since(before))
	if err != nil {
		c := a.failure(true)
		c.outcome, c.committed = weir.Canceled, true
		return c
	}
	return nil
}

// pieceSize is what is written at a time: a caller that reads slowly has the
// limit of a write for each piece.
const pieceSize = 64 << 10

func (a *attempt) writeAll(body []byte) error {
	control := http.NewResponseController(a.w)
	for piece := range slices.Chunk(body, pieceSize) {
		if a.site.Write > 0 {
			_ = control.SetWriteDeadline(time.Now().Add(a.site.Write)) // a writer without deadlines is a test's
		}
		if _, err := a.w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// promptIn is the prompt's length as an answer without output reports it.
func promptIn(body []byte) weir.Opt[int] {
	var outer, usage splice.Object
	if splice.Scan(body, &outer, "usage") != nil {
		return weir.None[int]()
	}
	raw, ok := outer.Raw("usage")
	if !ok || splice.Scan(raw, &usage, "prompt_tokens") != nil {
		return weir.None[int]()
	}
	n, ok := usage.Int("prompt_tokens")
	if !ok || n < 0 {
		return weir.None[int]()
	}
	return weir.Some(n)
}
