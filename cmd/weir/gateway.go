package main

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/gateway/telemetry"
	"weir.dev/weir/internal/route"
)

type gatewayCmd struct {
	configFlags
	networkFlags
	loggingFlags
	Listen string `help:"Address for callers, in place of the config's." placeholder:"ADDR"`
	Admin  string `help:"Address of admin API, request log and metrics, in place of the config's; off: none." placeholder:"ADDR"`
	Log    string `help:"Append a line of JSON to this file for each request. No prompt, answer or key is in it." placeholder:"FILE"`
}

// Help is shown below the flags.
func (gatewayCmd) Help() string {
	return `Serves the routes of the config to callers who speak OpenAI chat, completions,
embeddings and Responses, or Anthropic Messages. They name a route as their model.
What fails before the first output goes to the next target, unseen by the caller.

  export GROQ_API_KEY=...
  printf 'routes:\n  chat: groq/llama-3.3-70b-versatile\n' > weir.yaml
  weir gateway

  weir gateway -c weir.yaml --log requests.jsonl --log-level debug
  curl -N http://127.0.0.1:8080/v1/chat/completions -d '{"model":"chat","stream":true,"messages":[{"role":"user","content":"hi"}]}'

The config is read again when the file changes, and on SIGHUP, which also opens
the file of --log anew; one that is not sound changes nothing. SIGTERM and Ctrl-C
let streams finish (gateway.drain); a second one ends at once. docs/gateway.md says
what it does with a request, docs/config.md has every setting.

Exit code: 0 ended by a signal; 1 it could not serve; 2 the config or a flag
cannot be used, or there is no key for any target.`
}

func (c *gatewayCmd) Run(p *process) (err error) {
	log, secrets, err := c.logger(p)
	if err != nil {
		return err
	}
	base, err := c.transport(p, false)
	if err != nil {
		return err
	}
	defer base.CloseIdleConnections()
	cfg, err := c.sound(p)
	if err != nil {
		return err
	}
	g := newGatewayProcess(p, c, log, secrets, base)
	w, err := g.wire(cfg)
	if err != nil {
		return err
	}
	if err := w.hopeless(); err != nil {
		return err
	}
	if err := g.start(w); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	defer leaveSmallHeapsAlone(p)()
	return g.serve()
}

// gatewayProcess is a gateway, and what stands around it in this process.
type gatewayProcess struct {
	p       *process
	flags   *gatewayCmd
	log     *slog.Logger
	secrets *redactor
	base    *http.Transport
	seed    maphash.Seed // of the marks by which a changed key is known
	fleet   *route.Fleet
	journal *journal.Log
	metrics *telemetry.Metrics
	server  *gateway.Server
	alarm   *alarm

	now            atomic.Pointer[wiring] // what is in force
	callers, admin *listener
	warming        sync.WaitGroup
}

func newGatewayProcess(p *process, flags *gatewayCmd, log *slog.Logger, secrets *redactor, base *http.Transport) *gatewayProcess {
	return &gatewayProcess{
		p: p, flags: flags, log: log, secrets: secrets, base: base, seed: maphash.MakeSeed(), fleet: route.NewFleet(rand.Uint64()),
	}
}

// start makes the gateway of its first config, and listens.
func (g *gatewayProcess) start(w *wiring) (err error) {
	if g.journal, err = journal.Open(journal.Options{Keep: w.config.Gateway.Requests, Path: g.flags.Log, Logger: g.log}); err != nil {
		return usage("--log: %v", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.journal.Close())
		}
	}()
	g.metrics = telemetry.New(version(), telemetry.Sources{
		Targets:     func() []telemetry.TargetState { return targetStates(g.server.Health(time.Now()), g.keyless) },
		InFlight:    func() int { return g.server.InFlight() },
		RetryBudget: func() float64 { return g.server.RetriesLeft(time.Now()) },
		Dropped:     g.journal.Dropped,
	})
	g.alarm = newAlarm(g.log, g.fleet)
	g.server, err = gateway.New(w.gateway, gateway.Parts{Fleet: g.fleet, Journal: g.journal, Record: g.observe, Log: g.log})
	if err != nil {
		return usage("%s: %v", w.file, err)
	}
	g.enter(w)
	return g.listen()
}

// observe is shown every request that is over.
func (g *gatewayProcess) observe(r *journal.Record) {
	g.metrics.Observe(r)
	g.alarm.observe(r, time.Now())
	if g.log.Enabled(context.Background(), slog.LevelDebug) {
		g.tell(r)
	}
}

