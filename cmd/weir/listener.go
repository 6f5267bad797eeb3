package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// listener serves at one address.
type listener struct {
	addr   string     // empty: there is none
	failed chan error // holds at most the one error of serving
	server *http.Server
	done   chan struct{}
}

// startListener listens and serves. what is the setting, and the flag, that the
// address is from; without an address there is nothing to serve.
func startListener(ctx context.Context, what, address string, s *http.Server) (*listener, error) {
	l := &listener{failed: make(chan error, 1), server: s, done: make(chan struct{})}
	if address == "" {
		close(l.done)
		return l, nil
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, usage("%s %s: %v (another one: %s: in the config, or --%s 127.0.0.1:0, which takes any free port)", what, address, err, what, what)
	}
	l.addr = ln.Addr().String()
	go func() {
		defer close(l.done)
		if err := s.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			l.failed <- err
		}
	}()
	return l, nil
}

// lastWords is the time for what is written already to go out: an answer is over
// before net/http has sent its end.
const lastWords = time.Second

// close ends what is left and waits.
func (l *listener) close() error {
	ctx, stop := context.WithTimeout(context.Background(), lastWords)
	defer stop()
	_ = l.server.Shutdown(ctx) // what it could not wait for, Close ends
	err := l.server.Close()
	<-l.done
	return err
}
