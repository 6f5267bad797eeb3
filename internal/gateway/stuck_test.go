package gateway_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/gateway/tenant"
	"weir.dev/weir/internal/route"
	"weir.dev/weir/meter"
)

// The cases of gateway-cases.md that are about connections and memory, on real
// sockets.

// onSockets is a gateway in front of handlers on real sockets, one route m.
func onSockets(t *testing.T, h gateway.Handling, ups ...http.HandlerFunc) (*gateway.Server, *httptest.Server, *journal.Log) {
	t.Helper()
	r := gateway.Route{Plan: &route.Route{Name: "m"}}
	for i, play := range ups {
		up := httptest.NewServer(play)
		t.Cleanup(up.Close)
		name := string(rune('A' + i))
		r.Targets = append(r.Targets, gateway.Target{Target: weir.Target{Name: name, URL: up.URL + "/v1", Dialect: weir.OpenAIChat, Model: "model-" + name}})
		r.Plan.Targets = append(r.Plan.Targets, route.Target{Name: name, Keyed: true, Dialect: weir.OpenAIChat, Health: route.HealthSettings{Failures: -1, ErrorRate: 2}})
	}
	log, err := journal.Open(journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	base := meter.NewTransport(meter.Options{})
	t.Cleanup(base.CloseIdleConnections)
	s, err := gateway.New(gateway.Config{Routes: []gateway.Route{r}, Handling: h, Upstream: base, Retries: gateway.Retries{Floor: 1 << 20}}, gateway.Parts{Journal: log})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewUnstartedServer(s.Handler())
	front.Config = s.HTTP()
	front.Start()
	t.Cleanup(front.Close)
	return s, front, log
}

func TestG09_FailedAttemptsDoNotLeakConnections(t *testing.T) {
	conns := make(chan string, 4096) // room for a connection of each attempt
	large := strings.Repeat("x", 1<<20)
	_, front, _ := onSockets(t, gateway.DefaultHandling(),
		func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			conns <- r.RemoteAddr
			w.WriteHeader(503)
			io.WriteString(w, large)
		},
		func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, `data: {"id":"b","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		})
	before := runtime.NumGoroutine()
	for range 200 {
		resp, err := front.Client().Post(front.URL+"/v1/chat/completions", "application/json", strings.NewReader(plainBody))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.Contains(string(body), "Hello") || resp.Header.Get("X-Weir-Attempts") != "2" {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
	}
	close(conns)
	seen := map[string]int{}
	for addr := range conns {
		seen[addr]++
	}
	if len(seen) > 20 {
		t.Errorf("A accepted %d connections for 200 attempts", len(seen))
	}
	settles(t, func() (string, bool) {
		n := runtime.NumGoroutine()
		return fmt.Sprintf("%d goroutines, %d before", n, before), n <= before+20 // idle connections
	})
}

// settles waits until something holds.
func settles(t *testing.T, holds func() (string, bool)) {
	t.Helper()
	var said string
	for range 200 {
		var ok bool
		if said, ok = holds(); ok {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error(said)
}

func TestG26_StuckReader(t *testing.T) {
	left := make(chan struct{}, 64)
	piece := `data: {"id":"a","choices":[{"index":0,"delta":{"content":"` + strings.Repeat("water ", 1000) + `"},"finish_reason":null}]}` + "\n\n"
	h := gateway.DefaultHandling()
	h.Write = 300 * time.Millisecond
	s, front, log := onSockets(t, h, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for range 10 << 20 / len(piece) * 10 {
			if _, err := io.WriteString(w, piece); err != nil {
				left <- struct{}{}
				return
			}
		}
	})
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	const callers = 20
	for range callers {
		conn, err := net.Dial("tcp", front.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nContent-Length: %d\r\n\r\n%s", len(plainBody), plainBody)
		io.ReadFull(conn, make([]byte, 1<<10))
	}
	for range callers {
		select {
		case <-left:
		case <-time.After(10 * time.Second):
			t.Fatal("A was not cancelled")
		}
	}
	settles(t, func() (string, bool) { return fmt.Sprintf("%d in flight", s.InFlight()), s.InFlight() == 0 })
	for _, r := range log.Recent(callers) {
		if r.Outcome != weir.Canceled || r.Attempts[0].Clock != journal.WriteClock || r.Backpressure.Or(0).Duration() < 200*time.Millisecond {
			t.Errorf("%s by the clock %q, backpressure %v", r.Outcome, r.Attempts[0].Clock, r.Backpressure)
		}
	}
	settles(t, func() (string, bool) {
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		grew := int64(now.HeapAlloc) - int64(before.HeapAlloc)
		return fmt.Sprintf("the heap grew by %d KiB", grew>>10), grew < 8<<20
	})
}

func TestEarlyHintsOfAFailedAttemptStayBehind(t *testing.T) {
	_, front, _ := onSockets(t, gateway.DefaultHandling(), func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Link", "</secret>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(503)
	}, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, `{"id":"b","object":"chat.completion","choices":[{"index":0,"message":{"content":"Hello"},"finish_reason":"stop"}]}`)
	})
	conn, err := net.Dial("tcp", front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := strings.Replace(plainBody, "true", "false", 1)
	fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 200") {
		t.Errorf("the first line is %q (%v)", line, err)
	}
}

func TestSlowBodyIsCut(t *testing.T) {
	inBubble(t, setup{bounds: gateway.Bounds{ReadBody: time.Second}}, []*upstream{up("A", good)}, func(t *testing.T, g *rig) {
		conn, err := g.front.Dial(context.Background(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nContent-Length: 100\r\n\r\n{")
		began := time.Now()
		line, _ := bufio.NewReader(conn).ReadString('\n')
		if !strings.HasPrefix(line, "HTTP/1.1 408") || time.Since(began) != time.Second {
			t.Errorf("%q after %v", line, time.Since(began))
		}
		g.calls(t, map[string]int{"A": 0})
	})
	keys := []tenant.Key{{Name: "k", SHA256: sha256.Sum256([]byte("key"))}}
	inBubble(t, setup{bounds: gateway.Bounds{ReadBody: time.Second}, keys: keys}, []*upstream{up("A", good)}, func(t *testing.T, g *rig) {
		conn, err := g.front.Dial(context.Background(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nContent-Length: 100\r\n\r\n{") // and no key
		began := time.Now()
		line, _ := bufio.NewReader(conn).ReadString('\n')
		if !strings.HasPrefix(line, "HTTP/1.1 401") || time.Since(began) > time.Second {
			t.Errorf("%q after %v", line, time.Since(began))
		}
	})
}
