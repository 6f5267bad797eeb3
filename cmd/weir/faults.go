package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/faults"
)

type faultsCmd struct {
	Run   faultsRunCmd   `cmd:"" default:"withargs" help:"Drive an endpoint through the faults; what weir faults URL does."`
	Serve faultsServeCmd `cmd:"" help:"Serve the wall: a provider that misbehaves by the name of the model."`
}

// Help is shown below the flags.
func (faultsCmd) Help() string {
	return `Without a command it drives the endpoint at a URL, and takes the flags of weir faults run.

  weir faults serve
  weir faults http://127.0.0.1:8080/v1 --wall 127.0.0.1:8009 --profile fast`
}

// wallAddress is where the wall is unless told otherwise: a gateway's config has
// to name it.
const wallAddress = "127.0.0.1:8009"

type faultsServeCmd struct {
	Listen  string         `default:"${wall}" help:"Address to serve on."`
	Profile faults.Profile `enum:"full,fast" default:"full" help:"full, or fast: waits divided by 20. A driver's requests bring their own."`
	Verbose bool           `help:"A line for each attempt on standard error."`
}

// Help is shown below the flags.
func (faultsServeCmd) Help() string {
	return `Serves OpenAI chat and Anthropic Messages. The model S01 to S16 or W01 to W12 has
that fault; any other name, such as good, is healthy. GET /faults/log is what it
was asked. docs/faults.md says what each fault is and how to lead a gateway here.

  weir faults serve
  curl -N http://127.0.0.1:8009/v1/chat/completions -d '{"model":"S08","stream":true,"messages":[{"role":"user","content":"hi"}]}'`
}

func (c *faultsServeCmd) Run(p *process) error {
	cfg := faults.WallConfig{Profile: c.Profile}
	if c.Verbose {
		cfg.Log = slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	w, err := startWall(p.ctx, c.Listen, cfg, func(addr string) {
		fmt.Fprintf(p.err, "the fault wall (%s) is at http://%s/v1, its log at http://%s/faults/log; Ctrl-C ends it\n", c.Profile, addr, addr)
	})
	if err != nil {
		return err
	}
	select {
	case <-p.ctx.Done():
	case err = <-w.failed:
	}
	return errors.Join(err, w.close())
}

type faultsRunCmd struct {
	networkFlags
	URL      string         `arg:"" name:"url" help:"Base URL of the endpoint, such as http://127.0.0.1:8080/v1. Its routes are named after the faults."`
	Wall     string         `help:"Address of a running weir faults serve. Without it the wall is started here." placeholder:"ADDR"`
	Listen   string         `default:"${wall}" help:"Where the wall is started, without --wall."`
	Profile  faults.Profile `enum:"full,fast" default:"full" help:"full, or fast: waits divided by 20; the endpoint's own limits must be too."`
	KeyEnv   string         `name:"key-env" help:"Environment variable that holds the endpoint's key." placeholder:"NAME"`
	Header   []string       `help:"A header for the endpoint, NAME=VALUE. Repeat it for more." placeholder:"NAME=VALUE" sep:"none"`
	Only     []string       `help:"Only these faults." placeholder:"S01"`
	Parallel int            `default:"4" help:"Faults played at a time; what counts bytes and cancels is played alone."`
	FailOn   string         `name:"fail-on" enum:"never,fail,safe,partial" default:"never" help:"Exit code 1 where a fault's verdict is this or worse: never, fail, safe or partial."`
	Output   string         `short:"o" enum:"table,json" default:"table" help:"table or json."`
}

// Help is shown below the flags.
func (faultsRunCmd) Help() string {
	return `Asks the gateway or client-facing endpoint at URL for each fault, reads the wall's
log of what reached it, and prints a scorecard: pass, partial (rescued, but
something advisable fell), safe (a clean error), fail (a hang, a broken answer
presented as success, a rule of conduct broken), skipped. The endpoint needs a
route S01 ... W12 for each fault, to the model of that name at the wall, with the
healthy model good as its fallback; docs/faults.md has configs.

  weir faults http://127.0.0.1:8080/v1
  weir faults http://127.0.0.1:8080/v1 --wall 127.0.0.1:8009 --profile fast -o json
  weir faults http://127.0.0.1:8080/v1 --only S08,S09 --key-env GATEWAY_KEY --fail-on fail

Exit code: 0 with a scorecard, however bad; 1 where --fail-on holds, nothing could
be judged, or it was interrupted; 2 usage.`
}

func (c *faultsRunCmd) Run(p *process) (err error) {
	cfg, err := c.config(p)
	if err != nil {
		return err
	}
	if err := cfg.Check(); err != nil {
		return usage("%v", err)
	}
	if c.Wall == "" {
		w, err := startWall(p.ctx, c.Listen, faults.WallConfig{Profile: c.Profile}, func(addr string) {
			fmt.Fprintf(p.err, "the fault wall is at http://%s/v1: the endpoint's routes must lead there\n", addr)
		})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.close()) }()
		cfg.Wall = "http://" + w.addr
	}
	card, err := faults.Run(p.ctx, cfg)
	if err != nil {
		if p.ctx.Err() != nil {
			fmt.Fprintln(p.err, "weir: interrupted before anything was judged")
			return quiet(exitFailed)
		}
		return err
	}
	if err := writeScorecard(p, card, c.Output); err != nil {
		return err
	}
	return c.verdict(p, card)
}

