package meter_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/weirtest"
	"weir.dev/weir/meter"
)

const (
	role   = `{"id":"c1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`
	word   = `{"id":"c1","model":"m","choices":[{"index":0,"delta":{"content":" w"}}]}`
	finish = `{"id":"c1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	usage  = `{"id":"c1","model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}`
)

// write is one thing a scripted server does: at an offset from the request's
// arrival it writes (or aborts).
type write struct {
	at    time.Duration
	text  string
	abort bool
}

func data(s string) string { return "data: " + s + "\n\n" }

func ms(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// whole is an answer with three words at 50, 70 and 90 ms.
func whole() []write {
	return []write{
		{at: ms(5), text: data(role)},
		{at: ms(50), text: data(word)},
		{at: ms(70), text: data(word)},
		{at: ms(90), text: data(word)},
		{at: ms(90), text: data(finish)},
		{at: ms(120), text: data(usage) + data("[DONE]")},
	}
}

func scripted(script []write) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("X-Request-Id", "req-7")
		for _, s := range script {
			select {
			case <-time.After(time.Until(start.Add(s.at))):
			case <-r.Context().Done():
				return
			}
			if s.abort {
				panic(http.ErrAbortHandler)
			}
			io.WriteString(w, s.text)
			http.NewResponseController(w).Flush()
		}
	}
}

// world is a server on an in-memory network and a metered client to it.
type world struct {
	net    *weirtest.Network
	base   *http.Transport
	meter  *meter.Transport
	client *http.Client

	mu     sync.Mutex
	traces []*weir.Trace
}

func newWorld(t *testing.T, h http.Handler) *world {
	w := &world{net: weirtest.NewNetwork()}
	srv := &http.Server{Handler: h}
	served := make(chan struct{})
	go func() { defer close(served); srv.Serve(w.net) }()
	w.base = meter.NewTransport(meter.Options{Dial: w.net.Dial})
	w.meter = &meter.Transport{Base: w.base, Sink: func(t *weir.Trace) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.traces = append(w.traces, t)
	}}
	w.client = &http.Client{Transport: w.meter}
	t.Cleanup(func() {
		w.client.CloseIdleConnections()
		srv.Close()
		w.net.Close()
		<-served
	})
	return w
}

func (w *world) post(ctx context.Context, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://api/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	return w.client.Do(req)
}

// ask makes one call, reads it to its end and returns its trace.
func (w *world) ask(ctx context.Context) (*weir.Trace, error) {
	resp, err := w.post(ctx, `{"model":"m","stream":true}`)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.traces[len(w.traces)-1], err
}

func (w *world) only(t *testing.T) *weir.Trace {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.traces) != 1 {
		t.Fatalf("%d traces, want 1", len(w.traces))
	}
	return w.traces[0]
}

func offsets(t *weir.Trace) (at []time.Duration) {
	for _, tick := range t.Ticks {
		at = append(at, tick.At)
	}
	return at
}

func TestWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, scripted(whole()))
		ctx := meter.WithCall(t.Context(), meter.Call{Target: "a", Kind: weir.Bench, Due: time.Now().Add(-3 * time.Second)})
		tr, err := w.ask(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if want := []time.Duration{ms(5), ms(50), ms(70), ms(90), ms(90), ms(120), ms(120)}; !slices.Equal(offsets(tr), want) {
			t.Errorf("ticks at %v, want %v", offsets(tr), want)
		}
		if tr.Outcome != weir.OK || tr.Finish != "stop" || tr.Status != 200 || tr.RequestID != "req-7" || tr.Model != "m" || tr.Target != "a" {
			t.Errorf("trace %+v", tr)
		}
		if got := tr.TTFT(); got != weir.SpanOf(3*time.Second+ms(50)) {
			t.Errorf("ttft %v counts from due", got)
		}
		if got := tr.TPOT(); got != weir.SpanOf(ms(20)) {
			t.Errorf("tpot %v, want 20 ms", got)
		}
		if tr.End != weir.SpanOf(ms(120)) || tr.ConnReused != weir.Some(false) || !tr.Wrote.Known() || !tr.GotConn.Known() {
			t.Errorf("phases %+v", tr)
		}
		again, _ := w.ask(ctx)
		if again.ConnReused != weir.Some(true) || again.Connect != weir.SpanOf(0) || again.DNS != weir.SpanOf(0) || again.TLS != weir.SpanOf(0) {
			t.Errorf("a kept connection: reused %v connect %v", again.ConnReused, again.Connect)
		}
	})
}

