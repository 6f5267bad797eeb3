package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"weir.dev/weir/internal/faults"
)

// wall serves a fault wall and a plain reverse proxy in front of it.
func wall(t *testing.T) (wallURL, proxyURL string) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.Config = faults.NewWall(faults.WallConfig{}).Server()
	s.Start()
	t.Cleanup(s.Close)
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := httputil.NewSingleHostReverseProxy(to)
	p.FlushInterval = -1
	return s.URL, serve(t, p)
}

func scorecard(t *testing.T, o outcome) map[string]faults.Verdict {
	t.Helper()
	var card faults.Scorecard
	dec := json.NewDecoder(strings.NewReader(o.out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&card); err != nil {
		t.Fatalf("standard output is no scorecard: %v\n%s%s", err, o.out, o.err)
	}
	got := map[string]faults.Verdict{}
	for _, c := range card.Cells {
		got[c.ID] = c.Verdict
	}
	return got
}

func TestFaultsAgainstARunningWall(t *testing.T) {
	wall, proxy := wall(t)
	addr := strings.TrimPrefix(wall, "http://")
	o := runWeir(t, "faults", proxy+"/v1", "--wall", addr, "--profile", "fast", "--only", "s03,S10,S13", "-o", "json")
	if got := scorecard(t, o); o.code != 0 || len(got) != 3 || got["S03"] != faults.Safe || got["S10"] != faults.Fail || got["S13"] != faults.Pass {
		t.Errorf("code %d, %v", o.code, got)
	}
	for on, code := range map[string]int{"fail": 1, "safe": 1, "never": 0} {
		o := runWeir(t, "faults", proxy, "--wall", wall+"/v1", "--profile", "fast", "--only", "S10", "--fail-on", on)
		if o.code != code || !strings.Contains(o.out, "S10  fail") || !strings.Contains(o.out, "1 fail (profile fast") {
			t.Errorf("--fail-on %s: %+v", on, o)
		}
	}
	if o := runWeir(t, "faults", proxy, "--wall", wall, "--profile", "fast", "--only", "S03", "--fail-on", "fail"); o.code != 0 {
		t.Errorf("safe is no fail: %+v", o)
	}
}

func TestFaultsStartsItsOwnWall(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	o := runWeir(t, "faults", "http://"+addr, "--listen", addr, "--profile", "fast", "--only", "S13,S04", "-o", "json")
	if got := scorecard(t, o); o.code != 0 || got["S13"] != faults.Pass || got["S04"] != faults.Safe {
		t.Errorf("%+v", o)
	}
}

func TestFaultsServe(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan outcome, 1)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	go func() {
		done <- weirWith(ctx, nil, "", "faults", "serve", "--listen", addr, "--profile", "fast", "--verbose")
	}()
	deadline := time.Now().Add(10 * time.Second)
	for {
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/v1/chat/completions", strings.NewReader(`{"model":"S04","messages":[{"role":"user","content":"x"}]}`))
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("status %d", resp.StatusCode)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	o := <-done
	if o.code != 0 || o.out != "" {
		t.Errorf("%+v", o)
	}
	o.says(t, "http://"+addr+"/v1", "model=S04")
}

// The endpoint's key goes to the endpoint alone, and is shown nowhere even where
// the endpoint repeats it.
func TestFaultsHidesTheKey(t *testing.T) {
	wall, _ := wall(t)
	const key = "sk-canary-0123456789abcdef"
	endpoint := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		req, _ := http.NewRequestWithContext(r.Context(), http.MethodPost, wall+r.URL.Path, strings.NewReader(string(body)))
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
		http.Error(w, `{"error":{"message":"no good: `+r.Header.Get("Authorization")+`"}}`, http.StatusBadGateway)
	}))
	for _, output := range []string{"json", "table"} {
		o := weirWith(t.Context(), map[string]string{"GATEWAY_KEY": key}, "", "faults", endpoint, "--wall", wall, "--profile", "fast",
			"--only", "S04,W12", "--key-env", "GATEWAY_KEY", "-o", output)
		if o.code != 0 || strings.Contains(o.out+o.err, "canary-0123") || !strings.Contains(o.out, "no good: ") {
			t.Errorf("%+v", o)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestFaultsBadInput(t *testing.T) {
	wall, proxy := wall(t)
	sim := simulator(t, map[string]string{"m": "ttft=1ms"})
	for _, c := range []struct {
		args  []string
		code  int
		words []string
	}{
		{[]string{"nonsense"}, 2, []string{"base URL"}},
		{[]string{proxy, "--wall", wall, "--only", "S99"}, 2, []string{`"S99"`, "S01 to S16"}},
		{[]string{proxy, "--wall", wall, "--profile", "slow"}, 2, []string{"--profile"}},
		{[]string{proxy, "--wall", wall, "--parallel", "0"}, 2, []string{"--parallel 0"}},
		{[]string{proxy, "--wall", wall, "--key-env", "NOPE"}, 2, []string{"--key-env NOPE", "no such environment variable"}},
		{[]string{proxy, "--wall", "127.0.0.1:1"}, 1, []string{"no wall answers", "weir faults serve"}},
		{[]string{proxy, "--wall", sim}, 1, []string{"no wall", "--wall"}},
		{[]string{proxy, "--listen", "nowhere"}, 2, []string{"--listen"}},
	} {
		runWeir(t, append([]string{"faults"}, c.args...)...).oneClearLine(t, c.code, c.words...)
	}
	o := runWeir(t, "faults", sim, "--wall", wall, "--profile", "fast", "--only", "S01,S13")
	if o.code != 1 || o.out != "" {
		t.Errorf("%+v", o)
	}
	o.says(t, "nothing could be judged", "404")
}
