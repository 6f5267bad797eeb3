package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
)

// twoTargets is a config of a route over a target where nothing listens and one
// that answers.
func twoTargets(url string) string {
	return "providers:\n  gone: {base_url: 'http://127.0.0.1:1/v1'}\n  sim: {base_url: '" + url + "'}\n" +
		"routes:\n  chat: [gone/quick, sim/quick]\n  plain: sim/quick\n"
}

func TestGatewayFailsOverAndSaysSo(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"quick": "ttft=3ms,gap=1ms"})
	log := filepath.Join(t.TempDir(), "requests.jsonl")
	g := startGateway(t, nil, twoTargets(url), "--log", log, "--log-level", "debug")
	g.chat(t, "plain").whole(t, "sim/quick", "1")
	r := g.chat(t, "chat")
	r.whole(t, "sim/quick", "2")
	record := g.record(t, r)
	if len(record.Attempts) != 2 || record.Attempts[0].Outcome != weir.ConnectError || record.Attempts[1].Outcome != weir.OK || record.Route != "chat" || record.Target != "sim/quick" {
		t.Errorf("%+v", record)
	}
	for _, c := range []struct{ path, holds string }{
		{"/api/v1/requests?limit=1", `{"requests":[{"schema":"weir.request/1","request_id":"` + record.ID},
		{"/metrics", `weir_attempts_total{outcome="connect_error",target="gone/quick"} 1`},
		{"/metrics", `weir_requests_total{outcome="ok",route="chat"} 1`},
		{"/metrics", `weir_target_state{state="closed",target="sim/quick"} 1`},
		{"/metrics", `weir_retry_budget_left 99`},
		{"/api/v1/targets", `"target":"gone/quick","state":"closed"`},
		{"/api/v1/targets", `"routes":["chat","plain"],"keyed":true`},
		{"/readyz", `"status":"ready"`},
		{"/healthz", "ok"},
	} {
		if got := g.get(t, g.admin+c.path); got.status != http.StatusOK || !strings.Contains(got.body, c.holds) {
			t.Errorf("%s: status %d, without %s: %.2000s", c.path, got.status, c.holds, got.body)
		}
	}
	g.waits(t, regexp.MustCompile(`msg=request id=`+record.ID+` route=chat .*attempts=2 outcome=ok`))
	g.stop()
	g.code <- <-g.code
	var last journal.Record
	lines := bytes.Split(bytes.TrimSpace(readFile(t, log)), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil || len(lines) != 2 || last.ID != record.ID || len(last.Attempts) != 2 {
		t.Errorf("%d lines, the last is %+v: %v", len(lines), last, err)
	}
}

func TestGatewayAdmin(t *testing.T) {
	t.Parallel()
	g := startGateway(t, nil, twoTargets(simulator(t, map[string]string{"quick": "ttft=1ms"})))
	for path, status := range map[string]int{
		"/api/v1/requests": 200, "/api/v1/requests?limit=0": 400, "/api/v1/requests?limit=x": 400, "/api/v1/requests?limit=1001": 400,
		"/api/v1/requests/nobody": 404, "/": 404, "/v1/models": 404, "/metrics": 200,
	} {
		if got := g.get(t, g.admin+path); got.status != status || status >= 400 && !strings.HasPrefix(got.body, `{"error":"`) {
			t.Errorf("%s: %+v", path, got)
		}
	}
	for _, path := range []string{"/metrics", "/api/v1/requests", "/api/v1/targets"} {
		if got := g.get(t, g.url+path); got.status != http.StatusNotFound {
			t.Errorf("callers get %s: %d", path, got.status)
		}
	}
	// A page whose name was made to lead to the loopback.
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, g.admin+"/api/v1/requests", nil)
	r.Host = "evil.example"
	resp, err := g.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("another host: %d", resp.StatusCode)
	}
}

func TestGatewayThreeLines(t *testing.T) {
	t.Parallel()
	yaml := "routes:\n  chat: groq/llama-3.3-70b-versatile\n"
	g := startGateway(t, map[string]string{"GROQ_API_KEY": "gsk_0123456789"}, yaml)
	if got := g.get(t, g.url+"/readyz"); got.status != http.StatusOK {
		t.Errorf("%+v", got)
	}
	if got := g.get(t, g.url+"/v1/models"); !strings.Contains(got.body, `"id":"chat"`) {
		t.Errorf("%+v", got)
	}
	g.waits(t, regexp.MustCompile(`keys="none: anyone who reaches it is let in"`))
}

