package main

import (
	"fmt"
	"os"
	"time"

	"weir.dev/weir/internal/bench"
)

// loadFlags say when requests start.
type loadFlags struct {
	Concurrency *int          `help:"Requests under way at each target, 1 by default. With a rate: at most so many, no cap by default." placeholder:"N"`
	Requests    *int          `short:"n" help:"Measured requests for each target, 20 by default, or as many as --duration gives." placeholder:"N"`
	Warmup      *int          `help:"Requests for each target before those, in no figure; by default one for each slot, which makes the connections warm." placeholder:"N"`
	Duration    time.Duration `help:"Start measured requests for so long." placeholder:"D"`
	Ramp        time.Duration `help:"Spread the first starts of the slots over so long." placeholder:"D"`
	Think       string        `help:"A slot rests so long after an answer, such as 5s; in conversations the time before each further turn, which may scatter: 5s~2s." placeholder:"D"`
	Rate        float64       `help:"Requests per second for each target, whatever the answers (open loop), as users who do not know of each other (Poisson)." placeholder:"R"`
	Burstiness  float64       `default:"1" help:"How --rate scatters: 1 Poisson, below 1 bursts, above 1 more regular (gamma), 0 equal gaps." placeholder:"B"`
	Schedule    string        `name:"rate-schedule" help:"Rates one after the other, such as 10@30s,50@1m." placeholder:"STEPS"`
	Trace       string        `help:"Arrivals and lengths of a recorded load: JSONL (ours, Mooncake) or CSV (BurstGPT)." placeholder:"FILE"`
	TraceSpeed  float64       `name:"trace-speed" default:"1" help:"How much faster than it was recorded." placeholder:"X"`
	Until       string        `help:"Stop when this is known so well of every target, such as ttft_p50=5%: half the width of its 95 % confidence sequence." placeholder:"FIGURE"`
	Laps        bool          `default:"true" negatable:"" help:"With several targets and no rate: all slots of all targets send one request before any sends the next; the laps are the blocks of the verdict."`
	Over        time.Duration `help:"Spread the laps over so long, such as 24h." placeholder:"D"`
	Retry429    bool          `name:"retry-429" help:"Send again what was refused for a quota, once the target may be asked again."`
	Seed        uint64        `help:"What prompts and arrivals follow from; random when 0." placeholder:"N"`
}

// open tells whether requests are due by a schedule.
func (f *loadFlags) open() bool { return f.Rate != 0 || f.Schedule != "" || f.Trace != "" }

// mostUntil is how many requests --until may take where nobody says.
const mostUntil = 1000

// fill puts the load into the configuration.
func (f *loadFlags) fill(cfg *bench.Config) error {
	cfg.Retry429 = f.Retry429
	cfg.Load = bench.Load{Duration: f.Duration, Ramp: f.Ramp}
	if f.Over < 0 {
		return usage("--over %v: it is a time such as 24h", f.Over)
	}
	if err := f.shape(cfg); err != nil {
		return err
	}
	switch {
	case f.Concurrency != nil && *f.Concurrency < 1:
		return usage("--concurrency %d: it must be at least 1", *f.Concurrency)
	case f.Concurrency != nil:
		cfg.Concurrency = *f.Concurrency
	case !f.open():
		cfg.Concurrency = 1
	}
	switch {
	case f.Requests != nil && *f.Requests < 1:
		return usage("%d requests: it must be at least 1", *f.Requests)
	case f.Requests != nil:
		cfg.Requests = *f.Requests
	case f.Until != "" && f.Duration == 0 && f.Trace == "" && f.Schedule == "":
		cfg.Requests = mostUntil
	case f.Duration == 0 && f.Trace == "" && f.Schedule == "":
		cfg.Requests = 20
	}
	if f.Until != "" {
		until, err := bench.ParseUntil(f.Until)
		if err != nil {
			return usage("--until: %v", err)
		}
		cfg.Until = &until
	}
	if err := f.laps(cfg); err != nil {
		return err
	}
	cfg.Warmup = max(1, min(cfg.Concurrency, 64))
	if f.Warmup != nil {
		cfg.Warmup = *f.Warmup
	}
	return nil
}

// laps makes the blocks of a comparison, where targets are compared.
func (f *loadFlags) laps(cfg *bench.Config) error {
	can := !f.open() && f.Ramp == 0
	cfg.Load.Laps = f.Laps && can && (len(cfg.Targets) > 1 || f.Over > 0)
	switch {
	case f.Over == 0:
		return nil
	case !can || !f.Laps:
		return usage("--over spreads laps: leave out --rate, --rate-schedule, --trace, --ramp and --no-laps")
	case f.Duration > 0:
		return usage("--over and --duration: --requests says how many, and --over in what time")
	}
	n := (cfg.Requests + cfg.Concurrency - 1) / cfg.Concurrency
	if n < 2 {
		return usage("--over %v with one lap: ask for more --requests than the %d slots", f.Over, cfg.Concurrency)
	}
	cfg.Load.Every = f.Over / time.Duration(n-1)
	return nil
}

func (f *loadFlags) shape(cfg *bench.Config) error {
	given := 0
	for _, one := range []bool{f.Rate != 0, f.Schedule != "", f.Trace != ""} {
		if one {
			given++
		}
	}
	switch {
	case given > 1:
		return usage("--rate, --rate-schedule and --trace each say when requests are due: give one of them")
	case f.Rate < 0:
		return usage("--rate %v: it is above 0", f.Rate)
	case f.Rate != 0:
		cfg.Load.Shape = bench.Gamma(f.Rate, f.Burstiness)
	case f.Schedule != "":
		steps, err := bench.ParseSchedule(f.Schedule)
		if err != nil {
			return usage("--rate-schedule: %v", err)
		}
		cfg.Load.Shape = &bench.Shape{Steps: steps, Burstiness: f.Burstiness}
	case f.Trace != "":
		return f.replay(cfg)
	}
	return nil
}

func (f *loadFlags) replay(cfg *bench.Config) error {
	in, err := os.Open(f.Trace)
	if err != nil {
		return usage("--trace: %v", err)
	}
	defer func() { _ = in.Close() }()
	rec, err := bench.ReadTrace(in, bench.TraceOptions{Speed: f.TraceSpeed})
	if err != nil {
		return usage("--trace %s: %v", f.Trace, err)
	}
	cfg.Load.Shape, cfg.Items = bench.Replay(rec.Items), rec.Items
	return nil
}

// says is the load in a few words, for the headline.
func (f *loadFlags) says() string {
	switch {
	case f.Trace != "":
		return fmt.Sprintf("recorded load at %gx", f.TraceSpeed)
	case f.Schedule != "":
		return "rates " + f.Schedule + " req/s"
	case f.Rate != 0:
		return fmt.Sprintf("%g req/s per target", f.Rate)
	}
	return ""
}
