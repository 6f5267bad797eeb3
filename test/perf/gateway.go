//go:build linux

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// gatewayOptions say what is measured, and how.
type gatewayOptions struct {
	command, config  string
	url, model, key  string
	pid              int
	length           time.Duration
	rounds           int
	instant, streams int
	articleLength    time.Duration
	only             string
}

// gatewayRig is what the measurements share.
type gatewayRig struct {
	gatewayOptions
	upstream, baseline, subject *subject
}

// measurement is one part of the rig.
type measurement struct {
	name string
	run  func(*gatewayRig, context.Context) error
}

var measurements = []measurement{
	{"requests", func(r *gatewayRig, ctx context.Context) error {
		return r.requests(ctx, "requests of 1 KB", order{prompt: 1000}, 1.3)
	}},
	{"100k", func(r *gatewayRig, ctx context.Context) error {
		return r.requests(ctx, "prompts of 100 KB", order{prompt: 100_000}, 1.5)
	}},
	{"1m", func(r *gatewayRig, ctx context.Context) error {
		return r.requests(ctx, "prompts of 1 MB", order{prompt: 1_000_000}, 1.5)
	}},
	{"events", func(r *gatewayRig, ctx context.Context) error { return r.events(ctx, 100) }},
	{"many", func(r *gatewayRig, ctx context.Context) error { return r.events(ctx, 500) }},
	{"instant", (*gatewayRig).truncation},
	{"memory", (*gatewayRig).memory},
	{"article", (*gatewayRig).article},
}

// gateway measures a gateway beside a bare ReverseProxy, by turns: each is a
// process of its own between the same callers and the same synthetic provider.
func gateway(ctx context.Context, args []string) error {
	r := gatewayRig{gatewayOptions: gatewayOptions{model: "perf", key: callersKey, length: 4 * time.Second, rounds: 1, instant: 50_000, streams: 5000, articleLength: time.Minute}}
	if err := parse("gateway", args, func(f *flag.FlagSet) {
		f.StringVar(&r.command, "subject", "", `command line of the gateway, with {upstream} {listen} {admin} {config} {dir}; "baseline" is the baseline again; without it: weir gateway`)
		f.StringVar(&r.config, "config", "", "a file that {config} is made of, with the same words; without it: gateway.yaml")
		f.StringVar(&r.url, "url", "", "of a gateway that runs already, in place of -subject; it must lead to the provider that is printed at the start")
		f.IntVar(&r.pid, "pid", 0, "its process")
		f.StringVar(&r.model, "model", r.model, "that callers ask the subject for")
		f.StringVar(&r.key, "key", r.key, "that callers send to the subject")
		f.DurationVar(&r.length, "for", r.length, "how long each window is")
		f.IntVar(&r.rounds, "rounds", r.rounds, "baseline, subject, subject, baseline: how many times")
		f.IntVar(&r.instant, "instant", r.instant, "instant streams, of which none may be cut")
		f.IntVar(&r.streams, "streams", r.streams, "open streams that memory is divided by")
		f.DurationVar(&r.articleLength, "article", r.articleLength, "how long the article's load goes on, at each of the three")
		f.StringVar(&r.only, "only", "", "requests, 100k, 1m, events, many, instant, memory, article: some of these, with commas")
	}); err != nil {
		return err
	}
	for name := range strings.SplitSeq(r.only, ",") {
		if name != "" && !slices.ContainsFunc(measurements, func(m measurement) bool { return m.name == name }) {
			return fmt.Errorf("-only knows no %q", name)
		}
	}
	return r.run(ctx)
}

func (r *gatewayRig) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "weir-perf-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if r.upstream, err = startOwn(ctx, "gateway-upstream"); err != nil {
		return err
	}
	defer r.upstream.end()
	url := "http://" + r.upstream.addr
	if r.baseline, err = startOwn(ctx, "gateway-baseline", "-upstream", url); err != nil {
		return err
	}
	defer r.baseline.end()
	if r.command == "baseline" {
		r.subject, err = startOwn(ctx, "gateway-baseline", "-upstream", url)
	} else {
		r.subject, err = startSubject(ctx, r.gatewayOptions, url, dir)
	}
	if err != nil {
		return err
	}
	defer r.subject.end()
	fmt.Printf("== gateway: %s, beside a bare ReverseProxy; the provider is at %s\n", r.subject.name, url)
	fmt.Printf("idle: %s %.1f MB, baseline %.1f MB; goal <= 30 MB: %s\n",
		r.subject.name, mib(r.subject.rss()), mib(r.baseline.rss()), verdict(mib(r.subject.rss()), 30))
	for _, m := range measurements {
		if r.only != "" && !slices.Contains(strings.Split(r.only, ","), m.name) {
			continue
		}
		quiet, ours := listen(), r.cpu()
		if err := m.run(r, ctx); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		fmt.Println("        ", quiet.since(r.cpu()-ours))
	}
	return nil
}

// cpu is the processor time of all that takes part.
func (r *gatewayRig) cpu() time.Duration {
	return usedHere() + r.upstream.cpu() + r.baseline.cpu() + r.subject.cpu()
}

// turns goes baseline, subject, subject, baseline, so that a drift of the
// machine hits both.
func (r *gatewayRig) turns(do func(*subject) error) error {
	for range r.rounds {
		for _, s := range []*subject{r.baseline, r.subject, r.subject, r.baseline} {
			if err := do(s); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	return nil
}

func mib(kib int64) float64 { return float64(kib) / 1024 }
