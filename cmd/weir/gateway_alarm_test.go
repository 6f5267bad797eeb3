package main

import (
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// A target that goes out of use is said once, and that it is back, too.
func TestGatewayAlarm(t *testing.T) {
	t.Parallel()
	var bad atomic.Bool
	bad.Store(true)
	inner := simulated(t, map[string]string{"quick": "ttft=1ms"})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if bad.Load() {
			http.Error(w, `{"error":{"message":"down"}}`, http.StatusServiceUnavailable)
			return
		}
		inner.ServeHTTP(w, r)
	})) + "/v1"
	g := startGateway(t, nil, "providers: {sim: {base_url: '"+url+"'}}\nroutes: {chat: sim/quick}\ngateway: {breaker: {failures: 2, open: 50ms}}\n")
	for range 3 {
		g.chat(t, "chat")
	}
	g.waits(t, regexp.MustCompile(`level=WARN msg="target out of use" target=sim/quick reason=open until=\S+ outcome=upstream_error status=503 error=down`))
	bad.Store(false)
	eventually(t, func() bool {
		g.chat(t, "chat")
		return strings.Contains(g.err.String(), `level=INFO msg="target in use again" target=sim/quick`)
	}, func() string { return "it is not back" })
	if n := strings.Count(g.err.String(), "target out of use"); n != 1 {
		t.Errorf("said %d times", n)
	}
}
