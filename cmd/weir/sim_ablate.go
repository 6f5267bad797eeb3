package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/engine/ablate"
	"weir.dev/weir/internal/engine/plan"
)

type simAblateCmd struct {
	simLoadFlags
	From      string `required:"" help:"The one deployment, such as a100-pcie,static,contiguous,bf16." placeholder:"SIDE"`
	To        string `required:"" help:"The other one." placeholder:"SIDE"`
	TP        *int   `help:"GPUs that share the model on both sides; by default the fewest that hold it on either and on the way." placeholder:"N"`
	MaxTokens int    `name:"max-tokens" default:"2048" help:"The limit that clients set: what contiguous KV memory reserves."`
}

// Help is shown below the flags.
func (simAblateCmd) Help() string {
	return `Says which differences between two deployments make how much of the difference
in ttft, output speed and e2e. All deployments between the two are simulated; a
difference gets what it changes when its turn comes, on average over all orders
(Shapley values), so that they add up.

  weir sim ablate --from a100-pcie,static,contiguous,bf16 --to h100-sxm,continuous,paged,fp8-kv

A side is, in any order: a GPU; an engine (vllm-v1, trtllm, eager-2023); batching
(continuous, no-evict, prefill-first, static); KV memory (paged, contiguous);
prompts (chunked, whole-prompts); prefix-cache or no-prefix-cache; weights (bf16,
fp8, int8, fp4, mxfp4, int4); KV cache (bf16-kv, fp8-kv); tpN; speculation=4:0.7
or no-speculation. What a side leaves out is h100-sxm, vllm-v1 with what it
brings, bf16, bf16-kv, no-speculation. docs/plan.md explains each.

Exit code: 0, or 2 for sides that cannot be compared.`
}

func (c *simAblateCmd) Run(p *process) error {
	q, err := c.question()
	if err != nil {
		return err
	}
	v := newSimProgress(p)
	q.Total = func(runs int) { v.of = runs }
	r, err := ablate.Run(p.ctx, q, c.effort(v))
	if err != nil {
		return impossible(p, err)
	}
	t := ablation{Model: c.Model, Load: q.Load.String(), Lengths: fmt.Sprint(q.Base.Lengths), Seed: c.Seed, Report: r}
	if c.Output == "json" {
		return writeJSON(p, t)
	}
	return t.write(p)
}

func (c *simAblateCmd) question() (q ablate.Question, err error) {
	if q.Base, err = c.setup(); err != nil {
		return q, err
	}
	if q.Load, err = c.load(); err != nil {
		return q, err
	}
	d := &q.Base.Deployment
	d.Weights, d.KV, q.Base.MaxTokens = engine.BF16, engine.BF16, c.MaxTokens
	if d.GPU, err = parseGPU("--from", "h100-sxm"); err != nil {
		return q, err
	}
	if d.Profile, err = parseProfile("vllm-v1"); err != nil {
		return q, err
	}
	if c.TP != nil {
		if d.TP = *c.TP; d.TP < 1 {
			return q, usage("--tp %d: it must be at least 1", d.TP)
		}
	}
	if q.From, err = parseSide("--from", c.From); err != nil {
		return q, err
	}
	q.To, err = parseSide("--to", c.To)
	return q, err
}

// ablation is what is shown.
type ablation struct {
	Model   string `json:"model"`
	Load    string `json:"load"`
	Lengths string `json:"lengths"`
	Seed    uint64 `json:"seed"`
	*ablate.Report
}

func (t ablation) write(p *process) error {
	fmt.Fprintf(p.out, "%s; %s of %s tokens; on both sides %s\n", t.Model, t.Load, t.Lengths, t.Both)
	for _, w := range []struct {
		title, unit string
		fall        ablate.Waterfall
	}{{"ttft p50", "ms", t.TTFT}, {"output speed p50", "tok/s", t.Speed}, {"e2e p50", "ms", t.E2E}} {
		fmt.Fprintf(p.out, "\n%s, %s\n", w.title, w.unit)
		for _, line := range waterfall(t.From, t.To, w.fall) {
			fmt.Fprintln(p.out, line)
		}
	}
	fmt.Fprintf(p.out, "\n%d deployments, %d requests of each in %d seeds; +- is half the 95 %% interval over the seeds\n", t.Simulated, t.Requests, t.Seeds)
	if t.OrdersLeft > 0 {
		fmt.Fprintf(p.out, "%.0f of %.0f orders are left out: the model does not fit on their way\n", t.OrdersLeft, t.Orders)
	}
	for _, doubt := range t.Doubts {
		fmt.Fprintln(p.err, "weir: in doubt: "+doubt)
	}
	return nil
}

// step is a row of a waterfall: from where to where its bar goes.
type step struct {
	words      string
	figure     plan.Figure
	begin, end float64
	whole      bool // an end of it, not a change
}

// waterfall shows the way from one figure to the other, the largest change first.
func waterfall(from, to string, w ablate.Waterfall) []string {
	at := w.From.Value.Or(0)
	steps := []step{{words: from, figure: w.From, end: at, whole: true}}
	culprits := slices.Clone(w.Culprits)
	slices.SortStableFunc(culprits, func(a, b ablate.Culprit) int {
		return cmp.Compare(math.Abs(b.Value.Or(0)), math.Abs(a.Value.Or(0)))
	})
	for _, c := range culprits {
		end := at + c.Value.Or(0)
		steps = append(steps, step{words: fmt.Sprintf("%s: %s -> %s", c.Words, c.From, c.To), figure: c.Figure, begin: at, end: end})
		at = end
	}
	steps = append(steps, step{words: to, figure: w.To, end: w.To.Value.Or(0), whole: true})
	return bars(steps)
}

const barWidth = 40

func bars(steps []step) []string {
	low, high, width := 0.0, 0.0, 0
	for _, s := range steps {
		low, high = min(low, s.begin, s.end), max(high, s.begin, s.end)
		width = max(width, len(s.words))
	}
	column := func(v float64) int {
		return int(math.Round((v - low) / max(high-low, math.SmallestNonzeroFloat64) * barWidth))
	}
	var lines []string
	for _, s := range steps {
		a, b := column(min(s.begin, s.end)), column(max(s.begin, s.end))
		bar := strings.Repeat(" ", a) + strings.Repeat("█", b-a)
		if a == b {
			bar += "▏"
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("  %-*s  %9s %-9s  %s", width, s.words, s.amount(), s.half(), bar), " "))
	}
	return lines
}

func (s step) amount() string {
	v := s.figure.Value.Or(0)
	if s.whole || v < 0 {
		return digits(v)
	}
	return "+" + digits(v)
}

// half is half the interval.
func (s step) half() string {
	lo, bounded := s.figure.Interval.Lo.Get()
	hi, also := s.figure.Interval.Hi.Get()
	if !bounded || !also {
		return ""
	}
	return "+-" + digits((hi-lo)/2)
}
