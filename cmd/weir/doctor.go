package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"weir.dev/weir/internal/config"
	"weir.dev/weir/internal/faults"
)

type doctorCmd struct {
	Config  string         `short:"c" help:"The config whose routes are tried; without it one that suits the wall: two targets, rescue by matching, 30 s for all attempts, a breaker that opens for 20 s at most; all else by default." placeholder:"FILE"`
	Route   []string       `help:"Only this route. Repeat it for more." placeholder:"R" sep:"none"`
	Profile faults.Profile `enum:"fast,full" default:"fast" help:"fast (waits, and the settings of the routes, divided by 20: some 15 s a route), or full (some 2 minutes a route)."`
	Output  string         `short:"o" enum:"table,json" default:"table" help:"table or json."`
}

// Help is shown below the flags.
func (doctorCmd) Help() string {
	return `Tries the routes of a config against providers that misbehave in 28 ways, without
asking any real one: the fault wall and a gateway run in this process, each target
of a route is replaced by one at the wall. The first one has the fault, the others
are healthy. Settings are the route's own; keys are not needed, limits and budgets
of callers do not count, and a route that draws its first target keeps the order of
the file. What each fault asks for: docs/faults.md.

  weir doctor
  weir doctor -c weir.yaml
  weir doctor -c weir.yaml --route chat --profile full -o json

Exit code: 0 no fault was failed, 1 one was or it was interrupted, 2 usage.`
}

func (c *doctorCmd) Run(p *process) error {
	cfg, err := c.config(p)
	if err != nil {
		return err
	}
	routes, err := c.routes(cfg)
	if err != nil {
		return err
	}
	d := &diagnosis{Version: 1, Profile: c.Profile, Config: c.Config}
	for _, r := range routes {
		fmt.Fprintf(p.err, "route %s: %s, rescue %s; 28 faults\n", r.Name, many(len(r.Targets), "target"), r.Rescue)
		if len(r.Targets) == 1 {
			fmt.Fprintf(p.err, "route %s has no fallback: what its one target does not do, nobody does\n", r.Name)
		}
		card, err := c.examine(p, cfg, r)
		if err != nil {
			return err
		}
		d.add(r.Name, card)
		if card.Interrupted {
			break
		}
	}
	if err := d.write(p, c.Output); err != nil {
		return err
	}
	switch {
	case d.Interrupted:
		fmt.Fprintln(p.err, "weir: interrupted; these are the faults that were judged before")
		return quiet(exitFailed)
	case d.Summary[faults.Fail] > 0:
		return quiet(exitFailed)
	}
	return nil
}

// wallsOwn is the config that is tried where none is given. The names of its
// provider and models mean nothing: all targets are replaced.
const wallsOwn = `providers:
  wall: {base_url: "http://127.0.0.1:8009/v1"}
models:
  both:
    targets: [{provider: wall, model: fault, context: 1000000}, {provider: wall, model: good, context: 2000000}]
routes:
  wall: {model: both, rescue: match, attempts_within: 30s}
`

func (c *doctorCmd) config(p *process) (*config.Config, error) {
	var cfg *config.Config
	var problems config.Problems
	if c.Config == "" {
		cfg, problems = config.Load("(built in)", []byte(wallsOwn), world(p))
	} else {
		var err error
		file := configFlags{Config: c.Config}
		if cfg, problems, err = file.read(p); err != nil {
			return nil, err
		}
	}
	problems = slices.DeleteFunc(problems, func(one config.Problem) bool {
		_, ok := keyOfProvider(cfg, one)
		return ok
	})
	if len(problems) > 0 {
		fmt.Fprintln(p.err, problems)
		return nil, quiet(exitUsage)
	}
	return cfg, nil
}

// routes are those that are to be tried.
func (c *doctorCmd) routes(cfg *config.Config) ([]config.Route, error) {
	if len(cfg.Routes) == 0 {
		return nil, usage("%s has no routes", c.Config)
	}
	if len(c.Route) == 0 {
		return cfg.Routes, nil
	}
	var out []config.Route
	for _, name := range c.Route {
		r, ok := cfg.Route(name)
		if !ok {
			var known []string
			for _, one := range cfg.Routes {
				known = append(known, one.Name)
			}
			return nil, usage("--route %s: there is no such route: %sknown are %s", name, meant(name, known), strings.Join(known, ", "))
		}
		out = append(out, r)
	}
	return out, nil
}

// examine runs one route against the wall.
func (c *doctorCmd) examine(p *process, cfg *config.Config, r config.Route) (card *faults.Scorecard, err error) {
	w, err := startWall(p.ctx, "127.0.0.1:0", faults.WallConfig{Profile: c.Profile}, func(string) {})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	g, err := startPatient(p, cfg, r, c.Profile, "http://"+w.addr+"/v1")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	down := doctorTransport()
	defer down.CloseIdleConnections()
	card, err = faults.Run(p.ctx, faults.Config{
		URL: "http://" + g.addr + "/v1", Wall: "http://" + w.addr, Transport: down, Profile: c.Profile, Run: newRun(), Key: "weir-doctor-caller",
		OnCell: func(one faults.Cell) { fmt.Fprintf(p.err, "%s %s\n", one.ID, one.Verdict) },
	})
	if err != nil && p.ctx.Err() != nil {
		fmt.Fprintln(p.err, "weir: interrupted before anything was judged")
		return nil, quiet(exitFailed)
	}
	return card, err
}
