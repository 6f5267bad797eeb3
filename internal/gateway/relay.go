package gateway

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/meter"
)

// errTrailer is why an answer that is whole is not waited for any longer.
var errTrailer = errors.New("nothing more came after the finish reason")

// relay passes an answer on until its end. Without a cause the caller has all
// of it.
func (a *attempt) relay() *cause {
	c := a.stream()
	if c == nil && a.leaving.on.Load() {
		c = a.cutOff()
	}
	return c
}

// stream is the loop of a relay: one write and one flush for each read that
// brings whole events.
func (a *attempt) stream() *cause {
	f := &a.flow
	for {
		_, err := f.window.read(a.resp.Body)
		if err != nil || f.done {
			f.closeEvent()
		}
		if f.committed && !a.flush() {
			if a.leave(); !a.leaving.on.Load() {
				return a.cutOff()
			}
		}
		switch {
		case f.failed != nil, f.parted, f.untold:
			return a.broken()
		case f.done:
			return a.complete()
		case err != nil:
			return a.over()
		case len(f.window.rest()) > a.plant.bounds.Event:
			return a.tooLong()
		}
		a.awaitTrailer()
	}
}

// awaitTrailer bounds the time for what follows the last finish reason. How many
// there will be is not known where several prompts were sent at once.
func (a *attempt) awaitTrailer() {
	f := &a.flow
	several := a.name == journal.TextCompletion && bytes.HasPrefix(a.asked.Prompt, []byte("["))
	if f.ends.n >= a.asked.N && a.site.Trailer > 0 && f.trailer == nil && !several {
		f.trailer = time.AfterFunc(a.site.Trailer, func() { a.cancel(errTrailer) })
	}
}

// recycle gives back what the flow has borrowed.
func (a *attempt) recycle() {
	if t := a.flow.trailer; t != nil {
		t.Stop()
	}
	if w := a.flow.window; w != nil {
		w.reset()
		a.server.buffers.Put(w)
		a.flow.window = nil
	}
}

// closeEvent ends the last event where the target left out its blank line, or
// where the LF of its CRLF is not waited for.
func (f *flow) closeEvent() {
	w := f.window
	switch ready := w.ready(); {
	case len(ready) == 0:
	case len(w.rest()) == 0 && !endsEvent(ready):
		w.put(w.whole, []byte("\n\n"))
	case f.done && ready[len(ready)-1] == '\r':
		w.put(w.whole, []byte("\n"))
	}
}

func endsEvent(b []byte) bool {
	for _, end := range []string{"\n\n", "\n\r", "\r\r", "\n\r\n", "\r\r\n"} {
		if len(b) >= len(end) && string(b[len(b)-len(end):]) == end {
			return true
		}
	}
	return false
}

// flush has what is ready go down. It is false if the caller did not take it.
func (a *attempt) flush() bool {
	f := &a.flow
	if !f.begun {
		f.begun = true
		a.leaving.began.Store(true)
		a.down.start(a.contentType(), a.sayWho)
		a.record.Target = a.target.Name
	}
	if !f.done {
		f.window.comments()
	}
	err := a.down.write(f.window.ready())
	f.window.done()
	a.firstOutput()
	return err == nil
}

// firstOutput notes when the caller got the first output.
func (a *attempt) firstOutput() {
	if a.flow.kinds.Output() && !a.record.TTFT.Known() {
		a.record.TTFT = a.since(time.Now())
	}
}

// contentType is the target's where its bytes pass.
func (a *attempt) contentType() string {
	if t := a.resp.Header.Get("Content-Type"); t != "" && a.passes(a.target) {
		return t
	}
	return "text/event-stream; charset=utf-8"
}

// sayWho sets the headers that tell who answered.
func (a *attempt) sayWho(h http.Header) {
	h.Set("X-Weir-Target", a.target.Name)
	h.Set("X-Weir-Attempts", strconv.Itoa(len(a.record.Attempts)+1))
	now := time.Now()
	h.Set("Server-Timing", "total;dur="+millis(now.Sub(a.arrived))+", target;dur="+millis(now.Sub(a.began)))
	if id := a.resp.Header.Get("X-Request-Id"); id != "" && a.passes(a.target) {
		h.Set("X-Request-Id", a.plant.redact(id))
	}
}

func millis(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64)
}

// complete is for an answer whose terminal event has come.
func (a *attempt) complete() *cause {
	a.finish()
	return nil
}

// over judges an answer whose body has ended, in whatever way.
func (a *attempt) over() *cause {
	f := &a.flow
	a.finish()
	e := &a.ended
	whole := e.outcome == weir.OK || e.outcome == weir.Malformed && f.ends.n > 0 && f.broken > 0
	if !whole || f.seam != nil && !f.seam.crossed {
		return a.failure(true)
	}
	a.named(nil)
	end := f.ending(a)
	if f.foreign != nil && saysError(end) {
		f.untold = true
		return a.failure(true)
	}
	f.committed = true // an answer without output is one, if it ends well
	f.window.closeWith(end)
	if !a.flush() {
		return a.cutOff()
	}
	return nil
}

// ending is what the target left out at the end of a whole answer.
func (f *flow) ending(a *attempt) []byte {
	switch {
	case f.done:
		return nil
	case f.foreign != nil:
		return f.foreign.End(nil, nil)
	case a.dialect == weir.Anthropic:
		return []byte("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
	case a.dialect == weir.OpenAIChat, a.dialect == weir.OpenAICompletions:
		return []byte("data: [DONE]\n\n")
	}
	return nil
}

// broken is for an answer with an error event in it, or one that does not go on
// as the one before it broke off.
func (a *attempt) broken() *cause {
	if a.flow.failed == nil {
		a.cancel(meter.ErrAbandoned)
	}
	a.finish()
	return a.failure(true)
}

// cutOff is for a caller that has left, or does not read.
func (a *attempt) cutOff() *cause {
	a.cancel(a.down.fault()) // if it has not ended
	a.finish()
	c := a.failure(true)
	c.outcome, c.errorType = weir.Canceled, ""
	return c
}

// tooLong is for an event that has no end.
func (a *attempt) tooLong() *cause {
	a.cancel(meter.ErrAbandoned)
	a.finish()
	c := a.failure(true)
	c.outcome, c.errorType = weir.Malformed, "event_too_long"
	return c
}
