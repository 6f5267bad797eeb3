package sim

import (
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"weir.dev/weir"
	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sim/cast"
	"weir.dev/weir/internal/sim/provider"
)

// Config is what a Server is made from. Its zero value serves Presets on the
// runtime's timers.
type Config struct {
	Clock  clock.Clock     // nil: clock.Plain
	Seed   uint64          // everything random follows from it
	Models map[string]Plan // by the name that requests give; nil: Presets, or none beside Providers

	Providers []cast.Personality // simulated providers; the server is to be closed then
	Speed     float64            // of their time against the wall's; 0: 1

	MaxBody int64        // most bytes of a request's body; 0: 16 MiB
	Log     *slog.Logger // one line per request at debug level; nil: none
}

const defaultMaxBody = 16 << 20

// Server answers requests as its plans say. For one seed, and one order of the
// requests to each model, it does the same again; a simulated provider does
// where the requests come at the same times. It has no goroutines of its own
// but those of its providers, which Close ends: a handler ends when its
// request's context does. Make one with New.
type Server struct {
	clock   clock.Clock
	seed    uint64
	maxBody int64
	log     *slog.Logger
	corpus  *corpus
	routes  *http.ServeMux
	names   []string // of the configured models and providers, sorted

	providers map[string]*provider.Provider
	registry  *prometheus.Registry
	lateness  prometheus.Histogram
	answers   atomic.Uint64 // of providers, so far

	mu     sync.Mutex
	models map[string]*model
	others uint64 // requests to plans in model names beyond maxModels
}

var _ http.Handler = (*Server)(nil)

type model struct {
	plan  Plan
	count uint64 // requests so far
}

// maxModels bounds the names that clients can make the server remember.
const maxModels = 4096

// New makes a server. An impossible plan is an error.
func New(c Config) (*Server, error) {
	s := &Server{clock: c.Clock, seed: c.Seed, maxBody: c.MaxBody, log: c.Log, corpus: newCorpus(), models: map[string]*model{}}
	if s.clock == nil {
		s.clock = clock.Plain{}
	}
	if s.maxBody <= 0 {
		s.maxBody = defaultMaxBody
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if c.Models == nil && len(c.Providers) == 0 {
		c.Models = Presets()
	}
	for name, p := range c.Models {
		if name == "" {
			return nil, planError("a model has no name", "name it, as in sim:ttft=50ms")
		}
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("model %s: %w", name, err)
		}
		s.models[name] = &model{plan: p}
	}
	s.names = slices.Sorted(maps.Keys(c.Models))
	if err := s.startProviders(c); err != nil {
		s.Close()
		return nil, err
	}
	s.routes = s.newRoutes()
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.routes.ServeHTTP(w, r) }

// Schedule is how the n-th request (from 0) to a model is, or will be, carried
// out: the events with their offsets from the request's arrival. It is nil for
// a model that there is not, and changes nothing.
func (s *Server) Schedule(model string, n int, asked request.Asked) []Event {
	p, err := s.plan(model)
	if err != nil {
		return nil
	}
	return arranged(newSchedule(p, s.corpus, s.modelSeed(model), uint64(n), asked))
}

// begin counts a request to the model it names and begins its schedule.
func (s *Server) begin(asked request.Asked) (schedule, uint64, error) {
	p, err := s.plan(asked.Model)
	if err != nil {
		return schedule{}, 0, err
	}
	n := s.count(asked.Model, p)
	return newSchedule(p, s.corpus, s.modelSeed(asked.Model), n, asked), n, nil
}

// plan is a model's. A name that is not configured and holds a "=" is the plan.
func (s *Server) plan(name string) (Plan, error) {
	s.mu.Lock()
	m, ok := s.models[name]
	s.mu.Unlock()
	switch {
	case ok:
		return m.plan, nil
	case strings.Contains(name, "="):
		return ParsePlan(name)
	}
	return Plan{}, &weir.Error{
		Code:    "model_not_found",
		Message: fmt.Sprintf("the model %q does not exist", name),
		Hint:    "one of " + strings.Join(s.names, ", ") + ", or a plan such as ttft=80ms,gap=10ms",
	}
}

func (s *Server) count(name string, p Plan) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.models[name]
	switch {
	case ok:
	case len(s.models) >= maxModels:
		s.others++
		return s.others - 1
	default:
		m = &model{plan: p}
		s.models[name] = m
	}
	m.count++
	return m.count - 1
}

func (s *Server) modelSeed(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return s.seed ^ h.Sum64()
}
