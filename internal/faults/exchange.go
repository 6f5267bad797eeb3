package faults

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
)

// The ways an answer ends that are no healthy end.
var (
	errLeft = errors.New("the caller left")
	errCut  = errors.New("cut on purpose") // the connection is to be dropped without an end
)

// exchange is one attempt that is being answered. Its methods send a piece each;
// they wait at absolute instants, so that a late piece does not shift those
// after it, and return errLeft once the caller has left.
type exchange struct {
	wall    *Wall
	w       http.ResponseWriter
	ctx     context.Context
	conn    *connection // nil: the server was not made by Server
	fault   fault
	asked   request.Asked
	mark    mark
	marked  bool
	before  visits // of this fault in this run and case
	reused  bool   // the connection had carried a request before
	prefill string
	filled  bool // there is a prefill
	attempt *Attempt
	stream  request.Stream
	usage   weir.Usage
	due     time.Time // when the next piece may go
	words   []string
	buf     []byte
}

func (w *Wall) newExchange(rw http.ResponseWriter, r *http.Request, f fault, asked request.Asked, m mark, body []byte) *exchange {
	now := w.clock.Now()
	e := &exchange{wall: w, w: rw, ctx: r.Context(), fault: f, asked: asked, mark: m, marked: m.Run != "", due: now, words: tokens()}
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
		e.conn, e.reused = c, c.requests.Add(1) > 1
	}
	e.prefill, e.filled = prefill(body)
	e.before = w.memory.visit(e.key(body), now, e.idle())
	e.usage = weir.Usage{Prompt: weir.Some(asked.PromptTokens()), Completion: weir.Some(Tokens)}
	e.attempt = w.log.begin(Attempt{
		At: now.UTC(), Run: e.mark.Run, Cell: e.mark.Cell, Variant: e.mark.Variant, Fault: f.id,
		Model: asked.Model, Dialect: asked.Dialect, Protocol: r.Proto, Stream: asked.Stream, AsksUsage: asked.IncludeUsage,
		Prefill: e.filled, PromptChars: asked.PromptChars, BodyBytes: len(body), BodySHA256: bodyHash(body), RestSHA256: restHash(body),
		Idempotency: r.Header.Get("Idempotency-Key"), Credentials: credentials(e.mark.Run, r),
	})
	prefix := "chatcmpl-"
	if asked.Dialect == weir.Anthropic {
		prefix = "msg_"
	}
	e.stream = request.Stream{
		Dialect: asked.Dialect, ID: prefix + "wall-" + strconv.FormatInt(e.attempt.N, 10), Model: asked.Model,
		Created: now.Unix(), NullUsage: asked.IncludeUsage,
	}
	return e
}

// key is what the visits of a fault are counted by: the run and the case that a
// mark names, else the body, so that a retry is known as one. An outage is the
// whole model's.
func (e *exchange) key(body []byte) string {
	switch {
	case e.marked:
		return strings.Join([]string{e.fault.id, e.mark.Run, e.mark.Variant}, "/")
	case e.fault.outage > 0:
		return e.fault.id
	}
	return e.fault.id + "/" + bodyHash(body)
}

// idle is after which time without requests an outage without a mark begins anew.
func (e *exchange) idle() time.Duration {
	if e.marked {
		return 0
	}
	return e.mark.Profile.Scale(e.fault.outage)
}

// first tells whether a fault of the kind "once, then good" strikes. Without a
// mark there is no telling requests apart: every other attempt does.
func (e *exchange) first() bool {
	if e.marked {
		return e.before.n == 0
	}
	return e.before.n%2 == 0
}

// credentials lists what a request holds of secrets.
func credentials(run string, r *http.Request) []Credential {
	found := []Credential{}
	add := func(header, value string) {
		if value == "" || len(found) >= 16 {
			return
		}
		value = strings.TrimPrefix(value, "Bearer ")
		c := Credential{Header: header, SHA256: fingerprint(run, value)}
		if name, ok := strings.CutPrefix(value, targetKeyPrefix); ok && len(name) <= 32 {
			c.KeyFor = name
		}
		found = append(found, c)
	}
	for _, h := range secretHeaders() {
		for _, v := range r.Header.Values(h) {
			add(strings.ToLower(h), v)
		}
	}
	add("query:key", r.URL.Query().Get("key"))
	return found
}

