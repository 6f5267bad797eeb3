package clock

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// newAlarm prefers a kernel timer; a system without one (some sandboxes) spins.
func newAlarm() (alarm, error) {
	if a, err := newTimerFD(); err == nil {
		return a, nil
	}
	return newSpinner(), nil
}

// timerFD is an alarm of the kernel's: a descriptor that becomes readable when
// it expires, parked in the runtime's poller like a socket. Its hrtimer is not
// rounded to milliseconds as the poller's own timeout is.
type timerFD struct {
	fd   int
	file *os.File // owns fd
	conn syscall.RawConn
}

func newTimerFD() (*timerFD, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("precise clock: timerfd_create: %w", err)
	}
	f := os.NewFile(uintptr(fd), "timerfd")
	conn, err := f.SyscallConn()
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("precise clock: the timer descriptor cannot be polled: %w", err)
	}
	return &timerFD{fd: fd, file: f, conn: conn}, nil
}

func (a *timerFD) set(d time.Duration) {
	// 0 would disarm. A relative time cannot end early: it starts after d was
	// computed.
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(d, 1)))}
	// It fails only for a bad descriptor or time, which the caller rules out: fd
	// is open until close, and no set follows that.
	_ = unix.TimerfdSettime(a.fd, 0, &spec, nil)
}

// run never reads the descriptor: each expiry is a new edge to the poller, and
// setting the timer again clears its count. The poller keeps an edge that comes
// while fire runs, so none is lost.
func (a *timerFD) run(fire func()) {
	// The error says that the file was closed.
	_ = a.conn.Read(func(uintptr) bool {
		fire()
		return false
	})
}

func (a *timerFD) close() { _ = a.file.Close() }
