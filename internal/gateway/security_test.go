package gateway_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/gateway/tenant"
)

// docs/security.md has a row for each of these.

// A body whose end is in doubt is refused, and what stands behind it is no
// request. What a target gets is framed anew.
func TestSecuritySmuggling(t *testing.T) {
	const inner = "POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nX-Smuggled: 1\r\nContent-Length: 2\r\n\r\n{}"
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(mineBody), mineBody)
	for name, sent := range map[string]string{
		"two lengths":            post(fmt.Sprintf("Content-Length: %d\r\nContent-Length: 2\r\n", len(mineBody)), mineBody) + inner,
		"a list of lengths":      post(fmt.Sprintf("Content-Length: %d, 2\r\n", len(mineBody)), mineBody) + inner,
		"a signed length":        post(fmt.Sprintf("Content-Length: +%d\r\n", len(mineBody)), mineBody) + inner,
		"a negative length":      post("Content-Length: -1\r\n", mineBody) + inner,
		"two encodings":          post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", chunked) + inner,
		"an unknown encoding":    post("Transfer-Encoding: xchunked\r\n", chunked) + inner,
		"a list of encodings":    post("Transfer-Encoding: gzip, chunked\r\n", chunked) + inner,
		"a blank before a colon": post("Transfer-Encoding : chunked\r\n", chunked) + inner,
		"a signed chunk":         post("Transfer-Encoding: chunked\r\n", "+"+chunked) + inner,
		"a chunk too long":       post("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n"+mineBody) + inner,
		"a NUL in a header":      wholePost("Connection: keep-alive\r\nX-A: a\x00b\r\n", mineBody) + inner,
		"a CR in a header":       wholePost("Connection: keep-alive\r\nTraceparent: a\rX-B: b\r\n", mineBody) + inner,
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t, nil, nil)
			answers, closed := g.raw(t, sent)
			if len(answers) > 1 || len(answers) == 1 && answers[0].StatusCode < 400 || !closed {
				t.Errorf("%d answers, closed %v", len(answers), closed)
			}
			if _, bodies := g.up.all(); len(bodies) > 0 {
				t.Errorf("the target was asked: %q", bodies)
			}
		})
	}
}

// With both framings the encoding counts (RFC 9112, 6.3), and the target sees a
// length only.
func TestSecurityLengthAndEncoding(t *testing.T) {
	g := newGate(t, nil, nil)
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(mineBody), mineBody)
	answers, closed := g.raw(t, post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", chunked))
	if len(answers) > 1 {
		t.Errorf("%d answers", len(answers))
	}
	heads, bodies := g.up.all()
	for i, h := range heads {
		if h.Get("Transfer-Encoding") != "" || h.Get("Content-Length") != fmt.Sprint(len(bodies[i])) || !strings.Contains(bodies[i], `"model":"up"`) {
			t.Errorf("the target got %v: %q", h, bodies[i])
		}
	}
	if !closed {
		t.Error("the connection is kept, and what follows in it may be somebody else's")
	}
}

func TestSecurityHeaders(t *testing.T) {
	leaky := func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{
			"Set-Cookie": "s=1", "Location": "http://evil.example", "X-Weir-Target": "evil", "X-Weir-Request-Id": "evil", "Alt-Svc": `h3=":443"`, "Strict-Transport-Security": "max-age=1",
			"Connection": "X-Private", "X-Private": "1", "Access-Control-Allow-Origin": "*", "Server": "evil", "Authorization": "Bearer " + canaryTarget,
		} {
			w.Header().Set(name, value)
		}
		sayGood(w, r)
	}
	g := newGate(t, leaky, nil)
	answers, _ := g.raw(t, wholePost("Connection: close, Idempotency-Key\r\nIdempotency-Key: between-two-hops\r\nTraceparent: 00-1\r\nTraceparent: 00-2\r\nCookie: c=1\r\nX-Api-Key: k\r\nProxy-Authorization: Basic eA==\r\nTe: trailers\r\nUpgrade: h2c\r\nForwarded: for=1\r\nX-Forwarded-For: 1.2.3.4\r\nX-Http-Method-Override: DELETE\r\n", mineBody))
	heads, _ := g.up.all()
	if len(answers) != 1 || answers[0].StatusCode != 200 || len(heads) != 1 {
		t.Fatalf("%d answers, %d calls", len(answers), len(heads))
	}
	for name := range heads[0] {
		if !slices.Contains([]string{"Authorization", "Accept", "Accept-Encoding", "Content-Length", "Content-Type", "User-Agent", "Traceparent"}, name) {
			t.Errorf("%s reached the target: %q", name, heads[0][name])
		}
	}
	if got := heads[0]["Traceparent"]; len(got) != 1 || heads[0].Get("Authorization") != "Bearer "+canaryTarget {
		t.Errorf("the target got %v", heads[0])
	}
	for _, name := range []string{"Set-Cookie", "Location", "Alt-Svc", "Strict-Transport-Security", "X-Private", "Access-Control-Allow-Origin", "Server", "Authorization"} {
		if v := answers[0].Header.Get(name); v != "" {
			t.Errorf("%s of the target reached the caller: %q", name, v)
		}
	}
	if v := answers[0].Header.Get("X-Weir-Target"); v != "A" || answers[0].Header.Get("X-Weir-Request-Id") == "evil" {
		t.Errorf("the target says for the gateway: %v", answers[0].Header)
	}
}

