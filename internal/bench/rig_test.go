package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"weir.dev/weir"
	"weir.dev/weir/internal/weirtest"
	"weir.dev/weir/internal/work"
	"weir.dev/weir/meter"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// endpoint is a server that a test makes, and what it was asked.
type endpoint struct {
	answer func(w http.ResponseWriter, n int, body map[string]any) // n counts from 0

	mu           sync.Mutex
	asked        []map[string]any
	flying, peak int
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var body map[string]any
	_ = json.Unmarshal(raw, &body)
	e.mu.Lock()
	n := len(e.asked)
	e.asked = append(e.asked, body)
	e.flying++
	e.peak = max(e.peak, e.flying)
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.flying--
	}()
	e.answer(w, n, body)
}

// count is how often it was asked, and most how often at once.
func (e *endpoint) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.asked)
}

func (e *endpoint) most() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.peak
}

// prompts are the users' messages, in order of arrival.
func (e *endpoint) prompts() (all []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, body := range e.asked {
		messages := body["messages"].([]any)
		all = append(all, messages[len(messages)-1].(map[string]any)["content"].(string))
	}
	return all
}

// stream answers well: the first token after ttft, two more with a gap.
func stream(ttft, gap time.Duration) func(http.ResponseWriter, int, map[string]any) {
	return func(w http.ResponseWriter, _ int, _ map[string]any) {
		w.Header().Set("Content-Type", "text/event-stream")
		flush := http.NewResponseController(w).Flush
		time.Sleep(ttft)
		for i := range 3 {
			if i > 0 {
				time.Sleep(gap)
			}
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"word"},"finish_reason":null}]}`+"\n\n")
			_ = flush()
		}
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`+"\n\ndata: [DONE]\n\n")
	}
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// tokens is synthetic text of fixed lengths.
func tokens(in, out int) work.Plan {
	return work.Plan{Lengths: work.OnePair(work.Fixed(in), work.Fixed(out))}
}

// bubble runs f in virtual time with an endpoint for each of the answers, and
// a configuration that asks them: 10 requests each, after 1 of warm-up.
func bubble(t *testing.T, answers []func(http.ResponseWriter, int, map[string]any), f func(t *testing.T, c Config, es []*endpoint)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := Config{
			Concurrency: 1, Requests: 10, Warmup: 1, Seed: 7,
			Work:   Work{Plan: tokens(64, 3), Temperature: weir.Some(0.0)},
			Limits: DefaultLimits(),
		}
		byHost := hosts{}
		var es []*endpoint
		var servers []*http.Server
		var served sync.WaitGroup
		for i, answer := range answers {
			e, n := &endpoint{answer: answer}, weirtest.NewNetwork()
			server := &http.Server{Handler: e}
			served.Go(func() { _ = server.Serve(n.Listen()) })
			host := fmt.Sprintf("host-%c", 'a'+i)
			if i >= 26 {
				host = fmt.Sprintf("host-%d", i)
			}
			byHost[host] = meter.NewTransport(meter.Options{Dial: n.Dial})
			es, servers = append(es, e), append(servers, server)
			c.Targets = append(c.Targets, weir.Target{Name: host, URL: "http://" + host + "/v1", Dialect: weir.OpenAIChat, Model: "m"})
		}
		c.Base = byHost
		f(t, c, es)
		for _, s := range servers {
			_ = s.Close()
		}
		served.Wait()
		time.Sleep(time.Second) // net/http lingers for 500 ms after refusing a body
		synctest.Wait()
	})
}

// hosts sends each request over its own network.
type hosts map[string]*http.Transport

func (h hosts) RoundTrip(r *http.Request) (*http.Response, error) { return h[r.URL.Host].RoundTrip(r) }

func (h hosts) CloseIdleConnections() {
	for _, t := range h {
		t.CloseIdleConnections()
	}
}

type answers = []func(http.ResponseWriter, int, map[string]any)

func mustRun(t *testing.T, c Config) *Result {
	t.Helper()
	res, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// count is how many samples of a target there are of an outcome.
func count(res *Result, target string, warmup bool, o weir.Outcome) int {
	n := 0
	for _, s := range res.Samples {
		if s.Target == target && s.Warmup == warmup && s.Outcome == o {
			n++
		}
	}
	return n
}

func measured(res *Result, target string) []weir.Sample {
	return slices.DeleteFunc(slices.Clone(res.Samples), func(s weir.Sample) bool { return s.Warmup || s.Target != target })
}

// recorder is a response that is written in one go.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newRecorder() *recorder { return &recorder{header: http.Header{}, status: http.StatusOK} }

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }
func (w *recorder) Flush()                      {}

func (w *recorder) response(r *http.Request) *http.Response {
	return &http.Response{StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body), Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
}