// M27: what a client does between reads moves no stamp of bytes that come later,
// and makes those that waited for it bounds.
func TestSlowClientMovesNoLaterStamp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, scripted([]write{
			{at: ms(5), text: data(role)}, {at: ms(900), text: data(word)}, {at: ms(920), text: data(word)}, {at: ms(921), text: data(finish) + data("[DONE]")},
		}))
		resp, err := w.post(t.Context(), `{"stream":true}`)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 4096)
		for err == nil {
			_, err = resp.Body.Read(buf)
			time.Sleep(ms(50)) // a slow parser
		}
		resp.Body.Close()
		tr := w.only(t)
		if got := tr.TTFT(); got != weir.SpanOf(ms(900)) {
			t.Errorf("ttft %v, want 900 ms", got)
		}
		second := tr.Ticks[2]
		if second.Exact() || second.Lo != ms(900) || second.At != ms(950) {
			t.Errorf("second word at [%v, %v], want a bound [900ms, 950ms] around 920ms", second.Lo, second.At)
		}
		if !slices.Contains(tr.Warnings, weir.WarnBackpressure) || tr.Backpressure.Duration() < ms(100) {
			t.Errorf("backpressure %v, warnings %v", tr.Backpressure, tr.Warnings)
		}
	})
}

func TestOutcomes(t *testing.T) {
	head := []write{{at: ms(5), text: data(role)}, {at: ms(50), text: data(word)}}
	limits := meter.Limits{Connect: 10 * time.Second, FirstOutput: 60 * time.Second, Stall: 30 * time.Second}
	for _, c := range []struct {
		name   string
		script []write
		limits meter.Limits
		want   weir.Outcome
		end    time.Duration
		ticks  int
	}{
		{"cut", append(slices.Clone(head), write{at: ms(70), abort: true}), limits, weir.Truncated, ms(50), 2},
		{"cut after the finish", append(slices.Clone(head), write{at: ms(60), text: data(finish)}, write{at: ms(70), abort: true}), limits, weir.OK, ms(60), 3},
		{"clean end without a finish", head, limits, weir.Truncated, ms(50), 2},
		{"stall", append(slices.Clone(head), write{at: time.Minute, text: data(word)}), limits, weir.TimeoutStall, 30*time.Second + ms(50), 2},
		{"comments do not hold the stall clock", append(slices.Clone(head), write{at: 20 * time.Second, text: ": ping\n\n"}, write{at: time.Minute}), limits, weir.TimeoutStall, 30*time.Second + ms(50), 2},
		{"no output", []write{{at: ms(5), text: data(role)}, {at: 50 * time.Second, text: data(role)}, {at: 70 * time.Second}}, limits, weir.TimeoutFirstOutput, time.Minute, 2},
		{"no head", []write{{at: 70 * time.Second}}, limits, weir.TimeoutFirstOutput, time.Minute, 0},
		{"silence before output", []write{{at: ms(5), text: data(role)}, {at: 50 * time.Second}}, meter.Limits{Bytes: 10 * time.Second}, weir.TimeoutFirstOutput, 10*time.Second + ms(5), 1},
		{"silence after output", append(slices.Clone(head), write{at: 50 * time.Second}), meter.Limits{Bytes: 10 * time.Second}, weir.TimeoutStall, 10*time.Second + ms(50), 2},
		{"comments are liveness", append(slices.Clone(head), write{at: 9 * time.Second, text: ":\n\n"}, write{at: 18 * time.Second, text: data(finish)}), meter.Limits{Bytes: 10 * time.Second}, weir.OK, 18 * time.Second, 3},
		{"total", append(slices.Clone(head), write{at: 7 * time.Second, text: data(word)}, write{at: time.Minute}), meter.Limits{Total: 10 * time.Second}, weir.TimeoutTotal, 10 * time.Second, 3},
		{"error event", append(slices.Clone(head), write{at: ms(60), text: data(`{"error":{"message":"x"}}`)}), limits, weir.UpstreamError, ms(60), 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, scripted(c.script))
				w.meter.Limits = c.limits
				tr, err := w.ask(t.Context())
				if tr.Outcome != c.want || tr.End != weir.SpanOf(c.end) || len(tr.Ticks) != c.ticks {
					t.Errorf("%s (%s), end %v, %d ticks, error %v; want %s, %v, %d", tr.Outcome, tr.ErrorType, tr.End, len(tr.Ticks), err, c.want, c.end, c.ticks)
				}
				var limit *meter.LimitError
				if strings.HasPrefix(string(c.want), "timeout") && (!errors.As(err, &limit) || limit.Outcome != c.want) {
					t.Errorf("the caller saw %v, want a LimitError of %s", err, c.want)
				}
			})
		})
	}
}

