package faults

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
)

// onSockets runs the driver against an endpoint over TCP.
func onSockets(ctx context.Context, t *testing.T, c Config, endpoint func(http.RoundTripper) http.Handler) *Scorecard {
	t.Helper()
	wall := NewWall(WallConfig{}).Server()
	c.Wall = serveTCP(t, wall)
	dialer := &net.Dialer{}
	up := &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, strings.TrimPrefix(c.Wall, "http://"))
	}}
	c.URL = c.Wall
	if endpoint != nil {
		c.URL = serveTCP(t, &http.Server{Handler: endpoint(up)})
	}
	down := &http.Transport{DisableCompression: true}
	c.Transport, c.Run, c.Profile = down, testRun, Fast
	card, err := Run(ctx, c)
	down.CloseIdleConnections()
	up.CloseIdleConnections()
	if err != nil {
		t.Fatal(err)
	}
	return card
}

func serveTCP(t *testing.T, s *http.Server) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve(ln)
	}()
	t.Cleanup(func() {
		s.Close()
		<-done
	})
	return "http://" + ln.Addr().String()
}

// What only the kernel does: a reset, a socket that fills up.
func TestOverTCP(t *testing.T) {
	for name, c := range map[string]struct {
		endpoint func(http.RoundTripper) http.Handler
		want     map[string]Verdict
	}{
		"plain proxy":  {plainProxy, map[string]Verdict{"S05": Safe, "S08": Fail, "W05": Fail}},
		"good gateway": {newGoodGateway(fastDivisor), map[string]Verdict{"S05": Pass, "S08": Pass, "W05": Pass, "W07": Pass}},
		"nothing":      {nil, map[string]Verdict{"S05": Safe, "S08": Fail}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var only []string
			for id := range c.want {
				only = append(only, id)
			}
			holds(t, onSockets(t.Context(), t, Config{Only: only}, c.endpoint), c.want)
		})
	}
}