func TestSecurityLimits(t *testing.T) {
	small := func(c *gateway.Config) { c.Bounds = gateway.Bounds{Body: 4 << 10, Header: 8 << 10} }
	long := strings.Repeat("x", 64<<10)
	for name, test := range map[string]struct {
		sent string
		want int
	}{
		"head":             {wholePost("X-A: "+long+"\r\n", mineBody), http.StatusRequestHeaderFieldsTooLarge},
		"many headers":     {wholePost(strings.Repeat("X-A: aaaaaaaaaaaaaaaaaaaaaaaa\r\n", 3000), mineBody), http.StatusRequestHeaderFieldsTooLarge},
		"URL":              {"GET /" + long + " HTTP/1.1\r\nHost: g\r\n\r\n", http.StatusRequestHeaderFieldsTooLarge},
		"body":             {wholePost("", `{"a":"`+long+`"}`), http.StatusRequestEntityTooLarge},
		"said length":      {post("Content-Length: 99999999999\r\n", "{"), http.StatusRequestEntityTooLarge},
		"endless body":     {post("Transfer-Encoding: chunked\r\n", strings.Repeat("400\r\n"+strings.Repeat("x", 1024)+"\r\n", 64)), http.StatusRequestEntityTooLarge},
		"a compressed one": {wholePost("Content-Encoding: gzip\r\n", "\x1f\x8b\x08\x00\x00\x00\x00\x00"), http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t, nil, small)
			answers, _ := g.raw(t, test.sent)
			if len(answers) != 1 || answers[0].StatusCode != test.want {
				t.Errorf("got %v", answers)
			}
			if _, bodies := g.up.all(); len(bodies) > 0 {
				t.Error("the target was asked")
			}
		})
	}
}

// A caller that sends a byte now and then holds a connection for as long as the
// bounds say and no longer, and nobody is asked for it.
func TestSecuritySlowloris(t *testing.T) {
	bounds := func(c *gateway.Config) {
		c.Bounds = gateway.Bounds{ReadHeader: 300 * time.Millisecond, ReadBody: 300 * time.Millisecond, Idle: 300 * time.Millisecond}
	}
	for name, test := range map[string]struct{ first, drip string }{
		"head":       {"POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\n", "X-A: 1\r\n"},
		"body":       {post("Content-Length: 1000\r\n", `{"model":"mine"`), " "},
		"chunks":     {post("Transfer-Encoding: chunked\r\n", ""), "1\r\n \r\n"},
		"wrong key":  {"POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nContent-Length: 1000\r\n\r\n", " "},
		"other path": {"POST /v1/nothing HTTP/1.1\r\nHost: g\r\nContent-Length: 100000\r\n\r\n", " "},
		"idle":       {"", ""},
		"kept":       {"GET /healthz HTTP/1.1\r\nHost: g\r\n\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGate(t, nil, bounds)
			c, err := net.Dial("tcp", g.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			began := time.Now()
			io.WriteString(c, test.first)
			stop := make(chan bool)
			var dripping sync.WaitGroup
			dripping.Go(func() {
				for test.drip != "" {
					select {
					case <-time.After(50 * time.Millisecond):
						if _, err := io.WriteString(c, test.drip); err != nil {
							return
						}
					case <-stop:
						return
					}
				}
			})
			c.SetReadDeadline(time.Now().Add(5 * time.Second))
			_, err = io.Copy(io.Discard, c)
			close(stop)
			dripping.Wait()
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the connection is still open after %v", time.Since(began))
			}
			if _, bodies := g.up.all(); len(bodies) > 0 {
				t.Error("the target was asked")
			}
		})
	}
}