func TestLeaving(t *testing.T) {
	for _, c := range []struct {
		name  string
		leave func(cancel context.CancelCauseFunc, body io.ReadCloser)
		want  weir.Outcome
	}{
		{"the context is cancelled", func(cancel context.CancelCauseFunc, _ io.ReadCloser) { cancel(nil) }, weir.Canceled},
		{"the body is closed", func(_ context.CancelCauseFunc, body io.ReadCloser) { body.Close() }, weir.Canceled},
		{"the call is abandoned", func(cancel context.CancelCauseFunc, _ io.ReadCloser) { cancel(meter.ErrAbandoned) }, weir.Abandoned},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gone := make(chan time.Time, 1)
				w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					scripted([]write{{at: ms(5), text: data(word)}, {at: time.Hour}})(rw, r)
					gone <- time.Now()
				}))
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				resp, err := w.post(ctx, `{"stream":true}`)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				start := time.Now()
				time.AfterFunc(time.Second, func() { c.leave(cancel, resp.Body) })
				io.Copy(io.Discard, resp.Body)
				if at := <-gone; at.Sub(start) > time.Second+ms(100) {
					t.Errorf("the server was left after %v, want 1s", at.Sub(start))
				}
				if tr := w.only(t); tr.Outcome != c.want || tr.End.Or(0).Duration() > time.Second+ms(10) || len(tr.Ticks) != 1 {
					t.Errorf("outcome %s, end %v, ticks %v; want %s after about 1s", tr.Outcome, tr.End, offsets(tr), c.want)
				}
			})
		})
	}
}

// A client that stops at [DONE], as SDKs do, keeps its connection and has a
// trace like any other.
func TestClosingAtDoneKeepsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, scripted(append(whole(), write{at: ms(125)})))
		for i := range 3 {
			resp, err := w.post(t.Context(), `{"stream":true}`)
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			buf := make([]byte, 512)
			for !strings.Contains(text, "[DONE]") {
				n, err := resp.Body.Read(buf)
				if err != nil {
					t.Fatal(err)
				}
				text += string(buf[:n])
			}
			resp.Body.Close()
			if tr := w.traces[i]; tr.Outcome != weir.OK || tr.ConnReused != weir.Some(i > 0) || tr.End != weir.SpanOf(ms(120)) {
				t.Errorf("call %d: outcome %s, reused %v, end %v", i, tr.Outcome, tr.ConnReused, tr.End)
			}
		}
	})
}

