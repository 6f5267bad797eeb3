package stamp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// pair is a stamping client and its server's end.
func pair(t *testing.T) (Conn, net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c, err := Dial(new(net.Dialer).DialContext)(context.Background(), "tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	stamped, ok := Of(c)
	if !ok {
		t.Fatalf("%T does not stamp", c)
	}
	return stamped, s
}

func TestStampsLieBetweenWriteAndRead(t *testing.T) {
	c, s := pair(t)
	buf := make([]byte, 100)
	// The kernel begins to stamp a while after the first socket asked it to, which
	// a busy machine makes longer.
	for begin := time.Now(); c.LastRead().Arrived == 0; {
		if time.Since(begin) > 5*time.Second {
			t.Fatal("nothing is stamped")
		}
		s.Write([]byte("x"))
		if _, err := c.Read(buf); err != nil {
			t.Fatal(err)
		}
	}
	stamped := 0
	for range 50 {
		before := time.Now().UnixNano()
		s.Write([]byte("hello"))
		n, err := c.Read(buf)
		after := time.Now().UnixNano()
		if err != nil || string(buf[:n]) != "hello" {
			t.Fatal(n, err)
		}
		r := c.LastRead()
		if !r.Drained || r.Empty > r.Arrived && r.Arrived != 0 {
			t.Errorf("%+v", r)
		}
		if r.Arrived == 0 {
			continue
		}
		stamped++
		if r.Arrived < before || r.Arrived > after {
			t.Errorf("stamp %d outside [%d, %d]", r.Arrived, before, after)
		}
	}
	if stamped < 40 {
		t.Errorf("%d of 50 reads were stamped", stamped)
	}
}

// What waited unread is merged and has the newest segment's time: Empty says
// since when it may have come.
func TestMergedSegmentsAreBounded(t *testing.T) {
	c, s := pair(t)
	buf := make([]byte, 100)
	s.Write([]byte("x"))
	c.Read(buf) // from here on the queue is known
	before := time.Now().UnixNano()
	s.Write([]byte("one"))
	time.Sleep(20 * time.Millisecond)
	s.Write([]byte("two"))
	time.Sleep(5 * time.Millisecond)
	n, _ := c.Read(buf[:4])
	if r := c.LastRead(); n != 4 || r.Drained || r.Empty >= before || r.Arrived != 0 && r.Arrived-r.Empty < int64(20*time.Millisecond) {
		t.Errorf("read %d: %+v, written after %d", n, r, before)
	}
	n, _ = c.Read(buf)
	if r := c.LastRead(); n != 2 || !r.Drained || r.Empty >= before {
		t.Errorf("read %d: %+v", n, r)
	}
}

func TestDeadlinesEndAndErrors(t *testing.T) {
	c, s := pair(t)
	c.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("deadline: %v", err)
	}
	c.SetReadDeadline(time.Time{})
	if n, err := c.Read(nil); n != 0 || err != nil {
		t.Errorf("empty read: %d, %v", n, err)
	}
	s.Close()
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("end: %v", err)
	}
	c.Close()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("read after close")
	}
}

func TestUnderHTTPAndTLS(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hi") }))
	defer srv.Close()
	var last net.Conn
	dial := Dial(new(net.Dialer).DialContext)
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := dial(ctx, network, addr)
			last = c
			return c, err
		},
	}}
	defer client.CloseIdleConnections()
	resp, err := client.Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	under, ok := Of(tls.Client(last, &tls.Config{InsecureSkipVerify: true}))
	if string(b) != "hi" || !ok || under.LastRead().Count == 0 {
		t.Errorf("%q, %v", b, ok)
	}
}

func TestReadAllocatesNothing(t *testing.T) {
	c, s := pair(t)
	buf, out := make([]byte, 100), []byte("hello")
	allocs := testing.AllocsPerRun(100, func() {
		s.Write(out)
		c.Read(buf)
	})
	if allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}
