package weirtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connected runs f in a bubble with both ends of a connection.
func connected(t *testing.T, f func(t *testing.T, n *Network, client, server *Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := NewNetwork()
		defer n.Close()
		accepted := make(chan net.Conn)
		go func() {
			c, err := n.Listen().Accept()
			if err != nil {
				t.Error(err)
			}
			accepted <- c
		}()
		client, err := n.Dial(t.Context(), "tcp", "anywhere:80")
		if err != nil {
			t.Fatal(err)
		}
		server := <-accepted
		defer server.Close()
		defer client.Close()
		f(t, n, client.(*Conn), server.(*Conn))
	})
}

func TestBytesArriveThenTheEnd(t *testing.T) {
	connected(t, func(t *testing.T, _ *Network, client, server *Conn) {
		io.WriteString(client, "hello")
		client.CloseWrite()
		if got, err := io.ReadAll(server); err != nil || string(got) != "hello" {
			t.Errorf("read %q, error %v", got, err)
		}
		io.WriteString(server, "the other way is still open")
		server.Close()
		if got, err := io.ReadAll(client); err != nil || len(got) != 27 {
			t.Errorf("read %q, error %v", got, err)
		}
		if _, err := client.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
			t.Errorf("write after CloseWrite: error %v", err)
		}
	})
}

func TestWritesAreBounded(t *testing.T) {
	connected(t, func(t *testing.T, _ *Network, client, server *Conn) {
		sent := bytes.Repeat([]byte("0123456789"), 20_000) // three buffers full
		done := make(chan error, 1)
		go func() {
			_, err := client.Write(sent)
			done <- err
		}()
		synctest.Wait()
		if n := len(server.in.buf); n != bufferSize {
			t.Errorf("%d bytes buffered, want %d", n, bufferSize)
		}
		got := make([]byte, len(sent))
		if _, err := io.ReadFull(server, got); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("read differs, error %v", err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestDeadlines(t *testing.T) {
	connected(t, func(t *testing.T, _ *Network, client, _ *Conn) {
		start := time.Now()
		client.SetDeadline(start.Add(time.Second))
		_, err := client.Read(make([]byte, 1))
		var timeout net.Error
		if !errors.As(err, &timeout) || !timeout.Timeout() || time.Since(start) != time.Second {
			t.Errorf("read: error %v after %v", err, time.Since(start))
		}
		client.SetWriteDeadline(start.Add(2 * time.Second))
		n, err := client.Write(make([]byte, bufferSize+1))
		if n != bufferSize || !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != 2*time.Second {
			t.Errorf("write: %d bytes, error %v after %v", n, err, time.Since(start))
		}
		client.SetReadDeadline(time.Time{})
		go func() {
			time.Sleep(time.Millisecond)
			client.SetReadDeadline(time.Now()) // as net/http does to interrupt a read
		}()
		if _, err := client.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("interrupted read: error %v", err)
		}
	})
}

func TestCloseWakesBothEnds(t *testing.T) {
	connected(t, func(t *testing.T, _ *Network, client, server *Conn) {
		own, other := make(chan error, 1), make(chan error, 1)
		go func() { _, err := client.Read(make([]byte, 1)); own <- err }()
		go func() { _, err := server.Write(make([]byte, 2*bufferSize)); other <- err }()
		synctest.Wait() // the reader may have taken its byte, the writer blocks
		client.Close()
		<-own
		if err := <-other; !errors.Is(err, syscall.EPIPE) {
			t.Errorf("peer's write: error %v, want EPIPE", err)
		}
		if _, err := client.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("own read: error %v", err)
		}
		if err := client.Close(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("second close: error %v", err)
		}
	})
}

func TestAbortAndCut(t *testing.T) {
	connected(t, func(t *testing.T, n *Network, client, server *Conn) {
		io.WriteString(server, "written")
		n.Cut()
		if got, err := io.ReadAll(client); err != nil || string(got) != "written" {
			t.Errorf("after Cut: read %q, error %v", got, err)
		}
	})
	connected(t, func(t *testing.T, n *Network, client, server *Conn) {
		io.WriteString(server, "lost")
		n.Abort()
		if got, err := io.ReadAll(client); !errors.Is(err, syscall.ECONNRESET) || len(got) > 0 {
			t.Errorf("after Abort: read %q, error %v", got, err)
		}
		if _, err := server.Write([]byte("x")); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("after Abort: write error %v", err)
		}
		if len(n.open) != 0 {
			t.Errorf("%d connections remembered", len(n.open))
		}
	})
}

func TestDialWaitsForAcceptAndIsRefusedAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := NewNetwork()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := n.Dial(ctx, "tcp", "x:1"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("nobody accepts: error %v", err)
		}
		n.Close()
		if _, err := n.Dial(t.Context(), "tcp", "x:1"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("closed: error %v", err)
		}
		if _, err := n.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept: error %v", err)
		}
	})
}

// A real server streams to a real client: every write arrives at its instant, a
// slow reader blocks the writer, and an aborted answer is seen as such.
func TestHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := NewNetwork()
		mux := http.NewServeMux()
		mux.HandleFunc("/stream", func(w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				time.Sleep(time.Second)
				io.WriteString(w, "tick")
				http.NewResponseController(w).Flush()
			}
			panic(http.ErrAbortHandler)
		})
		mux.HandleFunc("/big", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, strings.Repeat("x", 10*bufferSize))
		})
		server := &http.Server{Handler: mux}
		served := make(chan error, 1)
		go func() { served <- server.Serve(n.Listen()) }()
		transport := &http.Transport{DialContext: n.Dial}
		client := &http.Client{Transport: transport}

		start, buf := time.Now(), make([]byte, 100)
		resp, err := client.Get("http://mem/stream")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			k, err := resp.Body.Read(buf)
			if want := time.Duration(i+1) * time.Second; string(buf[:k]) != "tick" || err != nil || time.Since(start) != want {
				t.Errorf("read %q, error %v at %v, want tick at %v", buf[:k], err, time.Since(start), want)
			}
		}
		if _, err := resp.Body.Read(buf); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("aborted answer: error %v", err)
		}
		resp.Body.Close()

		if resp, err = client.Get("http://mem/big"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // the server waits; the clock goes on
		if got, err := io.ReadAll(resp.Body); err != nil || len(got) != 10*bufferSize {
			t.Errorf("read %d bytes, error %v", len(got), err)
		}
		resp.Body.Close()

		transport.CloseIdleConnections()
		server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		synctest.Wait()
		if len(n.open) != 0 {
			t.Errorf("%d connections remembered", len(n.open))
		}
	})
}
