package meter_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/stamp"
	"weir.dev/weir/meter"
)

// A client that is away when an event arrives: the kernel's stamp does not
// move, and says that it is exact; what came together before it is bounded.
func TestKernelStampsDoNotWaitForTheReader(t *testing.T) {
	const away = 40 * time.Millisecond
	begin := stamping(t)
	defer begin.Close()
	read := make(chan struct{})
	wrote := make(chan time.Time, 2)
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				flush := http.NewResponseController(w).Flush
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, data(role))
				flush()
				<-read // the client has read that, and goes away
				io.WriteString(w, data(word))
				flush()
				wrote <- time.Now()
				<-read
				io.WriteString(w, data(word)+data(finish)+data("[DONE]"))
			})
			srv := httptest.NewServer(handler)
			if scheme == "https" {
				srv.Close()
				srv = httptest.NewTLSServer(handler)
			}
			defer srv.Close()
			var trace *weir.Trace
			base := meter.NewTransport(meter.Options{Stamp: true, Insecure: true})
			client := &http.Client{Transport: &meter.Transport{Base: base, Sink: func(tr *weir.Trace) { trace = tr }}}
			defer client.CloseIdleConnections()
			resp, err := client.Post(srv.URL+"/v1/chat/completions", "application/json", strings.NewReader(`{"stream":true}`))
			if err != nil {
				t.Fatal(err)
			}
			buf := make([]byte, 4096)
			resp.Body.Read(buf)
			read <- struct{}{}
			at := <-wrote
			time.Sleep(away)
			resp.Body.Read(buf)
			read <- struct{}{}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()

			if trace.Outcome != weir.OK || !trace.KernelStamps || len(trace.Ticks) < 4 {
				t.Fatalf("outcome %s, kernel stamps %v, ticks %v", trace.Outcome, trace.KernelStamps, trace.Ticks)
			}
			late := trace.Sent.Add(trace.Ticks[1].At).Sub(at)
			if late > away/2 {
				t.Errorf("the word is stamped %v after it was written, as late as its reader", late)
			}
			if !trace.Ticks[1].Exact() {
				t.Errorf("it is bounded: [%v, %v]", trace.Ticks[1].Lo, trace.Ticks[1].At)
			}
			for _, tick := range trace.Ticks {
				if tick.Lo > tick.At || tick.Lo < 0 || tick.At > trace.End.Or(0).Duration() {
					t.Errorf("tick %+v, end %v", tick, trace.End)
				}
			}
		})
	}
}

// stamping waits until the kernel stamps, which it does a while after the first
// socket asked for it and as long as one is open: until the connection that is
// returned is closed.
func stamping(t *testing.T) net.Conn {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c, err := stamp.Dial(new(net.Dialer).DialContext)(t.Context(), "tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stamped, ok := stamp.Of(c)
	if !ok {
		t.Fatalf("%T does not stamp", c)
	}
	for begin, buf := time.Now(), make([]byte, 1); stamped.LastRead().Arrived == 0; {
		if time.Since(begin) > 5*time.Second {
			t.Fatal("nothing is stamped")
		}
		s.Write([]byte("x"))
		if _, err := c.Read(buf); err != nil {
			t.Fatal(err)
		}
	}
	return c
}
