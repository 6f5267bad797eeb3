package weirtest

import (
	"errors"
	"io"
	"net"
	"time"
)

// Conn is one end of a connection over a Network.
type Conn struct {
	network       *Network
	peer          *Conn
	in, out       *pipe
	local, remote addr
}

var _ net.Conn = (*Conn)(nil)

// Read implements net.Conn.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	return n, c.wrap("read", err)
}

// Write implements net.Conn. It blocks while the peer has bufferSize bytes left
// to read.
func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.out.write(p)
	return n, c.wrap("write", err)
}

// CloseWrite ends this end's output; it can still read. The peer reads what was
// written, then io.EOF.
func (c *Conn) CloseWrite() error {
	c.out.end()
	return nil
}

// Close implements net.Conn. The peer can read what was written; what it writes
// fails with EPIPE.
func (c *Conn) Close() error {
	if !c.in.leave() {
		return c.wrap("close", net.ErrClosed)
	}
	c.out.end()
	if c.out.left() {
		c.network.forget(c)
	}
	return nil
}

// Abort resets the connection: both ends fail with ECONNRESET at once, and what
// was written but not read is lost.
func (c *Conn) Abort() {
	c.in.reset()
	c.out.reset()
	c.network.forget(c)
}

// LocalAddr implements net.Conn.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr implements net.Conn.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.reading, t)
	return nil
}

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.out.setDeadline(&c.out.writing, t)
	return nil
}

// wrap leaves io.EOF bare, as net's connections do.
func (c *Conn) wrap(op string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return &net.OpError{Op: op, Net: "mem", Source: c.local, Addr: c.remote, Err: err}
}