// A target that points elsewhere is not followed, with or without credentials.
func TestSecurityRedirect(t *testing.T) {
	var evil int
	var mu sync.Mutex
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		evil++
	}))
	defer elsewhere.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{elsewhere.URL + "/steal", "//" + elsewhere.Listener.Addr().String() + "/", "/v1/other"} {
			g := newGate(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, code) }, nil)
			answers, _ := g.raw(t, wholePost("", mineBody))
			if len(answers) != 1 || answers[0].StatusCode < 500 || answers[0].Header.Get("Location") != "" {
				t.Errorf("%d to %s: the caller got %v", code, to, answers)
			}
			if slices.Contains(g.up.paths, "/v1/other") {
				t.Errorf("%d to %s was followed", code, to)
			}
		}
	}
	if mu.Lock(); evil > 0 {
		t.Errorf("the other server was asked %d times", evil)
	}
	mu.Unlock()
}

// What a caller sends chooses a route and nothing else: no host, no path.
func TestSecurityForgedTarget(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other server was asked") }))
	defer elsewhere.Close()
	host := elsewhere.Listener.Addr().String()
	g := newGate(t, nil, nil)
	for _, sent := range []string{
		"CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
		"GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
		strings.Replace(strings.Replace(wholePost("", mineBody), "POST /v1", "POST http://"+host+"/v1", 1), "Host: g", "Host: "+host, 1),
		wholePost("", strings.Replace(mineBody, "mine", "http://"+host+"/v1", 1)),
		wholePost("", strings.Replace(mineBody, "mine", "../../mine", 1)),
		wholePost("X-Weir-Target: "+host+"\r\nX-Forwarded-Host: "+host+"\r\n", mineBody),
	} {
		answers, _ := g.raw(t, sent)
		if len(answers) != 1 {
			t.Errorf("%.60q: %d answers", sent, len(answers))
		}
	}
	for _, path := range g.up.paths {
		if path != "/v1/chat/completions" {
			t.Errorf("the target was asked for %s", path)
		}
	}
}

// A key does not reach, or learn of, a route that is not its own.
func TestSecurityTenants(t *testing.T) {
	g := newGate(t, nil, nil)
	other, _ := g.raw(t, wholePost("", strings.Replace(mineBody, "mine", "yours", 1)))
	none, _ := g.raw(t, wholePost("", strings.Replace(mineBody, "mine", "nosuc", 1)))
	if len(other) != 1 || len(none) != 1 || other[0].StatusCode != 404 {
		t.Fatalf("got %v and %v", other, none)
	}
	if a, b := bodyOf(other[0]), bodyOf(none[0]); strings.Replace(a, "yours", "", 1) != strings.Replace(b, "nosuc", "", 1) {
		t.Errorf("another's route can be told from none: %s and %s", a, b)
	}
	list, _ := g.raw(t, get("/v1/models"))
	if len(list) != 1 || strings.Contains(bodyOf(list[0]), "yours") {
		t.Error("another's route is listed")
	}
	for _, path := range []string{"/metrics", "/api/v1/requests", "/api/v1/targets", "/debug/pprof/", "/v1/../api/v1/requests", "//api/v1/requests"} {
		answers, _ := g.raw(t, get(path))
		if len(answers) != 1 || answers[0].StatusCode < 300 {
			t.Errorf("callers may read %s", path)
		}
	}
	if _, bodies := g.up.all(); len(bodies) > 0 {
		t.Errorf("the target was asked: %q", bodies)
	}
}

// Many calls at once get no more than one after another would.
func TestSecurityParallelCalls(t *testing.T) {
	const calls = 60
	cost := 100*10/1e6 + 100*1/1e6 // at most, of one
	for name, test := range map[string]struct {
		limits tenant.Key
		most   int
	}{
		"requests": {tenant.Key{RPM: 7}, 7},
		"tokens":   {tenant.Key{TPM: 1000}, 9}, // 100 of the answer each, and the prompt
		"budget":   {tenant.Key{Budget: weir.Some(tenant.Budget{USD: 10 * cost, Per: tenant.Day})}, 11},
	} {
		t.Run(name, func(t *testing.T) {
			slowly := func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(200 * time.Millisecond)
				sayGood(w, r)
			}
			g := newGate(t, slowly, func(c *gateway.Config) { c.Tenants = tenant.New(gateKeys(test.limits)) })
			var all sync.WaitGroup
			var mu sync.Mutex
			status := map[int]int{}
			for range calls {
				all.Go(func() {
					answers, _ := g.raw(t, wholePost("", mineBody))
					mu.Lock()
					defer mu.Unlock()
					for _, a := range answers {
						status[a.StatusCode]++
						if a.StatusCode == 429 && a.Header.Get("Retry-After") == "" {
							t.Error("a refusal names no time")
						}
					}
				})
			}
			all.Wait()
			_, bodies := g.up.all()
			if n := len(bodies); n == 0 || n > test.most || status[200] != n || status[429] != calls-n {
				t.Errorf("%d of %d calls reached the target, at most %d may; %v", n, calls, test.most, status)
			}
		})
	}
}

