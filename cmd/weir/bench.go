package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/page"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/meter"
)

type benchCmd struct {
	targetFlags  `group:"Who is asked"`
	loadFlags    `group:"How much"`
	sweepFlags   `group:"How much"`
	workFlags    `group:"What is asked"`
	clockFlags   `group:"How long is waited"`
	networkFlags `group:"How it is reached"`
	moneyFlags   `group:"What it may cost"`
	outputFlags  `group:"What comes out"`
}

type clockFlags struct {
	Connect     time.Duration `name:"connect-timeout" default:"10s" help:"To have a connection."`
	FirstOutput time.Duration `name:"first-output-timeout" default:"60s" help:"To the first output event."`
	Stall       time.Duration `name:"stall-timeout" default:"30s" help:"Without output, after the first."`
	Total       time.Duration `name:"timeout" default:"0s" help:"For a whole request; 0 is no limit."`
}

type outputFlags struct {
	judgeFlags
	formFlags
	Save   *string `help:"Keep settings, raw traces, summary and the HTML report in this new folder." placeholder:"DIR"`
	Resume bool    `help:"Go on with the run in the folder of --save, which was stopped: give the command that began it."`
	contentFlags
}

// Help is shown below the flags.
func (benchCmd) Help() string {
	return `Sends requests in a closed loop, each slot one after the other, to all URLs side
by side, and prints time to first token (ttft), time per output token (tpot),
output speed, failures by class and how far the client itself can be trusted.

  weir bench http://127.0.0.1:8000/v1 --model llama-3.3-70b --concurrency 8 --requests 100
  weir bench groq/llama-3.1-8b-instant deepinfra/meta-llama/Llama-3.1-8B-Instruct --budget 1usd
  weir bench --model llama-3.1-8b --all --dry-run
  weir bench https://a.example/v1 https://b.example/v1 --model M --key-env A_KEY --key-env B_KEY
  weir bench http://127.0.0.1:8000/v1 --model M --cache compare -n 40
  weir bench http://127.0.0.1:8000/v1 --model M --turns 4 --think 5s~2s --mix 70%:256/128,30%:4000/512
  weir bench http://127.0.0.1:8000/v1 --model M -n 50 --save runs/today -o json
  weir bench http://127.0.0.1:8000/v1 --model M -n 100 -o html > report.html
  weir bench http://127.0.0.1:8000/v1 --model M --sweep concurrency=1,2,4,8,16

A + marks a percentile that so few requests cannot bound from above. Ctrl-C stops
and reports what there is. Exit code: 0 ok, 1 nothing succeeded or interrupted, 2 usage.`
}

func (c *benchCmd) Run(p *process) error {
	if err := p.given.refuse(c.idle()...); err != nil {
		return err
	}
	if _, err := c.budget(); err != nil {
		return err
	}
	sweep, err := c.points(&c.loadFlags)
	if err != nil {
		return err
	}
	if _, failIf, err := c.judgements(); err != nil {
		return err
	} else if sweep != nil && len(failIf) > 0 {
		return usage("--fail-if and --sweep: a condition is about one run; leave one out")
	}
	before, err := c.earlier()
	if err != nil {
		return err
	}
	defer before.release()
	places, err := c.places(p)
	if err != nil {
		return err
	}
	if err := c.prices(places); err != nil {
		return err
	}
	base, err := c.transport(p, true)
	if err != nil {
		return err
	}
	auth, err := newAuth(p, base)
	if err != nil {
		return err
	}
	if err := c.keys(p, places, auth); err != nil {
		return err
	}
	cfg, err := c.config(bare(places))
	if err != nil {
		return err
	}
	if before != nil {
		if err := before.goOn(&cfg); err != nil {
			return err
		}
	}
	cfg.Refused = refused(places)
	if c.DryRun {
		cost, err := sweep.estimate(&cfg, p.free)
		if err != nil {
			return err
		}
		return dryRun(p, &cfg, cost)
	}
	hide(&cfg, auth)
	_ = auth.Warm(p.ctx) // what fails here, the first request tells
	if places, err = c.listed(p, places, auth); err != nil {
		return err
	}
	cfg.Targets, cfg.Refused = bare(places), refused(places)
	cost, err := sweep.estimate(&cfg, p.free)
	if err != nil {
		return err
	}
	if err := c.allow(p, &cfg, cost); err != nil {
		return err
	}
	cfg.Base, cfg.Scrub, cfg.Redact = auth, auth.Scrub, auth.Mask
	if sweep != nil {
		return sweep.run(p, cfg, c.outputFlags)
	}
	if before != nil {
		fmt.Fprintln(p.err, before.says(&cfg))
	}
	return runBench(p, cfg, c.says(), c.outputFlags, before)
}

