package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/sim"
)

type simCmd struct {
	Serve    simServeCmd    `cmd:"" default:"withargs" help:"Serve simulated models; what weir sim alone does."`
	Plan     simPlanCmd     `cmd:"" help:"Say what a model on given hardware would give, and what binds."`
	Ablate   simAblateCmd   `cmd:"" help:"Say what each difference between two deployments makes."`
	Validate simValidateCmd `cmd:"" help:"Hold the engine simulator against published benchmarks."`
}

// Help is shown below the flags.
func (simCmd) Help() string {
	return `Without a command it serves, and takes the flags of weir sim serve.

  weir sim
  weir sim --model 'quick=ttft=80ms,gap=10ms'
  weir sim validate`
}

type simServeCmd struct {
	Listen string   `default:"127.0.0.1:8000" help:"Address to serve on."`
	Models []string `name:"model" help:"A model and how it behaves, NAME=PLAN, such as slow=ttft=2s,gap=50ms. Repeat it for more." placeholder:"NAME=PLAN" sep:"none"`
	Seed   uint64   `default:"1" help:"What everything random follows from."`
}

// Help is shown below the flags.
func (simServeCmd) Help() string {
	return `Serves OpenAI chat (/v1/chat/completions) and Anthropic Messages (/v1/messages),
streamed and not, with models that behave as planned: a target of known truth.

  weir sim
  weir sim --model 'quick=ttft=80ms,gap=10ms,jitter=10%' --model 'broken=ttft=80ms,gap=10ms,cut=40'
  weir bench http://127.0.0.1:8000/v1 --model quick

A request may also bring its plan: a model name with = in it is one
(--model 'ttft=200ms,gap=12ms,tail=5%:2s'). What a plan can say: ttft, ttft_per_1k,
gap, jitter, tail, tokens_per_event, tokens, eos, reasoning, usage, role, done,
status, fail, error, cut, stall, buffer, json; docs/sim.md explains each.`
}

func (c *simServeCmd) Run(p *process) error {
	models, err := parseModels(c.Models)
	if err != nil {
		return err
	}
	s, err := startSim(p.ctx, c.Listen, sim.Config{Seed: c.Seed, Models: models})
	if err != nil {
		return err
	}
	if models == nil {
		models = sim.Presets()
	}
	fmt.Fprintf(p.err, "serving %s at http://%s/v1 (seed %d); Ctrl-C ends it\n", strings.Join(slices.Sorted(maps.Keys(models)), ", "), s.addr, c.Seed)
	select {
	case <-p.ctx.Done():
	case err = <-s.failed:
	}
	return errors.Join(err, s.close())
}

func parseModels(flags []string) (map[string]sim.Plan, error) {
	var models map[string]sim.Plan
	for _, f := range flags {
		name, spec, ok := strings.Cut(f, "=")
		if !ok || name == "" {
			return nil, usage("--model %q: it is NAME=PLAN, such as quick=ttft=80ms,gap=10ms", f)
		}
		plan, err := sim.ParsePlan(spec)
		if err != nil {
			return nil, usage("--model %s: %v", name, err)
		}
		if _, twice := models[name]; twice {
			return nil, usage("--model %s is given twice", name)
		}
		if models == nil {
			models = make(map[string]sim.Plan)
		}
		models[name] = plan
	}
	return models, nil
}

// simServer is a simulator on a socket.
type simServer struct {
	addr   string
	failed chan error // holds at most the one error of serving
	server *http.Server
	clock  io.Closer
	done   chan struct{}
}

func startSim(ctx context.Context, listen string, cfg sim.Config) (*simServer, error) {
	precise, err := clock.NewPrecise()
	if err != nil {
		return nil, fmt.Errorf("simulator's clock: %w", err)
	}
	cfg.Clock = precise
	handler, err := sim.New(cfg)
	if err != nil {
		return nil, errors.Join(usage("%v", err), precise.Close())
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, errors.Join(usage("--listen: %v (another address: --listen 127.0.0.1:0 takes any free port)", err), precise.Close())
	}
	s := &simServer{
		addr: ln.Addr().String(), failed: make(chan error, 1), clock: precise, done: make(chan struct{}),
		server: &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }},
	}
	go func() {
		defer close(s.done)
		if err := s.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
	return s, nil
}

// close ends the streams under way and waits.
func (s *simServer) close() error {
	err := s.server.Close()
	<-s.done
	return errors.Join(err, s.clock.Close())
}
