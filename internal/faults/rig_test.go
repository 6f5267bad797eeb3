package faults

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"weir.dev/weir/internal/weirtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testRun = "0123456789abcdef"

// transport reaches the wall by the host name wall and the endpoint by any other.
func transport(wall, endpoint *weirtest.Network) *http.Transport {
	return &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if strings.HasPrefix(addr, "wall:") {
			return wall.Dial(ctx, network, addr)
		}
		return endpoint.Dial(ctx, network, addr)
	}}
}

// overHTTP2, in place of a number of cells at a time, has endpoint and wall speak
// unencrypted HTTP/2.
const overHTTP2 = 3

func protocols(two bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(!two)
	p.SetUnencryptedHTTP2(two)
	return p
}

// inBubble runs the driver against an endpoint in front of the wall, in virtual
// time. The endpoint is made from the transport that leads to the wall; nil is
// the wall itself.
func inBubble(t *testing.T, c Config, endpoint func(http.RoundTripper) http.Handler, check func(*testing.T, *Scorecard)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		wallNet, endNet := weirtest.NewNetwork(), weirtest.NewNetwork()
		wall := NewWall(WallConfig{}).Server()
		up := transport(wallNet, endNet)
		up.Protocols = protocols(c.Parallel == overHTTP2)
		front := NewWall(WallConfig{}).Server()
		if endpoint != nil {
			front = &http.Server{Handler: endpoint(up)}
		}
		front.ErrorLog = log.New(io.Discard, "", 0)
		served := make(chan error, 2)
		go func() { served <- wall.Serve(wallNet.Listen()) }()
		go func() { served <- front.Serve(endNet.Listen()) }()
		down := transport(wallNet, endNet)
		c.URL, c.Wall, c.Transport, c.Run = "http://endpoint", "http://wall", down, testRun
		if endpoint == nil {
			c.URL = "http://wall"
		}
		card, err := Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		check(t, card)
		down.CloseIdleConnections()
		front.Close()
		up.CloseIdleConnections()
		wall.Close()
		<-served
		<-served
		time.Sleep(time.Minute) // what the endpoint still does for callers that have left
		synctest.Wait()
	})
}

// verdicts are those of all cells.
func verdicts(card *Scorecard) map[string]Verdict {
	got := map[string]Verdict{}
	for _, c := range card.Cells {
		got[c.ID] = c.Verdict
	}
	return got
}

func newGoodGateway(divide int) func(http.RoundTripper) http.Handler {
	return func(up http.RoundTripper) http.Handler {
		return &goodGateway{up: up, divide: time.Duration(divide), until: map[string]time.Time{}}
	}
}