// close enters the end in the log.
func (e *exchange) close(err error) {
	now := e.wall.clock.Now()
	e.record(func(a *Attempt) {
		a.Ended, a.CallerLeft = weir.SpanOf(now.Sub(a.At)), errors.Is(err, errLeft)
	})
	e.wall.slog.LogAttrs(e.ctx, slog.LevelDebug, "attempt", slog.Int64("n", e.attempt.N), slog.String("model", e.asked.Model),
		slog.String("cell", e.mark.Cell), slog.String("variant", e.mark.Variant), slog.Bool("caller_left", errors.Is(err, errLeft)))
}

func (e *exchange) record(f func(*Attempt)) { e.wall.log.change(e.attempt, f) }

// wait puts the next piece off by d of the profile's time.
func (e *exchange) wait(d time.Duration) error {
	e.due = e.due.Add(e.mark.Profile.Scale(d))
	if e.wall.clock.Until(e.ctx, e.due) != nil {
		return errLeft
	}
	return nil
}

// forever waits until the caller leaves.
func (e *exchange) forever() error {
	<-e.ctx.Done()
	return errLeft
}

// head sends status and headers at once.
func (e *exchange) head(status int, contentType string) error {
	e.w.Header().Set("Content-Type", contentType)
	e.w.Header().Set("Cache-Control", "no-cache")
	e.w.WriteHeader(status)
	e.record(func(a *Attempt) { a.Status = weir.Some(status) })
	return e.flush()
}

func (e *exchange) flush() error {
	if http.NewResponseController(e.w).Flush() != nil {
		return errLeft
	}
	return nil
}

// send writes bytes of the body.
func (e *exchange) send(p []byte) error {
	n, err := e.w.Write(p)
	e.record(func(a *Attempt) { a.Bytes += int64(n) })
	if err != nil || e.flush() != nil || e.ctx.Err() != nil {
		return errLeft
	}
	return nil
}

const eventStream = "text/event-stream; charset=utf-8"

// open sends the head of a stream and the role.
func (e *exchange) open() error {
	return errors.Join(e.head(http.StatusOK, eventStream), e.send(e.stream.AppendOpening(nil, e.withUsage())))
}

// withUsage is Anthropic's usage, which its opening and its finish have.
func (e *exchange) withUsage() request.With {
	if e.asked.Dialect != weir.Anthropic {
		return request.With{}
	}
	e.reported()
	return request.With{Usage: &e.usage}
}

func (e *exchange) reported() {
	e.record(func(a *Attempt) { a.Prompt, a.Completion = e.usage.Prompt, e.usage.Completion })
}

// tokens sends the tokens from (counted from 0) to (not included), one each gap.
func (e *exchange) tokens(from, to int, gap time.Duration) error {
	for _, t := range e.words[from:to] {
		if err := e.wait(gap); err != nil {
			return err
		}
		if err := e.token(t, request.With{}); err != nil {
			return err
		}
	}
	return nil
}

func (e *exchange) token(t string, w request.With) error {
	e.buf = e.stream.AppendDelta(e.buf[:0], request.Text, t, w)
	if err := e.send(e.buf); err != nil {
		return err
	}
	e.record(func(a *Attempt) { a.Tokens++ })
	return nil
}

// finish sends the finish reason, and the usage where it was asked for.
func (e *exchange) finish() error {
	e.buf = e.stream.AppendFinish(e.buf[:0], request.FinishStop, e.withUsage())
	if e.asked.IncludeUsage {
		e.reported()
		e.buf = e.stream.AppendUsage(e.buf, request.With{Usage: &e.usage})
	}
	return e.send(e.buf)
}

