package gateway

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errShutdown is why a request that outlasts the drain is ended.
var errShutdown = errors.New("the gateway is shutting down")

// ending tells whether the request is ended since the process has to.
func (x *exchange) ending() bool { return errors.Is(context.Cause(x.ctx), errShutdown) }

// flights are the requests under way.
type flights struct {
	mu       sync.Mutex
	under    map[*exchange]struct{}
	draining bool
	empty    chan struct{} // closed once the last has ended, while draining
}

// add counts a request; it is false once no more are taken.
func (f *flights) add(x *exchange) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.draining {
		return false
	}
	if f.under == nil {
		f.under = map[*exchange]struct{}{}
	}
	f.under[x] = struct{}{}
	return true
}

func (f *flights) remove(x *exchange) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.under, x)
	if f.draining && len(f.under) == 0 {
		close(f.empty)
		f.empty = nil
	}
}

// drain takes no more requests. The channel is closed when none is left.
func (f *flights) drain() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	done := f.empty
	if done == nil {
		done = make(chan struct{})
	}
	f.draining = true
	if len(f.under) == 0 {
		close(done)
		return done
	}
	f.empty = done
	return done
}

func (f *flights) isDraining() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.draining
}

// end has every request end with an error.
func (f *flights) end() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for x := range f.under {
		x.cancel(errShutdown)
	}
	return len(f.under)
}

// InFlight is how many requests are under way.
func (s *Server) InFlight() int {
	s.flights.mu.Lock()
	defer s.flights.mu.Unlock()
	return len(s.flights.under)
}

// endTime is for the errors of what was cut to reach their callers.
const endTime = 5 * time.Second

// Drain makes the gateway ready to end: readiness is false, new requests are
// refused, streams finish. What is left when Bounds.Drain has passed, or when
// ctx ends, gets an error event; cut says how many that were. Call it once,
// before the HTTP server is closed.
func (s *Server) Drain(ctx context.Context) (cut int) {
	done := s.flights.drain()
	timer := time.NewTimer(s.plant.Load().bounds.Drain)
	defer timer.Stop()
	select {
	case <-done:
		return 0
	case <-timer.C:
	case <-ctx.Done():
	}
	cut = s.flights.end()
	last := time.NewTimer(endTime)
	defer last.Stop()
	select {
	case <-done:
	case <-last.C:
	}
	return cut
}
