package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"weir.dev/weir/internal/gateway/journal"
)

// shown is what a command that goes on has printed so far.
type shown struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *shown) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(b)
}

func (s *shown) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// runningGateway is weir gateway, in this process or another.
type runningGateway struct {
	file       string // its config
	url, admin string
	err, out   *shown
	client     *http.Client
	stop       func()
	code       chan int // its exit code, once
}

// startGateway writes a config and runs weir gateway with it. It listens where
// there is room.
func startGateway(t *testing.T, env map[string]string, yaml string, args ...string) *runningGateway {
	t.Helper()
	g := &runningGateway{file: filepath.Join(t.TempDir(), "weir.yaml"), err: &shown{}, out: &shown{}, code: make(chan int, 1)}
	g.write(t, yaml)
	ctx, stop := context.WithCancel(context.Background())
	g.stop = stop
	all := append([]string{"gateway", "-c", g.file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"}, args...)
	go func() {
		g.code <- run(ctx, &process{
			args: all, in: strings.NewReader(""), out: g.out, err: g.err,
			env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		})
	}()
	g.settle(t)
	t.Cleanup(func() {
		stop()
		g.client.CloseIdleConnections()
		select {
		case code := <-g.code:
			if code != 0 {
				t.Errorf("exit code %d", code)
			}
			g.code <- code
		case <-time.After(20 * time.Second):
			t.Errorf("it does not end")
		}
		if g.out.String() != "" {
			t.Errorf("standard output holds %q", g.out)
		}
		if t.Failed() {
			t.Logf("standard error:\n%s", g.err)
		}
	})
	return g
}

var (
	servingLine = regexp.MustCompile(`msg=serving callers=(http://\S+)/v1 .*admin=(\S+)`)
	oldStays    = regexp.MustCompile("the old one stays")
	takenOver   = regexp.MustCompile(`msg="config taken over"`)
)

// settle waits until it serves.
func (g *runningGateway) settle(t *testing.T) {
	t.Helper()
	g.client = &http.Client{Transport: &http.Transport{}}
	g.waits(t, servingLine)
	m := servingLine.FindStringSubmatch(g.err.String())
	g.url, g.admin = m[1], m[2]
}

// waits until standard error matches.
func (g *runningGateway) waits(t *testing.T, what *regexp.Regexp) {
	t.Helper()
	eventually(t, func() bool { return what.MatchString(g.err.String()) }, func() string { return what.String() + " is not said: " + g.err.String() })
}

func eventually(t *testing.T, holds func() bool, complaint func() string) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(complaint())
		}
	}
}

// write replaces the config in one step, as editors do.
func (g *runningGateway) write(t *testing.T, yaml string) {
	t.Helper()
	if err := os.WriteFile(g.file+".new", []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(g.file+".new", g.file); err != nil {
		t.Fatal(err)
	}
}

// reply is an answer of the gateway, whole.
type reply struct {
	status int
	header http.Header
	body   string
}

func (g *runningGateway) do(t *testing.T, method, url, key, body string) reply {
	t.Helper()
	got, err := g.try(t.Context(), method, url, key, body)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (g *runningGateway) try(ctx context.Context, method, url, key, body string) (reply, error) {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := g.client.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(b)}, err
}

// streams asks a route for so many tokens, and waits until the stream is under
// way. What comes of it is in the channel.
func (g *runningGateway) streams(t *testing.T, route string, tokens int) <-chan reply {
	t.Helper()
	done, over := make(chan reply, 1), make(chan struct{})
	go func() {
		defer close(over)
		got, err := g.try(t.Context(), http.MethodPost, g.url+"/v1/chat/completions", "", streamBody(route, tokens))
		if err != nil {
			t.Errorf("the stream of %s: %v", route, err)
		}
		done <- got
	}()
	t.Cleanup(func() { <-over })
	eventually(t, func() bool { return strings.Contains(g.get(t, g.admin+"/metrics").body, "weir_requests_in_flight 1") }, func() string { return "no stream" })
	return done
}

func streamBody(route string, tokens int) string {
	return fmt.Sprintf(`{"model":%q,"stream":true,"max_tokens":%d,"messages":[{"role":"user","content":"hi"}]}`, route, tokens)
}

// chat asks a route, streamed.
func (g *runningGateway) chat(t *testing.T, route string) reply {
	t.Helper()
	return g.do(t, http.MethodPost, g.url+"/v1/chat/completions", "", streamBody(route, 8))
}

func (g *runningGateway) get(t *testing.T, url string) reply {
	t.Helper()
	return g.do(t, http.MethodGet, url, "", "")
}

// record is what the admin API has of a reply.
func (g *runningGateway) record(t *testing.T, of reply) journal.Record {
	t.Helper()
	var got journal.Record
	var raw reply
	eventually(t, func() bool {
		raw = g.get(t, g.admin+"/api/v1/requests/"+of.header.Get("X-Weir-Request-Id"))
		return raw.status == http.StatusOK // the record comes once the answer has gone
	}, func() string { return raw.body })
	if err := json.Unmarshal([]byte(raw.body), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func (r reply) whole(t *testing.T, target, attempts string) {
	t.Helper()
	if r.status != http.StatusOK || !strings.HasSuffix(r.body, "data: [DONE]\n\n") || r.header.Get("X-Weir-Target") != target || r.header.Get("X-Weir-Attempts") != attempts {
		t.Errorf("status %d, target %q after %q attempts: %s", r.status, r.header.Get("X-Weir-Target"), r.header.Get("X-Weir-Attempts"), r.body)
	}
}
