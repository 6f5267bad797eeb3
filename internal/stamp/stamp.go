package stamp

import (
	"context"
	"net"
)

// Read is what is known of a connection's newest read that brought data. Times
// are CLOCK_REALTIME in nanoseconds since 1970; 0 is unknown.
type Read struct {
	Count   uint64 // reads so far that brought data
	Arrived int64  // when the kernel received the newest segment in it
	Drained bool   // it took all there was, so nothing newer was merged in
	Empty   int64  // the queue was last seen empty then; all of it came later
}

// Conn is a connection that stamps what it reads.
type Conn interface {
	net.Conn
	// LastRead is of the newest read that brought data. It may be called while
	// another goroutine reads.
	LastRead() Read
}

// Of finds the stamping connection below c, through TLS.
func Of(c net.Conn) (Conn, bool) {
	for range 3 {
		if s, ok := c.(Conn); ok {
			return s, true
		}
		inner, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return nil, false
		}
		c = inner.NetConn()
	}
	return nil, false
}

// Dial returns a dial function whose connections stamp what they read, where
// the system can; base makes the connections.
func Dial(base func(ctx context.Context, network, addr string) (net.Conn, error)) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := base(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return wrap(c), nil
	}
}