// The drain is bounded in time: a server that never ends its body does not
// hold up Close.
func TestDrainIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, scripted(append(whole(), write{at: time.Hour})))
		resp, err := w.post(t.Context(), `{"stream":true}`)
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(resp.Body, make([]byte, len(data(role)+data(word)+data(word)+data(word)+data(finish)+data(usage)+data("[DONE]"))))
		start := time.Now()
		resp.Body.Close()
		if d := time.Since(start); d > ms(21) {
			t.Errorf("Close took %v", d)
		}
		if tr := w.only(t); tr.Outcome != weir.OK || tr.End != weir.SpanOf(ms(120)) {
			t.Errorf("outcome %s, end %v", tr.Outcome, tr.End)
		}
	})
}

func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		status int
		header string
		body   string
		want   weir.Outcome
		retry  weir.Span
	}{
		{429, "Retry-After: 2", `{"error":{"message":"slow"}}`, weir.RateLimited, weir.SpanOf(2 * time.Second)},
		{500, "", "boom", weir.UpstreamError, weir.Span{}},
		{401, "", `{"error":{"message":"no"}}`, weir.Auth, weir.Span{}},
		{200, "Content-Type: text/html", "<html></html>", weir.Malformed, weir.Span{}},
		{200, "", "", weir.EmptyResponse, weir.Span{}},
		{200, "", `{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`, weir.NotStreamed, weir.Span{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				if k, v, ok := strings.Cut(c.header, ": "); ok {
					rw.Header().Set(k, v)
				}
				rw.WriteHeader(c.status)
				io.WriteString(rw, c.body)
			}))
			tr, err := w.ask(t.Context())
			if err != nil || tr.Outcome != c.want || tr.Status != c.status || tr.RetryAfter != c.retry || tr.TTFT().Known() {
				t.Errorf("%d %q: %s, retry %v, error %v; want %s, %v", c.status, c.body, tr.Outcome, tr.RetryAfter, err, c.want, c.retry)
			}
		})
	}
}

// A JSON answer to a request that did not ask to stream is what was asked for.
func TestNotStreamedOnPurpose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			io.WriteString(rw, `{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`)
		}))
		resp, err := w.post(t.Context(), `{"model":"m"}`)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if tr := w.only(t); tr.Outcome != weir.OK || tr.Usage.Completion != weir.Some(1) || tr.TTFT().Known() || !strings.Contains(string(b), "Hi") {
			t.Errorf("outcome %s, usage %v, body %s", tr.Outcome, tr.Usage, b)
		}
	})
}

// A compressed stream, sent although identity was asked for, is measured event
// by event, and the client gets it plain.
func TestCompressedAgainstOurWish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Accept-Encoding"); got != "identity" {
				t.Errorf("Accept-Encoding %q", got)
			}
			rw.Header().Set("Content-Encoding", "gzip")
			gz := gzip.NewWriter(rw)
			start := time.Now()
			for _, s := range whole() {
				time.Sleep(time.Until(start.Add(s.at)))
				io.WriteString(gz, s.text)
				gz.Flush()
				http.NewResponseController(rw).Flush()
			}
			gz.Close()
		}))
		tr, err := w.ask(t.Context())
		want := []time.Duration{ms(5), ms(50), ms(70), ms(90), ms(90), ms(120), ms(120)}
		if err != nil || tr.Outcome != weir.OK || !slices.Equal(offsets(tr), want) {
			t.Errorf("error %v, outcome %s, ticks %v", err, tr.Outcome, offsets(tr))
		}
	})
}