// done sends the terminal event.
func (e *exchange) done() error { return e.send(e.stream.AppendDone(nil, request.With{})) }

// begin opens a stream and sends its first n tokens.
func (e *exchange) begin(n int) error {
	if err := e.open(); err != nil {
		return err
	}
	return e.tokens(0, n, gap)
}

// end sends the tokens from the n-th on and ends the stream as it should.
func (e *exchange) end(n int) error {
	if err := e.tokens(n, Tokens, gap); err != nil {
		return err
	}
	if err := e.finish(); err != nil {
		return err
	}
	return e.done()
}

// healthy answers as a good provider does. It goes on after a prefill that is
// the beginning of Text, unless it takes the part of a provider that rejects
// any.
func (e *exchange) healthy() error {
	from := 0
	if e.filled {
		if e.mark.Cell == prefillRejected || strings.Contains(e.asked.Model, "no-prefill") {
			return e.refuse(request.Problem{Status: http.StatusBadRequest, Message: "prefill not supported: the last message must be the user's", Code: "invalid_prefill"})
		}
		if n := rightTokens(e.prefill); strings.Join(e.words[:n], "") == e.prefill {
			from = n
		}
		e.usage.Completion = weir.Some(Tokens - from)
	}
	if !e.asked.Stream {
		return e.healthyWhole(from)
	}
	if err := e.open(); err != nil {
		return err
	}
	return e.end(from)
}

// healthyWhole is the healthy answer in one JSON body.
func (e *exchange) healthyWhole(from int) error {
	if err := e.wait(time.Duration(Tokens-from) * gap); err != nil {
		return err
	}
	e.reported()
	e.record(func(a *Attempt) { a.Tokens = Tokens - from })
	return e.json(http.StatusOK, e.wholeBody(from))
}

func (e *exchange) wholeBody(from int) []byte {
	answer := request.Answer{Text: strings.Join(e.words[from:], ""), Finish: request.FinishStop}
	return e.stream.AppendWhole(nil, answer, request.With{Usage: &e.usage})
}

// json sends a JSON body whole.
func (e *exchange) json(status int, body []byte) error {
	e.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if err := e.head(status, "application/json"); err != nil {
		return err
	}
	return e.send(body)
}

// refuse answers with an error.
func (e *exchange) refuse(p request.Problem) error {
	return e.json(p.Status, request.AppendProblem(nil, e.asked.Dialect, p))
}

// unavailable is the plainest refusal.
func (e *exchange) unavailable() error {
	return e.refuse(request.Problem{Status: http.StatusServiceUnavailable, Message: "the wall is down for " + e.asked.Model})
}

// retryAfter says when to come back: in whole seconds as the standard has it,
// and to the millisecond as OpenAI does where seconds would say too much.
func (e *exchange) retryAfter(d time.Duration) {
	d = e.mark.Profile.Scale(d)
	e.w.Header().Set("Retry-After", strconv.Itoa(int((d+time.Second-1)/time.Second)))
	if d%time.Second != 0 {
		e.w.Header().Set("Retry-After-Ms", strconv.FormatInt(d.Milliseconds(), 10))
	}
}

// halfBody promises a whole JSON body, sends half of it and cuts.
func (e *exchange) halfBody() error {
	body := e.wholeBody(0)
	e.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if err := e.head(http.StatusOK, "application/json"); err != nil {
		return err
	}
	if err := e.send(body[:len(body)/2]); err != nil {
		return err
	}
	return errCut
}

// reset drops the connection with a reset where it is TCP's: what was sent and
// not yet read is lost with it.
func (e *exchange) reset() error {
	if e.conn == nil {
		return errCut
	}
	if tcp, ok := e.conn.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the end is a mere close
	}
	_ = e.conn.Close() // by then it is gone either way
	return errCut
}

// raw sends one event as it stands.
func (e *exchange) raw(format string, args ...any) error {
	return e.send(fmt.Appendf(nil, format+"\n\n", args...))
}
