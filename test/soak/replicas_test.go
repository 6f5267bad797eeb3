//go:build linux

package soak

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// chooser leads each connection to the next replica, and to another one where
// that is not there.
type chooser struct {
	net.Listener
	to   []string
	next atomic.Int64

	mu   sync.Mutex
	open map[string]int // by the caller's address: the replica
	all  sync.WaitGroup
}

func newChooser(t *testing.T, to ...*process) *chooser {
	t.Helper()
	c := &chooser{open: map[string]int{}}
	for _, p := range to {
		c.to = append(c.to, p.url[len("http://"):])
	}
	var err error
	if c.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	c.all.Go(func() {
		for {
			caller, err := c.Accept()
			if err != nil {
				return
			}
			c.all.Go(func() { c.lead(caller) })
		}
	})
	t.Cleanup(func() {
		c.Close()
		c.all.Wait()
	})
	return c
}

func (c *chooser) lead(caller net.Conn) {
	defer caller.Close()
	turn := int(c.next.Add(1))
	for i := range c.to {
		at := (turn + i) % len(c.to)
		replica, err := net.Dial("tcp", c.to[at])
		if err != nil {
			continue
		}
		from := caller.RemoteAddr().String()
		c.mu.Lock()
		c.open[from] = at
		c.mu.Unlock()
		go func() {
			io.Copy(replica, caller)
			replica.(*net.TCPConn).CloseWrite()
		}()
		io.Copy(caller, replica)
		replica.Close()
		return
	}
}

// of is the replica that served a caller's connection.
func (c *chooser) of(addr string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[addr]
}

// served is a stream through the chooser.
type served struct {
	replica    int
	began, end time.Time
	verdict
}

// Of two replicas one is killed under load: its streams in flight break off, and
// nothing else.
func TestReplicaKilled(t *testing.T) {
	r := newRig(t, bin, *seed)
	other := start(t, bin, yaml(r.places, 0))
	chooser := newChooser(t, r.gateway, other)
	const killed = 1
	ctx, stop := context.WithTimeout(t.Context(), 4*time.Second)
	defer stop()
	var mu sync.Mutex
	var all []served
	var crowd sync.WaitGroup
	for range 40 {
		crowd.Go(func() {
			for ctx.Err() == nil {
				s := r.through(chooser)
				mu.Lock()
				all = append(all, s)
				mu.Unlock()
			}
		})
	}
	time.Sleep(2 * time.Second)
	before := time.Now()
	other.kill(t)
	gone := time.Now()
	crowd.Wait()

	inFlight, broke, later := 0, 0, 0
	for _, s := range all {
		flies := s.replica == killed && s.began.Before(gone) && s.end.After(before)
		if flies {
			inFlight++
		}
		if s.began.After(gone) {
			later++
		}
		switch {
		case s.is == whole && s.replica == killed && s.began.After(gone):
			t.Errorf("a stream came from a replica that was gone")
		case s.is != whole && !flies:
			t.Errorf("a stream that the killed replica did not have is %s: %s", s.is, s.why)
		case s.is != whole:
			broke++
		}
	}
	t.Logf("%d streams, %d in flight at the killed replica, %d of them broke off; %d began after that and are whole; load average %s", len(all), inFlight, broke, later, loadAverage())
	if broke == 0 || inFlight-broke > 2 { // one or two may have ended while it was being killed
		t.Errorf("of %d in flight at the killed replica %d broke off", inFlight, broke)
	}
	if later < 20 {
		t.Errorf("only %d streams began after the kill", later)
	}
}

// through has a stream of a second or so carried out over the chooser, on a
// connection of its own.
func (r *rig) through(c *chooser) served {
	r.mu.Lock()
	o := r.order(r.rand, shape{wire: chat, route: "match", stream: true, usage: true, prompt: 500, words: 200})
	r.mu.Unlock()
	r.orders.put(o)
	defer r.orders.drop(o)
	var from string
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err == nil {
			from = conn.LocalAddr().String()
		}
		return conn, err
	}
	one := &callers{kept: &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dial}}}
	s := served{began: time.Now()}
	s.verdict = one.ask(context.Background(), "http://"+c.Addr().String(), o, manner{})
	s.end, s.replica = time.Now(), c.of(from)
	return s
}

// kill ends a process as an outage does, and waits until it is gone.
func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	err := <-p.over
	p.over <- err
}
