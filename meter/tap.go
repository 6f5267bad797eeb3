package meter

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/dialect"
)

// tap reads a response's body for its caller and stamps what passes. It never
// changes a byte. As with any response body, Close may come while another
// goroutine is in Read.
//
// It begins with what every Read touches: at thousands of streams the cost of a
// Read is the memory it has to fetch.
type tap struct {
	mu      sync.Mutex
	inRead  bool
	output  bool // output has come
	seen    int32
	reader  *dialect.Reader // nil once the trace is finished
	body    io.ReadCloser
	start   time.Time     // the trace's Sent
	left    time.Duration // offset at which the last Read returned
	last    time.Duration // offset of the last byte
	away    time.Duration // longest time between two Reads
	gone    time.Duration // all time between Reads
	entered time.Duration // offset at which the Read under way began
	heard   time.Duration // waited in Reads since the last byte, the one under way apart
	told    time.Duration // waited in Reads since the last output, the one under way apart
	kernel  kernel
	err     error // what Read returns when the trace is finished

	call
}

// Bounds of the drain that keeps a connection alive when the caller stops at
// the terminal event.
const (
	drainBytes = 64 << 10
	drainTime  = 20 * time.Millisecond
)

// A reader that is away for longer than this makes a stamp a bound: the bytes
// may have come at any time since.
const boundedAfter = time.Millisecond

// A reader that is away for longer than this is said to hold the stream up.
const backpressureAfter = 10 * time.Millisecond

// maxPlanned is the largest answer for which room is made before it comes.
const maxPlanned = 4096

// head starts the reading of a response.
func (b *tap) head(resp *http.Response) {
	c := &b.call
	t := c.t
	t.Header = weir.SpanOf(time.Since(t.Sent)) // until httptrace knows better
	t.Status = resp.StatusCode
	t.RequestID = requestID(resp.Header)
	t.RateLimits = rateLimits(resp.Header)
	reader, _ := c.m.readers.Get().(*dialect.Reader)
	if reader == nil {
		reader = new(dialect.Reader)
	}
	reader.Ticks = t.Ticks
	if n := c.asked.MaxTokens + 8; cap(reader.Ticks) < n && n <= maxPlanned {
		reader.Ticks = make(weir.Ticks, 0, n) // append would end at twice as much
	}
	stream := c.asked.Stream
	if !c.known {
		stream = strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	}
	reader.Reset(dialect.Options{ // without a dialect only a stream is read, as what it looks like
		Dialect: c.dialect, Stream: stream, Status: resp.StatusCode, Header: resp.Header, LineCap: c.m.LineCap,
		AskedTokens: c.asked.MaxTokens, IgnoreEOS: c.asked.IgnoreEOS,
		Answer: c.answer, OnEvent: c.events(reader),
	})
	now := time.Since(t.Sent)
	b.mu.Lock()
	b.reader, b.body, b.start = reader, resp.Body, t.Sent
	b.left, b.last = now, now
	if resp.ProtoMajor == 1 { // an HTTP/2 connection reads for all its streams
		b.kernel = kernel{conn: c.phases.stamps(), wall: t.Sent.UnixNano()}
	}
	b.mu.Unlock()
	c.watch.again(silence{body: true})
	resp.Body = b
}

// events passes on what the reader understands; nil if nobody asked.
func (c *call) events(r *dialect.Reader) func(weir.Tick, []byte, []byte) {
	tell := c.onEvent
	if tell == nil {
		return nil
	}
	return func(tick weir.Tick, name, data []byte) { tell(Event{tick, name, data, r.Offset()}) }
}

// Read implements io.Reader.
func (b *tap) Read(p []byte) (int, error) {
	if err := b.enter(); err != nil {
		return 0, err
	}
	n, err := b.body.Read(p)
	now := time.Since(b.start)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inRead = false
	if b.reader == nil { // closed meanwhile
		return n, b.err
	}
	b.took(p[:n], now)
	if err == nil {
		return n, nil
	}
	if cause := context.Cause(b.ctx); cause != nil && !errors.Is(err, io.EOF) {
		b.finish(err, cause) // the cause says which clock it was
	} else {
		b.finish(err, err)
	}
	return n, b.err
}

func (b *tap) enter() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reader == nil {
		return b.err
	}
	b.inRead = true
	b.entered = time.Since(b.start)
	return nil
}

// took stamps what a Read brought.
func (b *tap) took(p []byte, now time.Duration) {
	gone, waited := b.entered-b.left, now-b.entered
	b.away = max(b.away, gone)
	b.gone += gone
	b.left = now
	b.heard, b.told = b.heard+waited, b.told+waited
	if len(p) == 0 {
		return
	}
	arrived, exact := b.arrival(p, gone, now)
	b.last, b.heard = arrived.At, 0
	b.reader.Feed(p, arrived)
	if n := len(b.reader.Ticks); exact && n > int(b.seen) {
		b.reader.Ticks[n-1].Lo = arrived.At
	}
	if !b.newOutput() {
		return
	}
	b.told = 0
	if !b.output {
		b.output = true
		b.watch.again(silence{body: true, output: true})
	}
}

// arrival is when the bytes came, and whether that is exact for the last event
// in them: by the kernel where it stamps, else when the read returned, or since
// the reader went away if it was away.
func (b *tap) arrival(p []byte, gone, now time.Duration) (weir.Stamp, bool) {
	if b.kernel.conn != nil {
		if s, exact, ok := b.kernel.stamp(p, now); ok {
			return s, exact
		}
	}
	s := weir.Exactly(now)
	if gone > boundedAfter {
		s.Lo = b.entered - gone
	}
	return s, false
}

