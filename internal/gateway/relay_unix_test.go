//go:build unix

package gateway_test

import (
	"bytes"
	"crypto/sha256"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/gateway/tenant"
	"weir.dev/weir/internal/route"
	"weir.dev/weir/meter"
)

// The relay beside httputil.ReverseProxy (docs/adr/0014): processor time, which
// a busy machine changes less than it does the clock. Callers and targets are in
// it, so the direct run is there to be taken off.

const (
	benchEvents  = 100
	benchGap     = 10 * time.Millisecond
	benchStreams = 50
)

const benchWhole = `{"id":"chatcmpl-0123456789","object":"chat.completion","created":1700000000,"model":"gpt-4o-2024-08-06","choices":[{"index":0,"message":{"role":"assistant","content":"A weir is a low wall built across a river to raise the water above it."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":17,"total_tokens":26}}`

func benchTarget(gap time.Duration) http.HandlerFunc {
	last := bytes.Replace(benchEvent, []byte(`{"content":" water"},"logprobs":null,"finish_reason":null`), []byte(`{},"finish_reason":"stop"`), 1)
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !bytes.Contains(body[:min(len(body), 64)], []byte(`"stream":true`)) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, benchWhole)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		due := time.Now()
		for range benchEvents {
			w.Write(benchEvent)
			w.(http.Flusher).Flush()
			due = due.Add(gap)
			time.Sleep(time.Until(due))
		}
		w.Write(append(bytes.Clone(last), "data: [DONE]\n\n"...))
	}
}

// benchProxy is the bare proxy, with the body read first as it has to be.
func benchProxy(up string) http.Handler {
	u, _ := url.Parse(up)
	p := httputil.NewSingleHostReverseProxy(u)
	p.Transport, p.FlushInterval, p.ErrorLog = meter.NewTransport(meter.Options{}), -1, log.New(io.Discard, "", 0)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		p.ServeHTTP(w, r)
	})
}

// benchGateway has everything on: a key with limits, two targets, the log.
func benchGateway(b *testing.B, up string) http.Handler {
	r := gateway.Route{Plan: &route.Route{Name: "m"}}
	for _, name := range []string{"A", "B"} {
		r.Targets = append(r.Targets, gateway.Target{Target: weir.Target{Name: name, URL: up + "/v1", Dialect: weir.OpenAIChat, Model: "model"}})
		r.Plan.Targets = append(r.Plan.Targets, route.Target{Name: name, Keyed: true, Dialect: weir.OpenAIChat})
	}
	l, err := journal.Open(journal.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s, err := gateway.New(gateway.Config{
		Routes:  []gateway.Route{r},
		Tenants: tenant.New([]tenant.Key{{Name: "k", SHA256: sha256.Sum256([]byte("key")), RPM: 1 << 30, TPM: 1 << 30}}), Upstream: meter.NewTransport(meter.Options{}),
	}, gateway.Parts{Journal: l})
	if err != nil {
		b.Fatal(err)
	}
	return s.Handler()
}

func BenchmarkRelay(b *testing.B) {
	body := func(n int) string {
		return `{"model":"m","stream":true,"messages":[{"role":"user","content":"` + strings.Repeat("water ", n/6) + `"}]}`
	}
	for _, c := range []struct {
		name string
		gap  time.Duration
		body string
	}{
		{"sparse", benchGap, body(600)},
		{"instant", 0, body(600)},
		{"100KB", 0, body(100_000)},
		{"whole", 0, strings.Replace(body(600), "true", "false", 1)},
		{"whole1MB", 0, strings.Replace(body(1_000_000), "true", "false", 1)},
	} {
		b.Run(c.name, func(b *testing.B) {
			up := httptest.NewServer(benchTarget(c.gap))
			defer up.Close()
			for _, way := range []string{"direct", "reverseproxy", "gateway"} {
				b.Run(way, func(b *testing.B) {
					front := up
					switch way {
					case "reverseproxy":
						front = httptest.NewServer(benchProxy(up.URL))
						defer front.Close()
					case "gateway":
						front = httptest.NewServer(benchGateway(b, up.URL))
						defer front.Close()
					}
					benchStream(b, front.URL, c.body)
				})
			}
		})
	}
}

func benchStream(b *testing.B, base, body string) {
	client := &http.Client{Transport: meter.NewTransport(meter.Options{})}
	defer client.CloseIdleConnections()
	round := func() {
		var group sync.WaitGroup
		for range benchStreams {
			group.Go(func() {
				r, _ := http.NewRequest(http.MethodPost, base+"/v1/chat/completions", strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer key")
				resp, err := client.Do(r)
				if err != nil {
					b.Error(err)
					return
				}
				defer resp.Body.Close()
				if n, err := io.Copy(io.Discard, resp.Body); err != nil || n < int64(len(benchWhole)) {
					b.Errorf("%d bytes, %v", n, err)
				}
			})
		}
		group.Wait()
	}
	round()
	before := cpu()
	b.ResetTimer()
	for range b.N {
		round()
	}
	b.StopTimer()
	used := float64(cpu() - before)
	b.ReportMetric(used/float64(b.N*benchStreams*benchEvents)/1e3, "cpu-µs/event")
	b.ReportMetric(used/float64(b.N*benchStreams)/1e3, "cpu-µs/request")
}

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
