package gateway

import (
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/route"
)

// Server is a gateway. Make one with New; it is safe for concurrent use.
type Server struct {
	fleet   *route.Fleet
	journal *journal.Log
	record  func(*journal.Record)
	sink    weir.Sink
	log     *slog.Logger
	handler http.Handler

	plant   atomic.Pointer[plant]
	reload  sync.Mutex
	flights flights
	buffers sync.Pool // *window
	pins    pins
	drains  drains
}

// New makes a gateway. Its error is a *weir.Error that says what of the Config
// cannot be used.
func New(c Config, p Parts) (*Server, error) {
	s := &Server{fleet: p.Fleet, journal: p.Journal, record: p.Record, sink: p.Sink, log: p.Log}
	if s.fleet == nil {
		s.fleet = route.NewFleet(1)
	}
	if s.sink == nil {
		s.sink = (*weir.Trace).Release
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.handler = s.guarded(s.routes())
	if err := s.Apply(c); err != nil {
		return nil, err
	}
	return s, nil
}

// Apply puts a new Config in the place of the old one, whole; on an error the
// old one stays. Requests under way end with the one they began with. What is
// known of targets is kept by their names, what keys have used by the keys.
func (s *Server) Apply(c Config) error {
	next, err := s.build(c)
	if err != nil {
		return err
	}
	s.reload.Lock()
	defer s.reload.Unlock()
	if old := s.plant.Load(); old != nil {
		next.tenants.Keep(old.tenants)
		if old.config.Retries == c.Retries {
			next.retries = old.retries
		}
	}
	s.pins.limit(next.bounds.Pins)
	s.plant.Store(next)
	return nil
}

// Handler serves callers.
func (s *Server) Handler() http.Handler { return s.handler }

// HTTP is a server for callers, without an address. It has no limit on the time
// of an answer: each write has one of its own.
func (s *Server) HTTP() *http.Server {
	b := s.plant.Load().bounds
	return &http.Server{
		Handler: s.handler, ReadHeaderTimeout: b.ReadHeader, MaxHeaderBytes: b.Header, IdleTimeout: b.Idle,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// Health says how the targets of all routes are, in the order of the routes,
// each once.
func (s *Server) Health(now time.Time) []weir.Health {
	seen := map[string]bool{}
	var all []weir.Health
	for _, r := range s.plant.Load().order {
		for _, t := range r.targets {
			if !seen[t.Name] {
				seen[t.Name] = true
				all = append(all, s.fleet.Health(t.Name, now))
			}
		}
	}
	return all
}

// RetriesLeft is how many further attempts the gateway may make at once;
// infinite without a bound.
func (s *Server) RetriesLeft(now time.Time) float64 { return s.plant.Load().retries.Left(now) }
