package meter

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"weir.dev/weir"
)

// noToken is the code of the error of a base that adds keys and could not get
// one (internal/catalog).
const noToken = "auth_command"

// failure says how a call without a response went wrong.
func failure(err, cause error, connected bool) (weir.Outcome, string) {
	if o, detail := stopped(cause); o != "" {
		return o, detail
	}
	if own, ok := errors.AsType[*weir.Error](err); ok && own.Code == noToken {
		return weir.Auth, own.Code
	}
	if !connected || isDial(err) {
		var ne net.Error
		if detail := connectDetail(err); detail != "" {
			return weir.ConnectError, detail
		}
		if errors.As(err, &ne) && ne.Timeout() {
			return weir.TimeoutConnect, ""
		}
		return weir.ConnectError, ""
	}
	detail := transportDetail(err)
	switch {
	case detail != "transport":
	case strings.Contains(err.Error(), "malformed HTTP"), strings.Contains(err.Error(), "HTTP/1.x transport connection broken"):
		return weir.Malformed, "not_http"
	case isTLS(err):
		return weir.ConnectError, "tls"
	}
	return weir.EmptyResponse, detail
}

// isDial tells whether no connection was made. A call that had one comes to that
// where the one it had was kept and dead, and had to be replaced.
func isDial(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// stopped says which of us ended a call, if one did.
func stopped(cause error) (weir.Outcome, string) {
	var limit *LimitError
	switch {
	case cause == nil, errors.Is(cause, errClosed):
		return "", ""
	case errors.As(cause, &limit):
		return limit.Outcome, ""
	case errors.Is(cause, ErrAbandoned):
		return weir.Abandoned, ""
	case errors.Is(cause, context.DeadlineExceeded):
		return weir.Canceled, "deadline"
	}
	return weir.Canceled, ""
}

// interrupted says how a body that did not end by itself ended: by one of us,
// or (an empty outcome) by the transport, which the reader has judged.
func interrupted(err, cause error) (weir.Outcome, string) {
	if o, detail := stopped(cause); o != "" {
		return o, detail
	}
	if errors.Is(err, errClosed) {
		return weir.Canceled, ""
	}
	return "", transportDetail(err)
}

func connectDetail(err error) string {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return "dns"
	case errors.Is(err, syscall.ECONNREFUSED), strings.Contains(err.Error(), "connection refused"):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "unreachable"
	case isTLS(err):
		return "tls"
	case strings.Contains(err.Error(), "proxyconnect"):
		return "proxy"
	}
	return ""
}

func isTLS(err error) bool {
	var (
		record    tls.RecordHeaderError
		verify    *tls.CertificateVerificationError
		alert     tls.AlertError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	return errors.As(err, &record) || errors.As(err, &verify) || errors.As(err, &alert) ||
		errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") || strings.Contains(err.Error(), "tls: ")
}

func transportDetail(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "EOF"), strings.Contains(err.Error(), "server closed idle connection"):
		return "closed"
	}
	return "transport"
}