func (c *faultsRunCmd) config(p *process) (faults.Config, error) {
	cfg := faults.Config{
		URL: c.URL, Wall: wallURL(c.Wall), Profile: c.Profile, Parallel: c.Parallel, Run: newRun(),
		OnCell: func(one faults.Cell) { fmt.Fprintf(p.err, "%s %s\n", one.ID, one.Verdict) },
	}
	if err := checkURL(c.URL); err != nil {
		return cfg, err
	}
	if c.Wall != "" {
		if err := checkURL(cfg.Wall); err != nil {
			return cfg, usage("--wall: %v", err)
		}
	}
	if c.Parallel < 1 || c.Parallel > 64 {
		return cfg, usage("--parallel %d: it is from 1 to 64", c.Parallel)
	}
	for _, id := range c.Only {
		cfg.Only = append(cfg.Only, strings.ToUpper(strings.TrimSpace(id)))
	}
	var err error
	if cfg.Header, err = parseHeaders(c.Header); err != nil {
		return cfg, err
	}
	transport, err := c.transport(p, true)
	if err != nil {
		return cfg, err
	}
	auth, err := newAuth(p, transport)
	if err != nil {
		return cfg, err
	}
	cfg.Transport, cfg.Redact = transport, auth.Mask
	for name, values := range cfg.Header {
		if secretName.MatchString(name) {
			auth.HideHeader(values[0])
		}
	}
	if c.KeyEnv == "" {
		return cfg, nil
	}
	key, err := keyOf(p, place{}, c.KeyEnv)
	if err != nil {
		return cfg, err
	}
	// Add finds what cannot be a key; the driver sends it, since the wall must
	// not get it.
	if err := auth.Add(weir.Target{Name: "endpoint", URL: c.URL, Dialect: weir.OpenAIChat}, key); err != nil {
		return cfg, usage("--key-env %s: %v", envName(c.KeyEnv), err)
	}
	cfg.Key = key
	return cfg, nil
}

// wallURL takes the wall's address as people have it at hand.
func wallURL(addr string) string {
	if addr == "" {
		return ""
	}
	if !strings.Contains(addr, "://") {
		addr = "http://" + addr
	}
	return strings.TrimSuffix(strings.TrimSuffix(addr, "/"), "/v1")
}

func newRun() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

func writeScorecard(p *process, card *faults.Scorecard, output string) error {
	if output == "json" {
		return writeJSON(p, card)
	}
	if len(card.Cells) > 0 && card.Summary[faults.Skipped] == len(card.Cells) {
		fmt.Fprintln(p.err, "weir: "+careful(card.Cells[0].Why))
		return nil
	}
	rows := [][]string{{"id", "verdict", "fault", "what was seen"}}
	for _, c := range card.Cells {
		rows = append(rows, []string{c.ID, string(c.Verdict), c.What, careful(c.Why)})
	}
	if err := writeColumns(p, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.out, sums(card))
	return err
}

// verdict is the exit code.
func (c *faultsRunCmd) verdict(p *process, card *faults.Scorecard) error {
	bad := func(one faults.Cell) bool {
		return one.Verdict != faults.Skipped && !faults.Verdict(c.FailOn).Worse(one.Verdict)
	}
	switch {
	case card.Interrupted:
		fmt.Fprintln(p.err, "weir: interrupted; these are the faults that were judged before")
	case card.Summary[faults.Skipped] == len(card.Cells):
		fmt.Fprintln(p.err, "weir: nothing could be judged: does the endpoint have the routes S01 ... W12, and do they lead to the wall?")
	case c.FailOn != "never" && slices.ContainsFunc(card.Cells, bad):
		fmt.Fprintf(p.err, "weir: --fail-on %s holds\n", c.FailOn)
	default:
		return nil
	}
	return quiet(exitFailed)
}

// wallServer is a wall on a socket.
type wallServer struct {
	addr   string
	failed chan error // holds at most the one error of serving
	server *http.Server
	clock  *clock.Precise
	cancel context.CancelFunc // ends the answers under way
	done   chan struct{}
}

// startWall tells where it listens before it serves, so that nothing is logged
// earlier.
func startWall(ctx context.Context, listen string, cfg faults.WallConfig, tell func(addr string)) (*wallServer, error) {
	precise, err := clock.NewPrecise()
	if err != nil {
		return nil, fmt.Errorf("the wall's clock: %w", err)
	}
	cfg.Clock = precise
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, errors.Join(usage("--listen: %v (another address: --listen 127.0.0.1:0 takes any free port)", err), precise.Close())
	}
	w := &wallServer{addr: ln.Addr().String(), failed: make(chan error, 1), server: faults.NewWall(cfg).Server(), clock: precise, done: make(chan struct{})}
	ctx, w.cancel = context.WithCancel(ctx)
	w.server.BaseContext = func(net.Listener) context.Context { return ctx }
	w.server.IdleTimeout = 2 * time.Minute
	tell(w.addr)
	go func() {
		defer close(w.done)
		if err := w.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			w.failed <- err
		}
	}()
	return w, nil
}

// close ends the answers under way and waits for them, but not for one that is
// stuck in a write: closing ends that.
func (w *wallServer) close() error {
	w.cancel()
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_ = w.server.Shutdown(ctx) // what it could not wait for, Close ends
	err := w.server.Close()
	<-w.done
	return errors.Join(err, w.clock.Close())
}
