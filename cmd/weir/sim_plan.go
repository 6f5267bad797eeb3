package main

import (
	"fmt"
	"strings"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/engine/ablate"
	"weir.dev/weir/internal/engine/plan"
)

type simPlanCmd struct {
	simLoadFlags
	GPU         string `default:"h100-sxm" help:"The GPU."`
	Compare     string `help:"More GPUs, beside it: h200-sxm,b200-sxm." placeholder:"GPUS"`
	TP          *int   `help:"GPUs that share the model (tensor parallel); the fewest that hold it by default." placeholder:"N"`
	Precision   string `default:"bf16" enum:"bf16,fp8,int8,fp4,mxfp4,int4" help:"Of the weights: bf16, fp8, int8, fp4, mxfp4 or int4."`
	KVPrecision string `name:"kv-precision" default:"bf16" enum:"bf16,fp8" help:"Of the KV cache: bf16 or fp8."`
	Engine      string `default:"vllm-v1" help:"The inference engine: vllm-v1, trtllm or eager-2023."`
	Link        string `help:"Between nodes, where --tp is more than one has: infiniband-ndr, infiniband-hdr, ethernet-400 or ethernet-100." placeholder:"LINK"`
	Speculation string `help:"Drafts in each step and the chance that one is right, such as 4:0.7." placeholder:"K:SHARE"`
	MaxTokens   int    `name:"max-tokens" help:"The limit that clients set, for engines that reserve by it; the answer's own length by default." placeholder:"N"`
	SLO         string `default:"ttft_p95<=500ms,output_speed_p50>=20" help:"What the most users or the highest rate are searched for; none for no search."`
	GPUHour     string `name:"gpu-hour" help:"Price of a GPU for an hour: 2.50usd, or h100-sxm=2.50,h200-sxm=3.50." placeholder:"USD"`
	Explain     bool   `help:"Say what binds in each phase: compute, bandwidth, links, CPU."`
}

// Help is shown below the flags.
func (simPlanCmd) Help() string {
	return `Says what a deployment would give, without one: it simulates an inference engine,
its scheduler and its hardware. No network is in the figures. docs/plan.md defines
them, docs/physics.md says how far off published benchmarks the simulation is.

  weir sim plan --model llama-3.3-70b --gpu h100-sxm --tp 4 --precision fp8 --rate 2
  weir sim plan --model llama-3.3-70b --tp 4 --precision fp8 --compare h200-sxm,b200-sxm --gpu-hour 2.50usd
  weir sim plan --model llama-3.1-8b --input-tokens 256~64 --concurrency 8 --slo 'ttft_p95<=200ms, output_speed>=50' --explain

Exit code: 0 also where the SLO is not met, 2 for a deployment that cannot be.`
}

func (c *simPlanCmd) Run(p *process) error {
	gpus := []string{c.GPU}
	if c.Compare != "" {
		gpus = append(gpus, strings.Split(c.Compare, ",")...)
	}
	setups, err := c.setups(gpus)
	if err != nil {
		return err
	}
	questions, err := c.questions(gpus)
	if err != nil {
		return err
	}
	answers, err := plan.Compare(p.ctx, setups, questions, c.effort(newSimProgress(p)))
	if err != nil {
		return impossible(p, err)
	}
	t := planTable{
		Model: c.Model, Load: questions[0].Load.String(), Lengths: fmt.Sprint(setups[0].Lengths), SLO: questions[0].SLO.String(), Seed: c.Seed, Answers: answers,
	}
	if c.Output == "json" {
		return writeJSON(p, t)
	}
	return t.write(p)
}

const maxCompared = 16

// setups are the same on each GPU.
func (c *simPlanCmd) setups(gpus []string) ([]plan.Setup, error) {
	if len(gpus) > maxCompared {
		return nil, usage("--compare of %d GPUs, at most %d", len(gpus)-1, maxCompared-1)
	}
	base, err := c.setup()
	if err != nil {
		return nil, err
	}
	d := &base.Deployment
	d.Weights, d.KV, base.MaxTokens = engine.Precision(c.Precision), engine.Precision(c.KVPrecision), c.MaxTokens
	if d.Profile, err = parseProfile(c.Engine); err != nil {
		return nil, err
	}
	if err := c.optional(d); err != nil {
		return nil, err
	}
	var setups []plan.Setup
	for i, name := range gpus {
		flag := "--compare"
		if i == 0 {
			flag = "--gpu"
		}
		s := base
		if s.Deployment.GPU, err = parseGPU(flag, name); err != nil {
			return nil, err
		}
		if c.TP == nil {
			s.Deployment.TP = plan.FewestDevices(s)
		}
		setups = append(setups, s)
	}
	return setups, nil
}

func (c *simPlanCmd) optional(d *engine.Deployment) error {
	if c.TP != nil {
		if d.TP = *c.TP; d.TP < 1 {
			return usage("--tp %d: it must be at least 1", d.TP)
		}
	}
	var ok bool
	if c.Link != "" {
		if d.Link, ok = engine.LinkNamed(c.Link); !ok {
			var names []string
			for _, l := range engine.Links() {
				names = append(names, l.Name)
			}
			return unknown("--link", c.Link, names, names)
		}
	}
	if c.Speculation != "" {
		if d.Speculation, ok = ablate.ParseSpeculation("speculation=" + c.Speculation); !ok {
			return usage("--speculation %q: it is drafts and the chance that one is right, such as 4:0.7", c.Speculation)
		}
	}
	return nil
}

// questions are the same but for the price.
func (c *simPlanCmd) questions(gpus []string) ([]plan.Question, error) {
	q := plan.Question{Explain: c.Explain}
	var err error
	if q.Load, err = c.load(); err != nil {
		return nil, err
	}
	if c.SLO != "none" {
		if q.SLO, err = weir.ParseSLO(c.SLO); err == nil {
			err = plan.CheckSLO(q.SLO)
		}
		if err != nil {
			return nil, usage("--slo: %v", err)
		}
	}
	prices, err := parsePrices(c.GPUHour, gpus)
	if err != nil {
		return nil, err
	}
	var all []plan.Question
	for _, usd := range prices {
		q.GPUHour = usd
		all = append(all, q)
	}
	return all, nil
}