// tell is a line for a request.
func (g *gatewayProcess) tell(r *journal.Record) {
	span := func(s weir.Span) string {
		if d, ok := s.Get(); ok {
			return fmt.Sprintf("%.1f", d.MS())
		}
		return "n/a"
	}
	g.log.Debug("request",
		slog.String("id", r.ID), slog.String("route", r.Route), slog.String("key", r.Key), slog.String("target", r.Target), slog.Int("attempts", len(r.Attempts)),
		slog.String("outcome", string(r.Outcome)), slog.String("error", r.ErrorType), slog.String("ttft_ms", span(r.TTFT)), slog.String("end_ms", span(r.End)))
}

// serve goes on until a signal comes.
func (g *gatewayProcess) serve() error {
	hup := make(chan os.Signal, 1) // several at once are one
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	g.hello()
	now := g.now.Load()
	g.warm(now)
	defer g.warming.Wait()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	file := &fileWatch{read: now.stamp}
	for {
		select {
		case <-g.p.ctx.Done():
			g.drain()
			return nil
		case <-hup:
			g.reload("SIGHUP")
			if err := g.journal.Reopen(); err != nil {
				g.log.Error("the request log cannot be opened anew and goes on in the old file", slog.Any("error", err))
			}
		case <-tick.C:
			if file.changed(stampOf(now.file)) {
				g.reload("the file changed")
			}
		case err := <-g.callers.failed:
			return fmt.Errorf("callers' listener: %w", err)
		case err := <-g.admin.failed:
			return fmt.Errorf("admin listener: %w", err)
		}
	}
}

func (g *gatewayProcess) listen() (err error) {
	listen, admin := g.addresses(g.now.Load())
	if g.callers, err = startListener(g.p.ctx, "listen", listen, g.server.HTTP()); err != nil {
		return err
	}
	if g.admin, err = startListener(g.p.ctx, "admin", admin, adminServer(g)); err != nil {
		return errors.Join(err, g.callers.close())
	}
	return nil
}

// addresses are those of a config, where no flag says otherwise.
func (g *gatewayProcess) addresses(w *wiring) (listen, admin string) {
	listen, admin = w.config.Listen, w.config.Admin
	if g.flags.Listen != "" {
		listen = g.flags.Listen
	}
	if g.flags.Admin != "" {
		admin = strings.TrimPrefix(g.flags.Admin, "off")
	}
	return listen, admin
}

// hello says what is served, and where.
func (g *gatewayProcess) hello() {
	n := len(g.now.Load().config.Keys)
	keys := many(n, "key")
	if n == 0 {
		keys = "none: anyone who reaches it is let in"
	}
	admin := "off"
	if g.admin.addr != "" {
		admin = "http://" + g.admin.addr
	}
	g.log.Info("serving", slog.String("callers", "http://"+g.callers.addr+"/v1"), slog.String("keys", keys), slog.String("admin", admin), slog.String("version", version()))
}

// warm runs the commands that print tokens ahead of the requests that need them.
func (g *gatewayProcess) warm(w *wiring) {
	g.warming.Go(func() {
		if err := w.auth.Warm(g.p.ctx); err != nil && g.p.ctx.Err() == nil {
			g.log.Error("a command printed no token; its target is asked all the same", slog.Any("error", err))
		}
	})
}

// drain lets what is under way finish. /readyz says so meanwhile.
func (g *gatewayProcess) drain() {
	g.log.Info("draining: no new requests; a second signal ends at once", slog.Int("in_flight", g.server.InFlight()), slog.String("limit", g.now.Load().config.Gateway.Drain.String()))
	start := time.Now()
	cut := g.server.Drain(context.Background())
	if cut > 0 {
		g.log.Warn("requests outlasted the drain and were ended with an error", slog.Int("requests", cut))
	}
	g.log.Info("drained", slog.String("after", time.Since(start).Round(time.Millisecond).String()))
}

func (g *gatewayProcess) close() error {
	return errors.Join(g.callers.close(), g.admin.close(), g.journal.Close())
}

// keyless tells whether a target is never asked, since there is no key for it.
func (g *gatewayProcess) keyless(target string) bool {
	return slices.ContainsFunc(g.now.Load().keyless, func(k keyless) bool { return k.target == target })
}
