package main

import (
	"fmt"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
	"weir.dev/weir/internal/sim"
	"weir.dev/weir/internal/work"
	"weir.dev/weir/meter"
)

type demoCmd struct {
	Once bool   `help:"One bench of under 30 seconds, then end (for now what demo always does)."`
	Seed uint64 `default:"7" help:"What everything random follows from."`
	outputFlags
}

// Help is shown below the flags.
func (demoCmd) Help() string {
	return `Serves four simulated providers of the same weights on the loopback, one 40 %
slower than the fastest and one with a bad tail, and benches them.

  weir demo --once`
}

// demoPlans are the four, and what is true of them: output speeds 118, 104, 88
// and 71 tokens/s in events of three tokens, and in lakeside one answer in eight keeps its caller waiting.
var demoPlans = []struct{ name, plan string }{
	{"northwind", "ttft=180ms,gap=25.4ms,jitter=8%,tokens_per_event=3"},
	{"harbor", "ttft=260ms,gap=28.8ms,jitter=8%,tokens_per_event=3"},
	{"lakeside", "ttft=210ms,gap=34.2ms,jitter=8%,tokens_per_event=3,tail=12%:1400ms"},
	{"cascade", "ttft=340ms,gap=42.3ms,jitter=8%,tokens_per_event=3"},
}

func (c *demoCmd) Run(p *process) error {
	models := map[string]sim.Plan{}
	for _, d := range demoPlans {
		plan, err := sim.ParsePlan(d.plan)
		if err != nil {
			return fmt.Errorf("demo plan of %s: %w", d.name, err)
		}
		models[d.name] = plan
	}
	s, err := startSim(p.ctx, "127.0.0.1:0", sim.Config{Seed: c.Seed, Models: models})
	if err != nil {
		return err
	}
	fmt.Fprintf(p.err, "four simulated providers of the same weights at http://%s/v1; benching them, about 25 seconds\n", s.addr)
	var targets []weir.Target
	for _, d := range demoPlans {
		targets = append(targets, weir.Target{Name: d.name, URL: "http://" + s.addr + "/v1", Dialect: weir.OpenAIChat, Model: d.name})
	}
	err = runBench(p, bench.Config{
		Targets: targets, Concurrency: 4, Requests: 80, Warmup: 4, Seed: c.Seed,
		Work: bench.Work{Plan: work.Plan{Lengths: work.OnePair(work.Fixed(256), work.Fixed(32))}, Temperature: weir.Some(0.0)},
		Load: bench.Load{Laps: true}, Limits: bench.DefaultLimits(), Base: meter.NewTransport(meter.Options{Stamp: true}),
	}, "", c.outputFlags, nil)
	if closeErr := s.close(); err == nil {
		err = closeErr
	}
	return err
}
