package main

import (
	"fmt"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
	"weir.dev/weir/internal/sim"
	"weir.dev/weir/internal/sim/cast"
	"weir.dev/weir/internal/work"
	"weir.dev/weir/meter"
)

type demoCmd struct {
	Once    bool   `help:"One bench and one gateway, under 40 seconds in all, then end (for now what demo always does)."`
	Gateway bool   `help:"The gateway's part alone, 9 seconds."`
	Seed    uint64 `default:"7" help:"What everything random follows from."`
	outputFlags
}

// Help is shown below the flags.
func (demoCmd) Help() string {
	return `Serves four simulated providers of Llama-3.3-70B on the loopback and benches them.
Their speeds follow from their devices and engines: four B200, four H200, four H100,
two H200. One keeps prompts, one has other customers who come in bursts. Then a
gateway leads requests to two of them while the first refuses all for a while; with
-o other than table that part is told on standard error.

  weir demo --once
  weir demo --gateway`
}

// demoCast are the presets that the demo benches: the same weights on different
// devices. The slowest writes about 40 % slower than the fastest; harbor keeps
// prompts, and lakeside's other customers come in bursts.
var demoCast = []string{"northwind", "harbor", "lakeside", "cascade"}

func (c *demoCmd) Run(p *process) error {
	if err := p.given.refuse(c.rowsIdle(), idle{"resume", true, "the demo begins anew each time"}); err != nil {
		return err
	}
	told := p.out
	if c.Output != "table" {
		told = p.err
	}
	if !c.Gateway {
		if err := c.bench(p); err != nil {
			return err
		}
		fmt.Fprintln(told)
	}
	return demoGateway(p, told, c.Seed)
}

func (c *demoCmd) bench(p *process) error {
	providers, err := cast.Named(cast.Presets(), demoCast...)
	if err != nil {
		return err
	}
	s, err := startSim(p.ctx, "127.0.0.1:0", sim.Config{Seed: c.Seed, Providers: providers})
	if err != nil {
		return err
	}
	fmt.Fprintf(p.err, "four simulated providers of the same weights at http://%s/{%s}/v1; benching them, about 25 seconds\n", s.addr, strings.Join(demoCast, ","))
	var targets []weir.Target
	for _, one := range providers {
		targets = append(targets, weir.Target{Name: one.Name, URL: "http://" + s.addr + "/" + one.Name + "/v1", Dialect: weir.OpenAIChat, Model: one.Models()[0]})
	}
	plan := work.Plan{Lengths: work.OnePair(work.Fixed(1200), work.Fixed(32)), Share: 0.9} // as of a long system prompt
	err = runBench(p, bench.Config{
		Targets: targets, Concurrency: 4, Requests: 80, Warmup: 4, Seed: c.Seed,
		Work: bench.Work{Plan: plan, Temperature: weir.Some(0.0)},
		Load: bench.Load{Laps: true}, Limits: bench.DefaultLimits(), Base: meter.NewTransport(meter.Options{Stamp: true}),
	}, "", c.outputFlags, nil)
	if closeErr := s.close(); err == nil {
		err = closeErr
	}
	return err
}