func TestGatewayCallersKeys(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"quick": "ttft=1ms"})
	yaml := twoTargets(url) + fmt.Sprintf("keys:\n  - {name: web, sha256: '%x', routes: [plain], rpm: 2}\n  - {name: all, sha256: '%x'}\n", sha256.Sum256([]byte("web-secret")), sha256.Sum256([]byte("all-secret")))
	g := startGateway(t, nil, yaml)
	ask := func(key, route string) reply {
		return g.do(t, http.MethodPost, g.url+"/v1/chat/completions", key, `{"model":"`+route+`","max_tokens":2,"messages":[{"role":"user","content":"hi"}]}`)
	}
	for i, c := range []struct {
		key, route string
		status     int
	}{{"", "plain", 401}, {"wrong", "plain", 401}, {"web-secret", "chat", 404}, {"web-secret", "plain", 200}, {"web-secret", "plain", 200}, {"web-secret", "plain", 429}} {
		if got := ask(c.key, c.route); got.status != c.status || c.status == 429 && got.header.Get("Retry-After") == "" {
			t.Errorf("%d: %+v", i, got)
		}
	}
	// What a key has used survives a reload.
	g.write(t, yaml+"admin: off\n")
	g.waits(t, regexp.MustCompile(`msg="config taken over"`))
	if got := ask("web-secret", "plain"); got.status != http.StatusTooManyRequests {
		t.Errorf("after a reload: %+v", got)
	}
	if got := ask("all-secret", "plain"); got.status != http.StatusOK {
		t.Errorf("the other key: %+v", got)
	}
}

func TestGatewayReload(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"quick": "ttft=1ms", "slow": "ttft=1ms,gap=60ms"})
	yaml := twoTargets(url) + "  slow: sim/slow\n"
	g := startGateway(t, map[string]string{"THEIRS": "k-1"}, yaml)
	streamed := g.streams(t, "slow", 80) // it was begun under the first config and ends under the third
	g.write(t, twoTargets(url)+"  third: sim/quick\nlisten: 127.0.0.1:9\n")
	g.waits(t, regexp.MustCompile(`msg="config taken over" .*reason="the file changed" routes=3`))
	g.chat(t, "third").whole(t, "sim/quick", "1")
	if got := g.chat(t, "slow"); got.status != http.StatusNotFound {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct{ what, yaml, says string }{
		{"an unknown provider", twoTargets(url) + "  third: nobody/quick\n", `problem="there is no provider`},
		{"nothing", "", `msg="config problem"`},
		{"a key that is not there", strings.Replace(twoTargets(url), "{base_url: '"+url, "{api_key: '${NOPE}', base_url: '"+url, 1), "the key of sim is not there"},
	} {
		before := strings.Count(g.err.String(), "the old one stays")
		g.write(t, c.yaml)
		eventually(t, func() bool { return strings.Count(g.err.String(), "the old one stays") > before }, func() string { return c.what + " is taken over" })
		if !strings.Contains(g.err.String(), c.says) {
			t.Errorf("%s: %q is not said", c.what, c.says)
		}
		g.chat(t, "third").whole(t, "sim/quick", "1")
	}
	g.write(t, twoTargets(url))
	g.waits(t, regexp.MustCompile(`msg="config taken over" .* routes=2`))
	if got := g.chat(t, "third"); got.status != http.StatusNotFound {
		t.Errorf("%+v", got)
	}
	got := <-streamed
	got.whole(t, "sim/slow", "1")
	if n := strings.Count(got.body, `"content":"`); n < 80 {
		t.Errorf("%d events", n)
	}
}

// The streams under way end as they would have; who comes later is told why not.
func TestGatewayDrains(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"slow": "ttft=1ms,gap=20ms"})
	g := startGateway(t, nil, "providers:\n  sim: {base_url: '"+url+"'}\nroutes:\n  slow: sim/slow\n")
	streamed := g.streams(t, "slow", 60)
	g.stop()
	g.waits(t, regexp.MustCompile(`msg="draining.*in_flight=1`))
	eventually(t, func() bool { return g.get(t, g.url+"/readyz").status == http.StatusServiceUnavailable }, func() string { return "it is still ready" })
	if got := g.chat(t, "slow"); got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
		t.Errorf("a new request: %+v", got)
	}
	got := <-streamed
	got.whole(t, "sim/slow", "1")
	g.waits(t, regexp.MustCompile(`msg=drained after=`))
}