// silence is what the watch asks for.
func (b *tap) silence(now time.Time) silence {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reader == nil {
		return silence{}
	}
	waiting := time.Duration(0)
	if b.inRead {
		waiting = now.Sub(b.start) - b.entered
	}
	return silence{body: true, output: b.output, noByte: b.heard + waiting, noOutput: b.told + waiting}
}

// newOutput tells whether the last bytes completed an output event.
func (b *tap) newOutput() bool {
	found := false
	for _, tick := range b.reader.Ticks[b.seen:] {
		found = found || tick.Kind.Output()
	}
	b.seen = int32(len(b.reader.Ticks))
	return found
}

// Close implements io.Closer. A caller that leaves after the answer is whole
// leaves a few bytes in the connection; they are read, within bounds, so that
// the connection lives on.
func (b *tap) Close() error {
	b.mu.Lock()
	whole := b.reader != nil && !b.inRead && b.reader.Finished()
	b.mu.Unlock()
	if whole {
		b.drain()
	}
	b.mu.Lock()
	if b.reader != nil {
		b.finish(errClosed, http.ErrBodyReadAfterClose)
	}
	b.mu.Unlock()
	return b.body.Close()
}

var errClosed = errors.New("the caller closed the body")

func (b *tap) drain() {
	stop := time.AfterFunc(drainTime, func() { b.cancel(errClosed) })
	defer stop.Stop()
	buf := make([]byte, 4<<10)
	for total := 0; total < drainBytes; {
		n, err := b.Read(buf)
		if total += n; err != nil {
			return
		}
	}
}

// finish completes the trace and gives it to the sink; the lock is held. How
// the body ended is err; later reads return after.
func (b *tap) finish(err, after error) {
	b.watch.stop()
	b.complete(err, context.Cause(b.ctx))
	b.cancel(nil)
	t := b.t
	t.Ticks, b.reader.Ticks = b.reader.Ticks, nil
	b.m.readers.Put(b.reader)
	b.reader, b.err = nil, after
	b.phases.fill(t)
	b.emit()
}

func (b *tap) complete(err, cause error) {
	t := b.t
	ending := err
	if (errors.Is(err, errClosed) || errors.Is(cause, errClosed)) && b.reader.Finished() {
		ending = io.EOF // leaving after the end is no fault
	}
	res := b.reader.End(ending)
	t.Outcome, t.ErrorType, t.ErrorText = res.Outcome, res.ErrorType, res.ErrorText
	t.Finish, t.Usage, t.OutputChars = res.Finish, res.Usage, res.Chars
	t.ServedModel, t.Fingerprint, t.Provider = res.Model, res.Print, res.Provider
	if t.RequestID == "" {
		t.RequestID = res.ID
	}
	if t.Usage.Completion.Known() {
		t.TokenSource = weir.TokensFromUsage
	}
	b.retryAfter(res)
	for _, w := range res.Warnings {
		t.Warn(w)
	}
	t.End = weir.SpanOf(b.last)
	clean := errors.Is(ending, io.EOF)
	if !clean && !res.Finished && !decided(res.Outcome) {
		o, detail := interrupted(err, cause)
		t.ErrorType = detail
		if o != "" {
			t.Outcome = o
			t.End = weir.SpanOf(time.Since(t.Sent)) // it was waited for until now
		}
	}
	b.flags()
}

// decided tells whether the bytes themselves said how the call went wrong, so
// that how the body ended is beside the point.
func decided(o weir.Outcome) bool {
	switch o {
	case weir.RateLimited, weir.UpstreamError, weir.Auth, weir.BadRequest, weir.Malformed:
		return true
	}
	return false
}

func (b *tap) retryAfter(res dialect.Result) {
	if d, ok := res.RetryAfter.Get(); ok {
		b.t.RetryAfter = weir.SpanOf(d)
	} else if at, ok := res.RetryAt.Get(); ok {
		b.t.RetryAfter = weir.SpanOf(max(0, time.Until(at)))
	}
}

// flags adds the warnings that follow from the ticks.
func (b *tap) flags() {
	t := b.t
	t.Ticks = b.reader.Ticks // for the metrics below; finish hands them over
	t.Backpressure, t.KernelStamps = weir.Dur(b.gone), b.kernel.used
	if b.away > backpressureAfter {
		t.Warn(weir.WarnBackpressure)
	}
	if t.HiddenReasoning() && t.OutputEvents() > 0 {
		t.Warn(weir.WarnHiddenReasoning)
	}
	if t.Outcome == weir.OK && t.UsageImplausible() {
		t.Warn(weir.WarnImplausibleUsage)
	}
	switch {
	case t.Buffered():
		t.Warn(weir.WarnBuffered)
		return
	case t.Unstamped():
		t.Warn(weir.WarnUnstamped)
		return
	}
	for gap := range t.Gaps() {
		if gap == 0 {
			t.Warn(weir.WarnCoalesced)
			return
		}
	}
}

// requestID is the id the provider gave the call, for its support desk.
func requestID(h http.Header) string {
	for _, name := range []string{"x-request-id", "request-id", "x-amzn-requestid", "apim-request-id", "x-goog-request-id"} {
		if v := h.Get(name); v != "" {
			return v[:min(len(v), 128)]
		}
	}
	return ""
}

// rateLimits keeps the headers that say how much of a limit is left.
func rateLimits(h http.Header) map[string]string {
	var out map[string]string
	for k, v := range h {
		low := strings.ToLower(k)
		if len(v) == 0 || len(out) >= 32 || !(strings.Contains(low, "ratelimit") || strings.HasPrefix(low, "retry-after")) {
			continue
		}
		if out == nil {
			out = make(map[string]string)
		}
		out[low] = v[0][:min(len(v[0]), 128)]
	}
	return out
}
