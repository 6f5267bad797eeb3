package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sse"
	"weir.dev/weir/internal/weirtest"
)

func TestMain(m *testing.M) {
	if yaml := os.Getenv(childEnv); yaml != "" {
		serveChild(yaml)
		return
	}
	goleak.VerifyTestMain(m)
}

// rig is a simulator behind real HTTP in a bubble of virtual time.
type rig struct {
	t      *testing.T
	sim    *Server
	client *http.Client
	net    *weirtest.Network
}

func withRig(t *testing.T, c Config, f func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		sim, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		n := weirtest.NewNetwork()
		server := &http.Server{Handler: sim}
		served := make(chan error, 1)
		go func() { served <- server.Serve(n.Listen()) }()
		transport := &http.Transport{DialContext: n.Dial, DisableCompression: true}
		f(t, &rig{t: t, sim: sim, client: &http.Client{Transport: transport}, net: n})
		transport.CloseIdleConnections()
		server.Close()
		<-served
		time.Sleep(time.Second) // net/http lingers for 500 ms after refusing a body
		synctest.Wait()
	})
}

// seen is a response as a client sees it, with times after the request.
type seen struct {
	status int
	header http.Header
	events []seenEvent
	body   string
	err    error
	end    time.Duration
}

type seenEvent struct {
	at   time.Duration
	name string
	data string
}

func (r *rig) post(ctx context.Context, d weir.Dialect, body string) (got seen) {
	r.t.Helper()
	path := map[weir.Dialect]string{weir.OpenAIChat: "/v1/chat/completions", weir.Anthropic: "/v1/messages"}[d]
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://sim"+path, bytes.NewReader([]byte(body)))
	if err != nil {
		r.t.Fatal(err)
	}
	start := time.Now()
	defer func() { got.end = time.Since(start) }()
	resp, err := r.client.Do(req)
	if err != nil {
		return seen{err: err}
	}
	defer resp.Body.Close()
	got.status, got.header = resp.StatusCode, resp.Header
	got.read(start, resp.Body)
	return got
}

func (s *seen) read(start time.Time, body io.Reader) {
	var reader sse.Reader
	var all []byte
	buf := make([]byte, 4096)
	for {
		n, err := body.Read(buf)
		all = append(all, buf[:n]...)
		for rest := buf[:n]; ; {
			ev, after, ok, _ := reader.Next(rest)
			if !ok {
				break
			}
			s.events = append(s.events, seenEvent{time.Since(start), string(ev.Name), string(ev.Data)})
			rest = after
		}
		if err != nil {
			s.body = string(all)
			if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				s.err = err
			}
			return
		}
	}
}

// ask is a streaming request that asks for usage, 6 tokens of output.
func ask(d weir.Dialect, model string) (string, request.Asked) {
	body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hello you"}],"max_tokens":6,"stream":true,"stream_options":{"include_usage":true}}`, model)
	asked, err := request.Decode(d, []byte(body))
	if err != nil {
		panic(err)
	}
	return body, asked
}

// ns is the server's clock in an event.
func (e seenEvent) ns(t *testing.T) int64 {
	t.Helper()
	var v struct {
		NS int64 `json:"weir_ns"`
	}
	if err := json.Unmarshal([]byte(e.data), &v); err != nil {
		t.Errorf("%s: %v", e.data, err)
	}
	return v.NS
}