// dryRun prints what would be sent, keys apart.
func dryRun(p *process, cfg *bench.Config, e estimate) error {
	cfg.Work.Extra, cfg.Work.Headers = masked(cfg.Work.Extra), maskedHeader(cfg.Work.Headers)
	for i, t := range cfg.Targets {
		enc, err := cfg.FirstRequest(i)
		if err != nil {
			return usage("%v", err)
		}
		fmt.Fprintf(p.out, "%s: POST %s\n", report.Visible(t.Name), report.Visible(enc.URL))
		for _, name := range slices.Sorted(maps.Keys(enc.Header)) {
			fmt.Fprintf(p.out, "%s: %s\n", name, strings.Join(enc.Header[name], ", "))
		}
		fmt.Fprintf(p.out, "\n%s\n\n", enc.Body)
	}
	fmt.Fprintln(p.out, report.Visible(e.String()))
	return nil
}

func (c *benchCmd) config(targets []weir.Target) (bench.Config, error) {
	cfg := bench.Config{
		Targets: targets, Seed: c.Seed,
		Limits: meter.Limits{Connect: c.Connect, FirstOutput: c.FirstOutput, Stall: c.Stall, Total: c.Total},
	}
	if cfg.Seed == 0 {
		cfg.Seed = rand.Uint64() >> 11 // exact in JSON
	}
	if err := c.loadFlags.fill(&cfg); err != nil {
		return cfg, err
	}
	if err := c.workFlags.fill(&cfg, c.Think); err != nil {
		return cfg, err
	}
	if c.Temperature != -1 {
		if !(c.Temperature >= 0 && c.Temperature <= 100) {
			return cfg, usage("--temperature %v: it is from 0 to 100, or -1 to send none", c.Temperature)
		}
		cfg.Work.Temperature = weir.Some(c.Temperature)
	}
	for _, d := range []time.Duration{c.Connect, c.FirstOutput, c.Stall, c.Total} {
		if d < 0 {
			return cfg, usage("a timeout of %v: it is 0 (no limit) or more", d)
		}
	}
	if err := c.extras(&cfg.Work); err != nil {
		return cfg, err
	}
	if err := cfg.Check(); err != nil {
		return cfg, usage("%v", err)
	}
	if err := cfg.CheckRequests(); err != nil {
		return cfg, usage("%v", err)
	}
	return cfg, nil
}

// extras turns --body and --header into what the requests add.
func (c *benchCmd) extras(w *bench.Work) error {
	if c.ExtraBody != "" {
		if err := json.Unmarshal([]byte(c.ExtraBody), &w.Extra); err != nil {
			return usage("--extra-body is no JSON object: %v", err)
		}
		if _, ok := w.Extra["stream"]; ok {
			return usage("--extra-body has stream: use --no-stream, so that the figures know of it")
		}
	}
	for _, f := range c.Body {
		name, value, ok := strings.Cut(f, "=")
		if !ok || name == "" {
			return usage("--body %q: it is NAME=VALUE, such as top_p=0.9", f)
		}
		if name == "stream" {
			return usage("--body stream: use --no-stream, so that the figures know of it")
		}
		raw := json.RawMessage(value)
		if !json.Valid(raw) {
			raw, _ = json.Marshal(value)
		}
		if w.Extra == nil {
			w.Extra = make(map[string]json.RawMessage)
		}
		w.Extra[name] = raw
	}
	var err error
	w.Headers, err = parseHeaders(c.Header)
	return err
}

// parseHeaders reads the values of --header. No key is among them.
func parseHeaders(flags []string) (http.Header, error) {
	var headers http.Header
	for _, f := range flags {
		i := strings.IndexAny(f, "=:") // curl's form too
		if i < 1 {
			return nil, usage("--header: it is NAME=VALUE")
		}
		name, value := strings.TrimSpace(f[:i]), strings.TrimSpace(f[i+1:])
		switch strings.ToLower(name) {
		case "authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "proxy-authorization":
			return nil, usage("--header %s: keys never go on the command line; put it in a variable and name that with --key-env", name)
		}
		if headers == nil {
			headers = http.Header{}
		}
		headers.Set(name, value)
	}
	return headers, nil
}

