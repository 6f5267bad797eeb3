package stamp

import (
	"io"
	"net"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// wrap asks the kernel to stamp what the connection receives. Where it will
// not, the connection is left as it is.
func wrap(c net.Conn) net.Conn {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return c
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return c
	}
	var refused error
	if err := raw.Control(func(fd uintptr) {
		refused = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS_NEW, 1)
	}); err != nil || refused != nil {
		return c
	}
	s := &conn{TCPConn: tcp, raw: raw}
	s.msg.Iov, s.msg.Iovlen = &s.iov, 1
	s.attempt = s.recv
	return s
}

// conn reads by recvmsg, to have the control message with the time. Everything
// a read needs is kept here: a read allocates nothing.
type conn struct {
	*net.TCPConn
	raw     syscall.RawConn
	attempt func(fd uintptr) bool

	reading sync.Mutex // one reader at a time, as the fields below are its
	iov     unix.Iovec
	msg     unix.Msghdr
	control [64]byte // a cmsghdr and two 64-bit times need 32
	n       int
	errno   syscall.Errno
	began   int64 // when the recvmsg that brought data was called
	empty   int64 // when the queue was last seen empty

	mu   sync.Mutex
	last Read
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	c.iov.Base = &p[0]
	c.iov.SetLen(len(p))
	err := c.raw.Read(c.attempt)
	c.iov.Base = nil
	switch {
	case err != nil:
		return 0, err
	case c.errno != 0:
		return 0, &net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: c.errno}
	case c.n == 0:
		return 0, io.EOF
	}
	drained := c.n < len(p)
	c.mu.Lock()
	c.last = Read{Count: c.last.Count + 1, Arrived: c.arrived(), Drained: drained, Empty: c.empty}
	c.mu.Unlock()
	if drained { // what comes next came after this call
		c.empty = c.began
	}
	return c.n, nil
}

// recv is one attempt; false waits for the poller.
func (c *conn) recv(fd uintptr) bool {
	for {
		c.msg.Control = &c.control[0]
		c.msg.SetControllen(len(c.control))
		c.msg.Flags = 0
		c.began = time.Now().UnixNano()
		n, _, errno := syscall.Syscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&c.msg)), 0)
		switch errno {
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			c.empty = c.began
			return false
		}
		c.n, c.errno = int(n), errno
		return true
	}
}

// arrived is the time in the control message; 0 if there is none: the first
// segment after stamping was switched on in the system may lack it.
func (c *conn) arrived() int64 {
	if c.msg.Controllen < unix.SizeofCmsghdr+16 {
		return 0
	}
	h := (*unix.Cmsghdr)(unsafe.Pointer(&c.control[0]))
	if h.Level != unix.SOL_SOCKET || h.Type != unix.SO_TIMESTAMPNS_NEW {
		return 0
	}
	at := (*[2]int64)(unsafe.Pointer(&c.control[unix.SizeofCmsghdr]))
	return at[0]*int64(time.Second) + at[1]
}

// LastRead implements Conn.
func (c *conn) LastRead() Read {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// WriteTo keeps io.Copy from reading past the stamps.
func (c *conn) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{c})
}
