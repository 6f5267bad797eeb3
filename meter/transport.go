package meter

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
)

// DefaultStampError is how far a stamp taken after a read is off: waking up for
// the bytes, at the median on a machine that is not busy. It is the resolution
// of the stamps, not their worst case.
const DefaultStampError = 50 * time.Microsecond

// Transport measures every call made through Base and gives its trace to Sink.
// The zero value works, with a transport of its own and no sink. It is safe
// for concurrent use and must not be copied or changed after its first use.
type Transport struct {
	// Base makes the calls; nil means NewTransport(Options{}).
	Base http.RoundTripper
	// Sink receives each trace; nil drops them.
	Sink weir.Sink
	// Limits are the clocks of calls that bring none of their own.
	Limits Limits
	// LineCap is the longest line of a stream, in bytes; 0 means 16 MiB. A
	// longer one ends the measuring of that call (malformed), not the call.
	LineCap int
	// StampError is the resolution of the stamps; 0 means DefaultStampError.
	StampError time.Duration

	once    sync.Once
	own     http.RoundTripper
	traces  sync.Pool // *weir.Trace
	readers sync.Pool // *dialect.Reader
}

var _ http.RoundTripper = (*Transport)(nil)

// RoundTrip implements http.RoundTripper.
func (m *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	b := m.begin(r)
	c := &b.call
	resp, err := m.base().RoundTrip(c.request(r))
	switch {
	case err != nil:
		if resp != nil && resp.Body != nil {
			_ = resp.Body.Close()
		}
		return nil, c.fail(err)
	case resp == nil:
		return nil, c.fail(errNothing)
	case resp.StatusCode == http.StatusSwitchingProtocols:
		c.handOver(resp)
		return resp, nil
	case resp.Body == nil:
		resp.Body = http.NoBody
	}
	c.decode(resp)
	b.head(resp)
	return resp, nil
}

// CloseIdleConnections lets http.Client close the connections of Base.
func (m *Transport) CloseIdleConnections() {
	if b, ok := m.base().(interface{ CloseIdleConnections() }); ok {
		b.CloseIdleConnections()
	}
}

func (m *Transport) base() http.RoundTripper {
	if m.Base != nil {
		return m.Base
	}
	m.once.Do(func() { m.own = NewTransport(Options{}) })
	return m.own
}

// call is one call under way.
type call struct {
	m      *Transport
	t      *weir.Trace
	ctx    context.Context
	cancel context.CancelCauseFunc
	phases phases
	watch  *watch
	sink   weir.Sink

	dialect weir.Dialect
	onEvent func(Event)
	answer  *dialect.Answer
	asked   dialect.Asked
	known   bool // asked could be read
}

func (m *Transport) begin(r *http.Request) *tap {
	say := callFrom(r.Context())
	b := &tap{call: call{m: m, t: m.newTrace(), dialect: say.Dialect, sink: say.Sink, onEvent: say.OnEvent, answer: say.Answer}}
	c := &b.call
	if c.dialect == "" {
		c.dialect, _ = dialect.FromPath(r.URL.Path)
	}
	c.peek(r, say)
	t := c.t
	t.ID, t.Kind = ulid.Make().String(), say.Kind
	t.Target, t.Model, t.Vantage, t.WorkloadID = say.Target, say.Model, say.Vantage, say.WorkloadID
	t.Warmup, t.AskedTokens = say.Warmup, say.AskedTokens
	if t.Kind == "" {
		t.Kind = weir.Live
	}
	if t.Target == "" {
		t.Target = r.URL.Host
	}
	if t.Model == "" {
		t.Model = c.asked.Model
	}
	if t.StampError = weir.Dur(m.StampError); t.StampError == 0 {
		t.StampError = weir.Dur(DefaultStampError)
	}
	limits := m.Limits
	if say.Limits != nil {
		limits = *say.Limits
	}
	c.ctx, c.cancel = context.WithCancelCause(r.Context())
	t.Sent = time.Now()
	if t.Due = say.Due; t.Due.IsZero() {
		t.Due = t.Sent
	}
	c.watch = newWatch(limits, t.Sent, c.cancel, b.silence)
	return b
}