// runBench carries out a bench and shows it; demo does the same.
func runBench(p *process, cfg bench.Config, load string, o outputFlags, before *earlier) error {
	slo, failIf, err := o.judgements()
	if err != nil {
		return err
	}
	settings := settingsOf(&cfg)
	settings.Load, settings.SLO = load, slo.String()
	if err := o.checkContent(o.Save); err != nil {
		return err
	}
	kept, err := o.exemplars(cfg.Targets, before)
	if err != nil {
		return err
	}
	folder, err := o.folder(&cfg, settings, before)
	if err != nil {
		return err
	}
	if kept != nil {
		look(&cfg, kept)
	}
	precise, err := clock.NewPrecise()
	if err != nil {
		return err
	}
	cfg.Clock = precise
	view := newProgress(p, &cfg)
	cfg.OnEvent = view.event
	pauses := gcPauses()
	res, err := bench.Run(p.ctx, cfg)
	view.close()
	if err := errors.Join(err, precise.Close()); err != nil {
		return err
	}
	run := runOf(&cfg, settings, res, gcPauses()-pauses)
	if before != nil {
		run = before.join(run)
	}
	summary := report.Summarise(run)
	var unsaved error
	if folder != nil {
		unsaved = folder.Close(summary, runPage(summary, kept))
	}
	if err := show(p, summary, kept.Streams, o.formFlags); err != nil {
		return err
	}
	if unsaved != nil {
		return unsaved
	}
	return errors.Join(verdict(p, summary, o.formFlags), failed(p, summary, &run, failIf))
}

func show(p *process, s *report.Summary, streams func() []page.Streams, o formFlags) error {
	if o.data() {
		return o.write(p, s, streams)
	}
	if why := report.Hopeless(s); len(why) > 0 {
		for _, line := range why {
			if _, err := lipgloss.Fprintln(p.err, "weir: "+line); err != nil {
				return err
			}
		}
		return quiet(exitFailed)
	}
	return o.write(p, s, streams)
}

// verdict is the exit code.
func verdict(p *process, s *report.Summary, o formFlags) error {
	if s.Interrupted {
		if o.data() { // the table says it itself
			fmt.Fprintln(p.err, "weir: interrupted; these are the requests that ended before")
		}
		return quiet(exitFailed)
	}
	return answered(p, s.Answered())
}

// answered is the exit code of what was shown.
func answered(p *process, any bool) error {
	if any {
		return nil
	}
	fmt.Fprintln(p.err, "weir: no request succeeded; the reasons are above")
	return quiet(exitFailed)
}

func settingsOf(c *bench.Config) report.Settings {
	w := c.Work
	input, output := w.Plan.Lengths.Mean()
	if !w.Plan.Learns() {
		input = 0
	}
	total := weir.Span{}
	if c.Limits.Total > 0 {
		total = weir.SpanOf(c.Limits.Total)
	}
	until := ""
	if c.Until != nil {
		until = c.Until.String()
	}
	return report.Settings{
		Until: until, Targets: c.Targets, Shape: c.LoadID(), Concurrency: c.Concurrency, Requests: c.Requests, Warmup: c.Warmup,
		InputTokens: int(math.Round(input)), OutputTokens: int(math.Round(output)), Work: workSettings(c),
		Prompt: w.Plan.Prompt, System: w.Plan.System,
		Temperature: w.Temperature, Reasoning: w.ReasoningEffort, IgnoreEOS: w.IgnoreEOS, Stream: !w.NoStream,
		Extra: masked(w.Extra), Seed: c.Seed, WorkloadID: c.ID(),
		Limits: report.LimitSettings{
			Connect: weir.Dur(c.Limits.Connect), FirstOutput: weir.Dur(c.Limits.FirstOutput), Stall: weir.Dur(c.Limits.Stall), Total: total,
		},
	}
}

func runOf(cfg *bench.Config, s report.Settings, res *bench.Result, pauses time.Duration) report.Run {
	r := report.Run{
		Version: version(), Settings: s, Started: res.Started, Duration: res.Duration,
		Interrupted: res.Interrupted, Budget: res.BudgetReached, Enough: res.Enough, Samples: res.Samples, GCPauses: weir.SpanOf(pauses), WakeUps: res.WakeUps,
	}
	for _, t := range res.Targets {
		r.Notes = append(r.Notes, report.TargetNote{
			Unsent: t.Unsent, GaveUp: t.GaveUp, Learned: t.Learned, Lengths: lengthFit(cfg, t.Lengths), Missed: t.Missed, SlotWaits: t.SlotWaits,
			Asked: t.Asked, Drawn: t.Drawn, Achieved: t.Achieved, QuotaRefused: t.Quota.Refused, QuotaWaited: t.Quota.Waited, QuotaLimits: t.Quota.Limits,
		})
	}
	return r
}

func gcPauses() time.Duration {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return time.Duration(m.PauseTotalNs)
}
