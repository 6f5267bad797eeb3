package meter

import (
	"crypto/tls"
	"net/http/httptrace"
	"net/textproto"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/stamp"
)

// phases are the instants that httptrace tells. Its callbacks come from other
// goroutines, some after the call is over (a dial that lost to an idle
// connection), so they are kept apart from the trace and under a lock.
type phases struct {
	mu                 sync.Mutex
	dnsStart, dnsDone  time.Time
	dialStart, dialEnd time.Time
	tlsStart, tlsDone  time.Time
	gotConn            time.Time
	wrote              time.Time
	firstByte          time.Time
	reused             bool
	interim            bool       // a 1xx came, and the first byte was its
	stamped            stamp.Conn // the connection, where it stamps
	conns              int        // connections this call was given; more than one: the first was dead
}

func (p *phases) trace(w *watch) *httptrace.ClientTrace {
	set := func(at *time.Time) {
		p.mu.Lock()
		*at = time.Now()
		p.mu.Unlock()
	}
	return &httptrace.ClientTrace{
		GetConn: func(string) { w.getConn() },
		Got1xxResponse: func(int, textproto.MIMEHeader) error {
			p.mu.Lock()
			p.interim = true
			p.mu.Unlock()
			return nil
		},
		DNSStart: func(httptrace.DNSStartInfo) { set(&p.dnsStart) },
		DNSDone:  func(httptrace.DNSDoneInfo) { set(&p.dnsDone) },
		ConnectStart: func(string, string) {
			p.mu.Lock()
			if p.dialStart.IsZero() { // several addresses may be tried at once
				p.dialStart = time.Now()
			}
			p.mu.Unlock()
		},
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				set(&p.dialEnd)
			}
		},
		TLSHandshakeStart: func() { set(&p.tlsStart) },
		TLSHandshakeDone:  func(tls.ConnectionState, error) { set(&p.tlsDone) },
		GotConn: func(info httptrace.GotConnInfo) {
			p.mu.Lock()
			p.gotConn, p.reused = time.Now(), info.Reused
			p.stamped, _ = stamp.Of(info.Conn)
			p.conns++
			p.mu.Unlock()
			w.gotConn()
		},
		WroteRequest:         func(httptrace.WroteRequestInfo) { set(&p.wrote) },
		GotFirstResponseByte: func() { set(&p.firstByte) },
	}
}

// stamps is the connection that stamps the response; nil if none does.
func (p *phases) stamps() stamp.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stamped
}

// connected tells whether the call was given a connection.
func (p *phases) connected() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conns > 0
}

// fill writes the phases into the trace.
func (p *phases) fill(t *weir.Trace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	offset := func(at time.Time) weir.Span {
		if at.IsZero() {
			return weir.Span{}
		}
		return weir.SpanOf(at.Sub(t.Sent))
	}
	length := func(from, to time.Time) weir.Span {
		switch {
		case p.conns > 0 && p.reused:
			return weir.SpanOf(0)
		case from.IsZero() || to.Before(from):
			return weir.Span{}
		}
		return weir.SpanOf(to.Sub(from))
	}
	if p.conns > 0 {
		t.ConnReused = weir.Some(p.reused)
	}
	if p.conns > 1 {
		t.Warn(weir.WarnStaleConn)
	}
	t.DNS = length(p.dnsStart, p.dnsDone)
	t.Connect = length(p.dialStart, p.dialEnd)
	t.TLS = length(p.tlsStart, p.tlsDone)
	t.GotConn, t.Wrote = offset(p.gotConn), offset(p.wrote)
	if !p.firstByte.IsZero() && !p.interim {
		t.Header = offset(p.firstByte)
	}
}
