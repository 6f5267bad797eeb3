package main

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"weir.dev/weir/internal/sim"
)

func TestCertificates(t *testing.T) {
	handler, err := sim.New(sim.Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewTLSServer(handler)
	defer srv.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o666); err != nil {
		t.Fatal(err)
	}
	bench := func(flags ...string) outcome {
		return runWeir(t, append([]string{"bench", srv.URL + "/v1", "--model", "fast", "-n", "1", "--output-tokens", "2"}, flags...)...)
	}
	if o := bench(); o.code != 1 || !strings.Contains(o.err, "certificate") {
		t.Errorf("an unknown certificate: %+v", o)
	}
	if o := bench("--ca", ca); o.code != 0 {
		t.Errorf("--ca: %+v", o)
	}
	if o := bench("--insecure"); o.code != 0 || !strings.Contains(o.err, "NOT checked") {
		t.Errorf("--insecure: %+v", o)
	}
	for _, bad := range []string{filepath.Join(t.TempDir(), "none"), "network_test.go"} {
		if o := bench("--ca", bad); o.code != 2 || !strings.Contains(o.err, "--ca") {
			t.Errorf("--ca %s: %+v", bad, o)
		}
	}
}

// Proxies are those of the usual variables; loopback goes past them.
func TestProxy(t *testing.T) {
	var asked atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host == "api.invalid" {
			asked.Add(1)
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()
	env := map[string]string{"HTTP_PROXY": proxy.URL}
	weirWith(t.Context(), env, "", "bench", "http://api.invalid/v1", "--model", "m", "-n", "1", "--warmup", "0", "--budget", "1usd")
	if asked.Load() == 0 {
		t.Error("the proxy was not asked")
	}
}