func TestNoConnection(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("connect: connection refused")}
	for _, c := range []struct {
		name   string
		dial   func(ctx context.Context) error
		want   weir.Outcome
		detail string
	}{
		{"dns", func(context.Context) error { return &net.DNSError{Err: "no such host", Name: "api"} }, weir.ConnectError, "dns"},
		{"refused", func(context.Context) error { return refused }, weir.ConnectError, "refused"},
		{"never", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, weir.TimeoutConnect, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, http.NotFoundHandler())
				base := meter.NewTransport(meter.Options{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { return nil, c.dial(ctx) }})
				w.meter.Base, w.meter.Limits = base, meter.Limits{Connect: 10 * time.Second}
				tr, err := w.ask(t.Context())
				if err == nil || tr.Outcome != c.want || tr.ErrorType != c.detail || tr.ConnReused.Known() {
					t.Errorf("%s %s, error %v; want %s %s", tr.Outcome, tr.ErrorType, err, c.want, c.detail)
				}
				if c.want == weir.TimeoutConnect && tr.End != weir.SpanOf(10*time.Second) {
					t.Errorf("gave up after %v, want 10s", tr.End)
				}
			})
		})
	}
}

// llama.cpp closes the connection right after each stream; a request that went
// out on it must not be lost.
func TestDeadKeptConnection(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	answer := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	body := data(word) + data(finish) + data("[DONE]")
	answer += fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	reuse := make(chan struct{}) // the first connection's second request has come
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 2 {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 4096)
			c.Read(buf)
			io.WriteString(c, answer)
			if i == 0 {
				<-reuse
				c.(*net.TCPConn).SetLinger(0) // dies with the second request unanswered
			}
			c.Close()
		}
	}()
	var traces []*weir.Trace
	base := meter.NewTransport(meter.Options{})
	client := &http.Client{Transport: &meter.Transport{Base: base, Sink: func(t *weir.Trace) { traces = append(traces, t) }}}
	for i := range 2 {
		if i == 1 {
			close(reuse)
		}
		resp, err := client.Post("http://"+ln.Addr().String()+"/v1/chat/completions", "application/json", strings.NewReader(`{"stream":true}`))
		if err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	client.CloseIdleConnections()
	ln.Close()
	<-done
	for i, tr := range traces {
		if tr.Outcome != weir.OK {
			t.Errorf("call %d: %s", i, tr.Outcome)
		}
	}
}

// A server that dies with a request on a kept connection: no connection can be
// had in its place.
func TestDeadKeptConnectionOfDeadServer(t *testing.T) {
	dials, second := 0, false
	w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if second {
			panic(http.ErrAbortHandler)
		}
		second = true
		scripted(whole())(rw, r)
	}))
	w.meter.Base = meter.NewTransport(meter.Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if dials++; dials > 1 {
			return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		}
		return w.net.Dial(ctx, network, addr)
	}})
	if tr, err := w.ask(t.Context()); err != nil || tr.Outcome != weir.OK {
		t.Fatalf("%s %s, error %v", tr.Outcome, tr.ErrorType, err)
	}
	tr, err := w.ask(t.Context())
	if err == nil || tr.Outcome != weir.ConnectError || tr.ErrorType != "refused" || dials != 2 {
		t.Errorf("%s %s after %d dials, error %v", tr.Outcome, tr.ErrorType, dials, err)
	}
}

// Reading a metered stream allocates nothing per token.
func TestNoAllocationPerToken(t *testing.T) {
	perStream := func(tokens int) float64 {
		body := data(role) + strings.Repeat(data(word), tokens) + data(finish) + data("[DONE]")
		m := &meter.Transport{Base: canned(body), Sink: (*weir.Trace).Release}
		req, _ := http.NewRequest(http.MethodPost, "http://api/v1/chat/completions", strings.NewReader(`{"stream":true}`))
		buf := make([]byte, 1024)
		return testing.AllocsPerRun(50, func() {
			resp, err := m.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				_, err = resp.Body.Read(buf)
			}
			resp.Body.Close()
		})
	}
	few, many := perStream(10), perStream(1010)
	if many-few > 20 { // a pool may be emptied at any time, and the buffer of ticks then grows anew
		t.Errorf("%v allocations for 10 tokens, %v for 1010", few, many)
	}
}

// canned answers every request with the same event stream.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(string(c))),
	}, nil
}