// Saying little of the answer's length gets no more calls past a budget: what
// counts is the most that any target may read the request to ask for.
func TestSecurityCallsThatSayLittle(t *testing.T) {
	for _, limits := range []string{
		``, `"max_tokens":1,"n":1000,`, `"max_tokens":1,"MAX_TOKENS":100000,`, `"max_completion_tokens":1,"max_tokens":100000,`, `"max_tokens":-5,`, `"max_tokens":100000,"max_tokens":1,`,
	} {
		slowly := func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(100 * time.Millisecond)
			sayGood(w, r)
		}
		budget := tenant.Budget{USD: 3.5 * (1000*10/1e6 + 100*1/1e6), Per: tenant.Day} // for three answers of a thousand tokens
		g := newGate(t, slowly, func(c *gateway.Config) {
			c.Tenants = tenant.New(gateKeys(tenant.Key{Budget: weir.Some(budget)}))
		})
		body := strings.Replace(mineBody, `"max_tokens":100,`, limits, 1)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { g.raw(t, wholePost("", body)) })
		}
		all.Wait()
		if _, bodies := g.up.all(); len(bodies) > 3 {
			t.Errorf("%s: %d calls reached the target, three may", limits, len(bodies))
		}
	}
}

// What callers and targets say is one value of one line, whatever signs are in
// it, and never the name of a metric.
func TestSecurityLogInjection(t *testing.T) {
	const forged = "x\nlevel=ERROR msg=forged\r\n{\"schema\":\"forged\"}\u2028\x1b[31m"
	said, _ := json.Marshal(forged)
	g := newGate(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "a\tb\x1b[31m")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, `{"error":{"message":%s,"type":%s,"code":%s}}`, said, said, said)
	}, nil)
	sent := []string{
		wholePost("Idempotency-Key: x\ty\r\n", mineBody),
		wholePost("", strings.Replace(mineBody, `"mine"`, string(said), 1)),
		"POST /v1/x%0alevel=ERROR%20msg=forged HTTP/1.1\r\nHost: g\r\n\r\n",
		wholePost("", mineBody[:20]+string(said)),
	}
	for _, s := range sent {
		g.raw(t, s)
	}
	g.journal.Close()
	b, err := os.ReadFile(g.file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var r struct{ Schema string }
		if json.Unmarshal([]byte(line), &r) != nil || r.Schema != "weir.request/1" {
			t.Errorf("a line of the request log is %q", line)
		}
	}
	if strings.ContainsAny(string(b), "\x1b\r") {
		t.Error("the request log has control characters")
	}
	for line := range strings.Lines(g.log.String()) {
		if !strings.HasPrefix(line, "time=") || strings.ContainsAny(line, "\x1b\r") {
			t.Errorf("a line of the log is %q", line)
		}
	}
	if page := g.page(); strings.Contains(page, "forged") {
		t.Error("a caller made a metric")
	}
}

func (g *gate) page() string {
	w := httptest.NewRecorder()
	g.metrics.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// No key is in an answer, an error, a log, a record or a metric, whoever says it.
func TestSecurityKeys(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"good": sayGood,
		"an error that repeats it": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Request-Id", r.Header.Get("Authorization"))
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %[1]s","type":"%[1]s","code":"%[1]s","param":"%[1]s"}}`, r.Header.Get("Authorization"))
		},
		"a bad request that repeats it": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":"%[1]s","type":"%[1]s","code":"%[1]s"}}`, r.Header.Get("Authorization"))
		},
		"a page": func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "<html>%v</html>", r.Header) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/?key="+r.Header.Get("Authorization"), http.StatusFound)
		},
		"nothing": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t, answer, nil)
			var told strings.Builder
			for _, sent := range []string{
				wholePost("", mineBody),
				wholePost("", strings.Replace(mineBody, "{", `{"stream":true,`, 1)),
				strings.Replace(wholePost("", mineBody), "Bearer ", "Bearer x", 1),
				strings.Replace(get("/v1/models"), "Authorization: Bearer", "X-Api-Key:", 1),
			} {
				answers, _ := g.raw(t, sent)
				for _, a := range answers {
					fmt.Fprintln(&told, a.Header, bodyOf(a))
				}
			}
			records, _ := json.Marshal(g.journal.Recent(100))
			g.journal.Close()
			lines, _ := os.ReadFile(g.file)
			for place, text := range map[string]string{"an answer": told.String(), "the log": g.log.String(), "the records": string(records), "the request log": string(lines), "the metrics": g.page()} {
				if strings.Contains(text, "CANARY") {
					t.Errorf("a key is in %s: %s", place, text[max(0, strings.Index(text, "CANARY")-200):])
				}
			}
			heads, _ := g.up.all()
			for _, h := range heads {
				if strings.Contains(fmt.Sprint(h), "caller") || h.Get("Authorization") != "Bearer "+canaryTarget {
					t.Errorf("the target got %v", h)
				}
			}
		})
	}
}