func TestGatewayDrainIsBounded(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"slow": "ttft=1ms,gap=20ms"})
	g := startGateway(t, nil, "providers:\n  sim: {base_url: '"+url+"'}\nroutes:\n  slow: sim/slow\ngateway: {drain: 100ms}\n")
	streamed := g.streams(t, "slow", 5000)
	time.Sleep(50 * time.Millisecond) // some of it is to come first
	g.stop()
	if got := <-streamed; strings.Contains(got.body, "[DONE]") || !strings.Contains(got.body, `"error"`) {
		t.Errorf("%.3000s", got.body)
	}
	g.waits(t, regexp.MustCompile(`requests outlasted the drain.*requests=1`))
}

func TestGatewayBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, text := range map[string]string{
		"fine":  "providers: {own: {base_url: 'http://127.0.0.1:1/v1'}}\nroutes: {chat: own/m}\n",
		"bare":  "providers: {own: {base_url: 'http://127.0.0.1:1/v1'}}\n",
		"keys":  "providers: {own: {base_url: 'http://127.0.0.1:1/v1', api_key: '${NOPE}'}}\nroutes: {chat: [own/m, groq/x]}\n",
		"azure": "routes: {chat: azure/gpt}\n",
	} {
		if err := os.WriteFile(name+".yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args  []string
		words []string
	}{
		{nil, []string{"no weir.yaml here", "weir check --example"}},
		{[]string{"-c", "none.yaml"}, []string{"--config", "none.yaml"}},
		{[]string{"-c", "bare.yaml"}, []string{"bare.yaml has no routes"}},
		{[]string{"-c", "keys.yaml"}, []string{"no target has a key", "own/m: ${NOPE} is not set", "groq/x", "GROQ_API_KEY"}},
		{[]string{"-c", "fine.yaml", "--listen", taken.Addr().String()}, []string{"listen " + taken.Addr().String(), "in use", "--listen 127.0.0.1:0"}},
		{[]string{"-c", "fine.yaml", "--listen", "127.0.0.1:0", "--admin", taken.Addr().String()}, []string{"admin " + taken.Addr().String(), "in use"}},
		{[]string{"-c", "fine.yaml", "--log-level", "loud"}, []string{"--log-level"}},
		{[]string{"-c", "fine.yaml", "--listen", "127.0.0.1:0", "--admin", "off", "--log", "no/such/folder.jsonl"}, []string{"--log", "no such"}},
	} {
		o := promptly(t, 5*time.Second, func() outcome { return runWeir(t, append([]string{"gateway", "--log-level", "error"}, c.args...)...) })
		o.oneClearLine(t, 2, c.words...)
	}
	o := runWeir(t, "gateway", "-c", "azure.yaml")
	if o.code != 2 {
		t.Errorf("%+v", o)
	}
	o.says(t, "azure")
}

func TestFileWatch(t *testing.T) {
	stamp := func(n int64) fileStamp { return fileStamp{time.Unix(n, 0), n} }
	w := &fileWatch{read: stamp(1)}
	for i, c := range []struct {
		seen    fileStamp
		changed bool
	}{
		{stamp(1), false},
		{stamp(1), false},
		{stamp(2), false},
		{stamp(3), false},
		{stamp(3), true},
		{stamp(3), false}, // written in two steps
		{fileStamp{}, false},
		{fileStamp{}, false},
		{stamp(3), false},
		{stamp(3), false}, // gone, and back as it was
		{fileStamp{}, false},
		{stamp(4), false},
		{stamp(4), true},
		{stamp(1), false},
		{stamp(1), true}, // an older one was put back
	} {
		if got := w.changed(c.seen); got != c.changed {
			t.Errorf("%d: changed %v", i, got)
		}
	}
}

func TestLoopbackHosts(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:8081": true, "127.0.0.1": true, "127.9.9.9:1": true, "[::1]:80": true, "::1": true, "[::ffff:127.0.0.1]:80": true,
		"evil.example": false, "localhost.evil.example": false, "10.0.0.1:80": false, "": false, "127.0.0.1.evil.example:80": false,
	} {
		if isLoopback(host) != want {
			t.Errorf("%q: %v", host, !want)
		}
	}
}
