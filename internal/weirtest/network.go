package weirtest

import (
	"context"
	"net"
	"os"
	"sync"
	"syscall"
)

// Network is an in-memory network with one listener. Its connections behave as
// TCP's do where it matters here: writes are buffered, up to a bound, and block
// beyond it; both deadlines hold; one direction can end before the other; a
// connection can be reset. Everything that blocks does so in ways that
// testing/synctest takes for idle. Make one with NewNetwork, inside the bubble
// that uses it.
type Network struct {
	accept chan *Conn    // unbuffered: a dial takes until somebody accepts, as behind a full backlog
	closed chan struct{} // closed by Close
	once   sync.Once

	mu   sync.Mutex
	open map[*Conn]struct{} // one end of each connection
}

var _ net.Listener = (*Network)(nil)

// NewNetwork makes a network without connections.
func NewNetwork() *Network {
	return &Network{accept: make(chan *Conn), closed: make(chan struct{}), open: map[*Conn]struct{}{}}
}

// Listen returns the network's one listener: the network itself.
func (n *Network) Listen() net.Listener { return n }

// Accept implements net.Listener. The connection is a *Conn.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.accept:
		return c, nil
	case <-n.closed:
		return nil, opError("accept", net.ErrClosed)
	}
}

// Close implements net.Listener: no more connections can be made; those there
// are stay.
func (n *Network) Close() error {
	n.once.Do(func() { close(n.closed) })
	return nil
}

// Addr implements net.Listener.
func (n *Network) Addr() net.Addr { return addr("server") }

// Dial connects to the listener, whatever the network and address; its
// signature is that of http.Transport.DialContext. The connection is a *Conn.
// After Close it is refused.
func (n *Network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	up, down := newPipe(), newPipe()
	client := &Conn{network: n, in: down, out: up, local: "client", remote: "server"}
	server := &Conn{network: n, in: up, out: down, local: "server", remote: "client"}
	client.peer, server.peer = server, client
	select {
	case <-n.closed:
		return nil, opError("dial", os.NewSyscallError("connect", syscall.ECONNREFUSED))
	default:
	}
	n.remember(client)
	select {
	case n.accept <- server:
		return client, nil
	case <-n.closed:
		n.forget(client)
		return nil, opError("dial", os.NewSyscallError("connect", syscall.ECONNREFUSED))
	case <-ctx.Done():
		n.forget(client)
		return nil, opError("dial", ctx.Err())
	}
}

// Cut ends both directions of every connection, as the death of both processes
// would: what was written before can still be read, then comes the end.
func (n *Network) Cut() {
	for _, c := range n.connections() {
		c.in.end()
		c.out.end()
	}
}

// Abort resets every connection.
func (n *Network) Abort() {
	for _, c := range n.connections() {
		c.Abort()
	}
}

func (n *Network) connections() []*Conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := make([]*Conn, 0, len(n.open))
	for c := range n.open {
		all = append(all, c)
	}
	return all
}

func (n *Network) remember(c *Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.open[c] = struct{}{}
}

// forget drops the connection that c is an end of.
func (n *Network) forget(c *Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.open, c)
	delete(n.open, c.peer)
}

// addr is the address of an end: its name.
type addr string

func (addr) Network() string  { return "mem" }
func (a addr) String() string { return string(a) }

func opError(op string, err error) error { return &net.OpError{Op: op, Net: "mem", Err: err} }
