//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"time"
)

// gatewayBaseline is what a gateway is held against: a bare ReverseProxy, the
// body read before it goes on, so that no instant stream is cut.
func gatewayBaseline(ctx context.Context, args []string) error {
	upstream, addr := "", "127.0.0.1:0"
	if err := parse("gateway-baseline", args, func(f *flag.FlagSet) {
		f.StringVar(&upstream, "upstream", upstream, "URL of the provider")
		f.StringVar(&addr, "listen", addr, "address")
	}); err != nil {
		return err
	}
	to, err := url.Parse(upstream)
	if err != nil {
		return err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		FlushInterval: -1,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 10_000, DisableCompression: true},
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	})}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { server.Close() })
	fmt.Fprintf(os.Stderr, "serving at http://%s\n", ln.Addr())
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
