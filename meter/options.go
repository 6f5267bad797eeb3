package meter

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"time"

	"weir.dev/weir/internal/stamp"
)

// Options shape the transport that NewTransport builds. The zero value is what
// measuring wants.
type Options struct {
	Proxy    func(*http.Request) (*url.URL, error) // nil: no proxy
	RootCAs  *x509.CertPool                        // nil: the system's
	Insecure bool                                  // accept any certificate
	// HTTP2 allows it. Off by default: net/http reads all streams of an HTTP/2
	// connection in one loop, so that one stream's stamps depend on the others.
	HTTP2 bool
	// Stamp has the kernel stamp what arrives, where it can (Linux): times are
	// then good to some 10 µs however busy this process is, for a third of a
	// microsecond of processor time per read.
	Stamp bool
	// Dial makes the connections; nil means TCP.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// NewTransport builds an http.Transport for measuring: no compression, warm
// connections kept for as many streams as are open, HTTP/1.1 unless asked.
func NewTransport(o Options) *http.Transport {
	dial := o.Dial
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	}
	if o.Stamp {
		dial = stamp.Dial(dial)
	}
	t := &http.Transport{
		Proxy:               o.Proxy,
		DialContext:         dial,
		TLSClientConfig:     &tls.Config{RootCAs: o.RootCAs, InsecureSkipVerify: o.Insecure, MinVersion: tls.VersionTLS12},
		DisableCompression:  true,
		MaxIdleConnsPerHost: 4096,
		IdleConnTimeout:     90 * time.Second,
		ReadBufferSize:      32 << 10, // a burst is read in few pieces
		Protocols:           new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	t.Protocols.SetHTTP2(o.HTTP2)
	return t
}
