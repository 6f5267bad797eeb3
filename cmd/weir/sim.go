package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/sim"
	"weir.dev/weir/internal/sim/cast"
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
	Listen    string   `default:"127.0.0.1:8000" help:"Address to serve on."`
	Models    []string `name:"model" help:"A model and how it behaves, NAME=PLAN, such as slow=ttft=2s,gap=50ms. Repeat it for more." placeholder:"NAME=PLAN" sep:"none"`
	Provider  []string `help:"A simulated provider: a preset, or one of --providers. Repeat it for more." placeholder:"NAME"`
	Providers string   `help:"A YAML file of simulated providers; all of them unless --provider picks some." placeholder:"FILE"`
	Speed     string   `default:"1x" help:"How fast the providers' time runs, such as 10x."`
	Seed      uint64   `default:"1" help:"What everything random follows from."`
}

// Help is shown below the flags.
func (simServeCmd) Help() string {
	return `Two kinds of targets of known truth, streamed and not.

A simulated provider is an inference engine whose timing follows from model,
devices and scheduler, behind a network, a prompt cache, rate limits, other
customers and a schedule of faults. It speaks OpenAI chat, completions and
Responses, Anthropic Messages and Gemini under /NAME, and at the root where NAME
stands for the model:

  weir sim --provider northwind --provider lakeside
  weir bench http://127.0.0.1:8000/northwind/v1 --model llama-3.3-70b
  weir sim --providers mine.yaml --speed 10x

Presets: ` + strings.Join(cast.Names(cast.Presets()), ", ") + `.

A model with a plan answers as planned, in OpenAI chat and Anthropic Messages:

  weir sim
  weir sim --model 'quick=ttft=80ms,gap=10ms,jitter=10%' --model 'broken=ttft=80ms,gap=10ms,cut=40'
  weir bench http://127.0.0.1:8000/v1 --model quick

A request may also bring its plan: a model name with = in it is one
(--model 'ttft=200ms,gap=12ms,tail=5%:2s'). What a plan can say: ttft, ttft_per_1k,
gap, jitter, tail, tokens_per_event, tokens, eos, reasoning, usage, role, done,
status, fail, error, cut, stall, buffer, json.

docs/sim.md explains each key of plans and of providers.`
}

func (c *simServeCmd) Run(p *process) error {
	cfg, err := c.config(p)
	if err != nil {
		return err
	}
	s, err := startSim(p.ctx, c.Listen, cfg)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.err, "serving %s at http://%s/v1 (seed %d%s); Ctrl-C ends it\n", strings.Join(s.names, ", "), s.addr, c.Seed, atSpeed(cfg.Speed))
	for _, one := range cfg.Providers {
		fmt.Fprintf(p.err, "%s serves %s at http://%s/%s\n", one.Name, strings.Join(one.Models(), ", "), s.addr, one.Name)
	}
	select {
	case <-p.ctx.Done():
	case err = <-s.failed:
	}
	return errors.Join(err, s.close())
}

func atSpeed(speed float64) string {
	if speed == 1 {
		return ""
	}
	return fmt.Sprintf(", %gx speed", speed)
}

func (c *simServeCmd) config(p *process) (cfg sim.Config, err error) {
	cfg.Seed = c.Seed
	if cfg.Models, err = parseModels(c.Models); err != nil {
		return cfg, err
	}
	if cfg.Providers, err = c.cast(p); err != nil {
		return cfg, err
	}
	cfg.Speed, err = parseSpeed(c.Speed)
	return cfg, err
}

// cast are the providers that the flags ask for.
func (c *simServeCmd) cast(p *process) ([]cast.Personality, error) {
	all := cast.Presets()
	if c.Providers != "" {
		src, err := readBounded(c.Providers)
		if err != nil {
			return nil, usage("--providers: %v", err)
		}
		own, err := cast.Parse(c.Providers, src)
		if err != nil {
			fmt.Fprintln(p.err, careful(err.Error())) // a line for each thing that is wrong
			return nil, quiet(exitUsage)
		}
		if len(c.Provider) == 0 {
			return own, nil
		}
		all = append(all, own...) // a name of the file's own wins
	}
	picked, err := cast.Named(all, c.Provider...)
	if err != nil {
		return nil, usage("--provider: %v", err)
	}
	return picked, nil
}

// readBounded reads a file, and not more of it than the parser takes.
func readBounded(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	src, err := io.ReadAll(io.LimitReader(f, cast.MaxBytes+1))
	return src, errors.Join(err, f.Close())
}

// parseSpeed reads a factor such as 10x.
func parseSpeed(s string) (float64, error) {
	const least, most = 0.01, 1000
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "x"), 64)
	if err != nil || !(v >= least && v <= most) { // NaN too
		return 0, usage("--speed %q: a factor from %gx to %dx, such as 10x", s, least, most)
	}
	return v, nil
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
	names  []string   // of its models and providers
	failed chan error // holds at most the one error of serving
	server *http.Server
	sim    *sim.Server
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
		handler.Close()
		return nil, errors.Join(usage("--listen: %v (another address: --listen 127.0.0.1:0 takes any free port)", err), precise.Close())
	}
	s := &simServer{
		addr: ln.Addr().String(), failed: make(chan error, 1), clock: precise, done: make(chan struct{}),
		sim: handler, names: handler.Names(),
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
	s.sim.Close()
	return errors.Join(err, s.clock.Close())
}