// A body made to hurt its reader is refused soon, and for little memory.
func TestSecurityJSON(t *testing.T) {
	deep := 1 << 20
	for name, body := range map[string]string{
		"deep lists":       `{"model":"mine","messages":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `}`,
		"deep objects":     `{"model":"mine","messages":` + strings.Repeat(`{"a":`, deep/4) + "1" + strings.Repeat("}", deep/4) + `}`,
		"never closed":     strings.Repeat("[", deep),
		"many backslashes": `{"model":"` + strings.Repeat(`\\`, deep),
		"half a surrogate": `{"model":"\ud800`,
		"no UTF-8":         "{\"model\":\"mine\",\"x\":\"\xff\xfe\"}\x00",
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate(t, nil, nil)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			answers, _ := g.raw(t, wholePost("", body))
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if len(answers) != 1 || answers[0].StatusCode != http.StatusBadRequest {
				t.Errorf("got %v", answers)
			}
			if took > 3*time.Second || after.TotalAlloc-before.TotalAlloc > 32<<20 {
				t.Errorf("it took %v and %d MiB", took, (after.TotalAlloc-before.TotalAlloc)>>20)
			}
			if _, bodies := g.up.all(); len(bodies) > 0 {
				t.Error("the target was asked")
			}
		})
	}
	t.Run("many members", func(t *testing.T) {
		g := newGate(t, nil, nil)
		var b bytes.Buffer
		b.WriteString(`{"model":"mine"`)
		for i := range 200_000 {
			fmt.Fprintf(&b, `,"k%d":%d`, i, i)
		}
		b.WriteString(`}`)
		began := time.Now()
		answers, _ := g.raw(t, wholePost("", b.String()))
		if len(answers) != 1 || time.Since(began) > 3*time.Second {
			t.Errorf("%d answers after %v", len(answers), time.Since(began))
		}
	})
}

// However often and in whatever letters a body names its model, a target reads
// the route's model, even one that takes any case, the first or the last.
func TestSecurityModelTwice(t *testing.T) {
	for _, members := range []string{
		`"model":"mine","model":"dear"`, `"model":"dear","model":"mine"`, `"Model":"dear","model":"mine"`, `"model":"mine","MODEL":"dear"`,
		`"mod\u0065l":"dear","model":"mine"`, `"model":"mine","\u006dodel":"dear"`, `"\u004dodel":"dear","model":"mine"`, `"model":"mine","model":null`,
		`"model":"mine","model":["dear"]`, `"model":{"model":"dear"},"model":"mine"`,
		`"model":"up","Model":"dear"`, `"Model":"mine"`, `"model":"dear"`, `"Model":"up","model":"mine"`,
	} {
		g := newGate(t, nil, nil)
		answers, _ := g.raw(t, wholePost("", `{`+members+`,"messages":[]}`))
		if len(answers) != 1 {
			t.Errorf("%s: %d answers", members, len(answers))
		}
		_, bodies := g.up.all()
		for _, body := range bodies {
			for _, got := range modelsOf(t, body) {
				if got != `"up"` {
					t.Errorf("%s: the target may read the model %s in %s", members, got, body)
				}
			}
		}
	}
}

// modelsOf are all values that some reader takes for the model.
func modelsOf(t *testing.T, body string) (found []string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	if _, err := d.Token(); err != nil {
		t.Errorf("the target got %q", body)
		return nil
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			t.Errorf("the target got %q", body)
			return found
		}
		if s, ok := name.(string); ok && strings.EqualFold(s, "model") {
			found = append(found, string(value))
		}
	}
	return found
}