// maxPeek is how much of a request's body is read to see what it asks for.
const maxPeek = 32 << 20

// peek finds what the request asks for: its maker may have said it, else its
// body is read, where that can be had twice.
func (c *call) peek(r *http.Request, say Call) {
	if stream, ok := say.Stream.Get(); ok {
		c.asked, c.known = dialect.Asked{Stream: stream, MaxTokens: say.AskedTokens, IgnoreEOS: say.IgnoreEOS}, true
		return
	}
	if c.dialect == weir.Gemini { // it stands in the path
		c.asked.Stream, c.known = strings.Contains(r.URL.Path, ":stream"), true
		return
	}
	if r.GetBody == nil {
		return
	}
	body, err := r.GetBody()
	if err != nil {
		return
	}
	defer body.Close()
	b, err := io.ReadAll(io.LimitReader(body, maxPeek))
	if err != nil || len(b) == 0 {
		return
	}
	c.asked, c.known = dialect.PeekRequest(c.dialect, b), true
}

// request is what goes out: the caller's, in our context. Identity coding is
// asked for, since a compressor gathers events. An empty idempotency key is
// not sent; it tells net/http that it may send the request again when a kept
// connection proves dead before a byte of the response came.
func (c *call) request(r *http.Request) *http.Request {
	ctx := httptrace.WithClientTrace(c.ctx, c.phases.trace(c.watch))
	out := r.Clone(ctx)
	if out.Header == nil {
		out.Header = make(http.Header)
	}
	if out.Header.Get("Accept-Encoding") == "" {
		out.Header.Set("Accept-Encoding", "identity")
	}
	if _, has := out.Header["Idempotency-Key"]; !has && r.GetBody != nil {
		if _, has := out.Header["X-Idempotency-Key"]; !has {
			out.Header["X-Idempotency-Key"] = nil
		}
	}
	return out
}

// decode undoes a coding that the server chose although identity was asked
// for, as net/http does where it asked for gzip itself.
func (c *call) decode(resp *http.Response) {
	encoding := resp.Header.Get("Content-Encoding")
	if !dialect.Compressed(encoding) {
		return
	}
	c.t.Warn(weir.WarnCompressed)
	resp.Body = struct {
		io.Reader
		io.Closer
	}{dialect.Decoder(encoding, resp.Body), resp.Body}
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength, resp.Uncompressed = -1, true
}

var errNothing = errors.New("the base round tripper returned neither a response nor an error")

// handOver ends the measuring of a call whose connection now is its caller's.
func (c *call) handOver(resp *http.Response) {
	c.watch.stop()
	t := c.t
	t.Header = weir.SpanOf(time.Since(t.Sent))
	t.End, t.Status, t.Outcome = t.Header, resp.StatusCode, weir.OK
	c.phases.fill(t)
	c.emit()
}

// fail ends a call that has no response.
func (c *call) fail(err error) error {
	c.watch.stop()
	cause := context.Cause(c.ctx)
	t := c.t
	t.End = weir.SpanOf(time.Since(t.Sent))
	t.Outcome, t.ErrorType = failure(err, cause, c.phases.connected())
	if cause != nil {
		err = cause
	}
	t.ErrorText = err.Error()
	c.phases.fill(t)
	c.cancel(nil)
	c.emit()
	return err
}

func (m *Transport) newTrace() *weir.Trace {
	t, _ := m.traces.Get().(*weir.Trace)
	if t == nil {
		t = new(weir.Trace)
	}
	ticks := t.Ticks[:0]
	*t = weir.Trace{Ticks: ticks}
	t.OnRelease(m.recycle)
	return t
}

// maxKept is the largest tick buffer that is kept for another trace.
const maxKept = 1 << 16

func (m *Transport) recycle(t *weir.Trace) {
	if cap(t.Ticks) <= maxKept {
		m.traces.Put(t)
	}
}

// emit gives the trace away; it is not ours from then on.
func (c *call) emit() {
	sink := c.sink
	if sink == nil {
		sink = c.m.Sink
	}
	if sink == nil {
		sink = (*weir.Trace).Release
	}
	sink(c.t)
}
