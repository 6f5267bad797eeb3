package main

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"golang.org/x/net/http/httpproxy"

	"weir.dev/weir/meter"
)

// networkFlags say how endpoints are reached.
type networkFlags struct {
	CA       string `name:"ca" help:"Trust the certificates in this PEM file beside the system's." placeholder:"FILE"`
	Insecure bool   `help:"Accept any certificate. Keys can then be read by whoever stands between."`
}

// transport is the one that calls go through. Proxies are those of the usual
// variables (HTTPS_PROXY, HTTP_PROXY, NO_PROXY); loopback goes past them. stamp
// has the kernel stamp what arrives.
func (f *networkFlags) transport(p *process, stamp bool) (*http.Transport, error) {
	o := meter.Options{Stamp: stamp, Insecure: f.Insecure, Proxy: p.proxy()}
	if f.Insecure {
		fmt.Fprintln(p.err, "weir: --insecure: certificates are NOT checked; whoever stands between can read keys, prompts and answers")
	}
	if f.CA != "" {
		pem, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, usage("--ca: %v", err)
		}
		if o.RootCAs, err = x509.SystemCertPool(); err != nil {
			o.RootCAs = x509.NewCertPool()
		}
		if !o.RootCAs.AppendCertsFromPEM(pem) {
			return nil, usage("--ca %s: there is no PEM certificate in it", f.CA)
		}
	}
	return meter.NewTransport(o), nil
}

func (p *process) proxy() func(*http.Request) (*url.URL, error) {
	first := func(names ...string) string {
		for _, n := range names {
			if v, ok := p.env(n); ok {
				return v
			}
		}
		return ""
	}
	of := (&httpproxy.Config{
		HTTPProxy: first("HTTP_PROXY", "http_proxy"), HTTPSProxy: first("HTTPS_PROXY", "https_proxy"), NoProxy: first("NO_PROXY", "no_proxy"),
	}).ProxyFunc()
	return func(r *http.Request) (*url.URL, error) { return of(r.URL) }
}
