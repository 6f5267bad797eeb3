package weirtest

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// bufferSize is the most that can be written and not yet read in one direction.
const bufferSize = 64 << 10

// pipe is one direction of a connection: a bounded queue of bytes. Its lock is
// never held while waiting, so that synctest sees who waits as idle.
type pipe struct {
	mu      sync.Mutex
	changed sync.Cond // everything below; on mu
	buf     []byte
	busy    bool // a write is under way: writes do not mix
	ended   bool // by the writing end: io.EOF after buf
	gone    bool // the reading end has left: writes fail
	broken  bool // reset
	reading deadline
	writing deadline
}

func newPipe() *pipe {
	p := &pipe{}
	p.changed.L = &p.mu
	return p
}

func (p *pipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.broken:
			return 0, os.NewSyscallError("read", syscall.ECONNRESET)
		case p.gone:
			return 0, net.ErrClosed
		case p.reading.passed():
			return 0, os.ErrDeadlineExceeded
		case len(b) == 0:
			return 0, nil
		case len(p.buf) > 0:
			n := copy(b, p.buf)
			p.buf = p.buf[:copy(p.buf, p.buf[n:])]
			p.changed.Broadcast()
			return n, nil
		case p.ended:
			return 0, io.EOF
		}
		p.changed.Wait()
	}
}

func (p *pipe) write(b []byte) (written int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.busy {
		p.changed.Wait()
	}
	p.busy = true
	defer func() {
		p.busy = false
		p.changed.Broadcast()
	}()
	for {
		if err := p.writeError(); err != nil {
			return written, err
		}
		if n := min(len(b)-written, bufferSize-len(p.buf)); n > 0 {
			p.buf = append(p.buf, b[written:written+n]...)
			written += n
			p.changed.Broadcast()
		}
		if written == len(b) {
			return written, nil
		}
		p.changed.Wait()
	}
}

func (p *pipe) writeError() error {
	switch {
	case p.broken:
		return os.NewSyscallError("write", syscall.ECONNRESET)
	case p.ended:
		return net.ErrClosed
	case p.gone:
		return os.NewSyscallError("write", syscall.EPIPE)
	case p.writing.passed():
		return os.ErrDeadlineExceeded
	}
	return nil
}

// end says that no more is written.
func (p *pipe) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.writing.stop()
	p.changed.Broadcast()
}

// leave says that no more is read. It is false when that was said before.
func (p *pipe) leave() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.gone
	p.gone, p.buf = true, nil
	p.reading.stop()
	p.changed.Broadcast()
	return first
}

// left tells whether leave was called.
func (p *pipe) left() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone
}

func (p *pipe) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken, p.buf = true, nil
	p.reading.stop()
	p.writing.stop()
	p.changed.Broadcast()
}

// setDeadline sets d, one of the pipe's own two.
func (p *pipe) setDeadline(d *deadline, t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d.stop()
	d.at = t
	if !t.IsZero() {
		// The lock keeps the wake-up from falling between a check and its Wait.
		d.timer = time.AfterFunc(time.Until(t), func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.changed.Broadcast()
		})
	}
	p.changed.Broadcast()
}

// deadline is an instant after which waiting fails; the zero value is never.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d *deadline) passed() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
