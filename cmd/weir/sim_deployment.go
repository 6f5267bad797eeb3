package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/engine/ablate"
	"weir.dev/weir/internal/engine/plan"
	"weir.dev/weir/internal/work"
)

// simLoadFlags say what is asked of a simulated deployment, and how much of it
// is simulated.
type simLoadFlags struct {
	Model       string   `default:"llama-3.3-70b" help:"The model."`
	Input       string   `name:"input-tokens" default:"2000~500" help:"Tokens of a prompt, 2000~500 by default: a number, 256~64 (normal: mean and deviation) or 256~64[16..1024]." placeholder:"LEN"`
	OutputLen   string   `name:"output-tokens" default:"300~100" help:"Tokens of an answer, 300~100 by default, in the same forms." placeholder:"LEN"`
	Mix         string   `help:"Pairs of lengths, each with its share of the requests, such as 70%:256/128,30%:4000~500/512." placeholder:"PAIRS"`
	Shared      string   `name:"shared-prefix" help:"First part of each prompt that is the same in all, such as 50%." placeholder:"SHARE"`
	Rate        *float64 `help:"Requests a second, at random (Poisson)." placeholder:"N"`
	Concurrency *int     `short:"c" help:"Users, each of whom sends the next request when the last answer is there; 16 without --rate." placeholder:"N"`
	Seeds       int      `default:"12" help:"Runs of each deployment, with other lengths and arrivals; what intervals come from."`
	Requests    int      `short:"n" default:"400" help:"Requests of a run that count, after a warm-up; more where many are under way."`
	Seed        uint64   `default:"1" help:"What everything random follows from."`
	Output      string   `short:"o" enum:"table,json" default:"table" help:"table or json."`
}

const defaultUsers = 16

func (f *simLoadFlags) lengths() (work.Lengths, error) {
	w := workFlags{Input: f.Input, OutputLen: f.OutputLen, Mix: f.Mix}
	if f.Mix != "" {
		if f.Input != "2000~500" || f.OutputLen != "300~100" {
			return nil, usage("--mix has the lengths: leave --input-tokens and --output-tokens out")
		}
		w.Input, w.OutputLen = "256", "128"
	}
	var p work.Plan
	err := w.lengths(&p)
	return p.Lengths, err
}

func (f *simLoadFlags) load() (plan.Load, error) {
	switch {
	case f.Rate != nil && f.Concurrency != nil:
		return plan.Load{}, usage("--rate and --concurrency both say how requests come: give one of them")
	case f.Rate != nil && !(*f.Rate > 0):
		return plan.Load{}, usage("--rate %g: it must be above 0", *f.Rate)
	case f.Rate != nil:
		return plan.Load{Rate: *f.Rate}, nil
	case f.Concurrency == nil:
		return plan.Load{Users: defaultUsers}, nil
	case *f.Concurrency < 1:
		return plan.Load{}, usage("--concurrency %d: it must be at least 1", *f.Concurrency)
	}
	return plan.Load{Users: *f.Concurrency}, nil
}

// setup is the model and what is asked of it, on no device yet.
func (f *simLoadFlags) setup() (s plan.Setup, err error) {
	m, ok := engine.ModelNamed(f.Model)
	if !ok {
		return s, unknown("--model", f.Model, engine.ModelNames(), modelTable())
	}
	s.Deployment.Model = m
	if s.Lengths, err = f.lengths(); err != nil {
		return s, err
	}
	s.Shared, err = parseShare(f.Shared)
	return s, err
}

func (f *simLoadFlags) effort(v *simProgress) plan.Effort {
	return plan.Effort{Seeds: f.Seeds, Requests: f.Requests, Seed: f.Seed, Watch: v.run}
}

// unknown is for a name that no table has.
func unknown(what, name string, known, table []string) error {
	return usage("%s: %q is not known: %sone of %s", what, name, meant(name, known), strings.Join(table, ", "))
}

func modelTable() (names []string) {
	for _, m := range engine.Models() {
		names = append(names, m.Name)
	}
	return names
}

func gpuTable() (names []string) {
	for _, g := range engine.GPUs() {
		names = append(names, strings.ToLower(g.Name))
	}
	return names
}

func profileTable() (names []string) {
	for _, one := range engine.Profiles() {
		names = append(names, one.Name)
	}
	return names
}

func parseGPU(flag, name string) (engine.GPU, error) {
	g, ok := engine.GPUNamed(strings.TrimSpace(name))
	if !ok {
		return g, unknown(flag, name, engine.GPUNames(), gpuTable())
	}
	return g, nil
}

func parseProfile(name string) (engine.Profile, error) {
	one, ok := engine.ProfileNamed(name)
	if !ok {
		return one, unknown("--engine", name, profileTable(), profileTable())
	}
	return one, nil
}

func parseSide(flag, text string) (ablate.Side, error) {
	s, err := ablate.ParseSide(text)
	if e, ok := errors.AsType[*weir.Error](err); ok && e.Code == ablate.ErrWord {
		return nil, unknown(flag, e.Message, ablate.Words(), []string{"a GPU", "an engine", "a policy", "a precision, ... (weir sim ablate --help)"})
	}
	if err != nil {
		return nil, usage("%s: %v", flag, err)
	}
	return s, nil
}

// parsePrices reads --gpu-hour: one price for all GPUs, or one for each.
func parsePrices(text string, gpus []string) ([]weir.Opt[float64], error) {
	prices := make([]weir.Opt[float64], len(gpus))
	if text == "" {
		return prices, nil
	}
	said := map[string]float64{}
	for part := range strings.SplitSeq(text, ",") {
		name, amount, named := strings.Cut(part, "=")
		if !named {
			name, amount = "", part
		}
		number := strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(strings.TrimSpace(amount)), "usd"), "$")
		usd, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(usd > 0 && usd < 1e6) {
			return nil, usage("--gpu-hour %q: it is an amount such as 2.50usd, or h100-sxm=2.50,h200-sxm=3.50", text)
		}
		said[strings.ToLower(strings.TrimSpace(name))] = usd
	}
	taken := map[string]bool{}
	for i, g := range gpus {
		for _, name := range []string{strings.ToLower(g), ""} {
			if usd, ok := said[name]; ok {
				prices[i], taken[name] = weir.Some(usd), true
				break
			}
		}
	}
	for name := range said {
		if !taken[name] {
			return nil, usage("--gpu-hour %q: %s is not among the GPUs that are compared: %s", text, name, strings.Join(gpus, ", "))
		}
	}
	return prices, nil
}

// simProgress tells now and then how many runs are done.
type simProgress struct {
	p     *process
	start time.Time
	said  time.Time
	done  int
	of    int // 0: unknown
}

func newSimProgress(p *process) *simProgress {
	now := time.Now()
	return &simProgress{p: p, start: now, said: now}
}

func (v *simProgress) run(what string) {
	v.done++
	if time.Since(v.said) < linesEvery {
		return
	}
	v.said = time.Now()
	of := ""
	if v.of > 0 {
		of = fmt.Sprintf(" of %d", v.of)
	}
	fmt.Fprintf(v.p.err, "run %d%s after %.0f s: %s\n", v.done, of, time.Since(v.start).Seconds(), what)
}

// impossible makes an error of a simulation one of the flags.
func impossible(p *process, err error) error {
	if p.ctx.Err() != nil {
		return errors.New("interrupted: nothing is known yet")
	}
	if _, ok := errors.AsType[*weir.Error](err); ok {
		return usage("%v", err)
	}
	return err
}
