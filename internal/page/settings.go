package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
)

// settingFacts are what was asked.
func settingFacts(c *report.Settings) []fact {
	var out []fact
	add := func(name, format string, args ...any) {
		if v := cut(fmt.Sprintf(format, args...), mostText); v != "" {
			out = append(out, fact{name, v})
		}
	}
	for _, t := range c.Targets {
		add("target", "%s: %s, %s, %s", short(t.Name), short(t.URL), t.Dialect, short(t.Model))
	}
	if c.Load == "" {
		add("load", "closed loop, %s per target", report.Count(c.Concurrency, "slot"))
	} else {
		add("load", "%s", c.Load)
		if c.Concurrency > 0 {
			add("at most under way", "%d", c.Concurrency)
		}
	}
	if c.Requests > 0 {
		add("requests", "%d per target, after %d warm-up", c.Requests, c.Warmup)
	} else {
		add("requests", "as many as the time gave, after %d warm-up", c.Warmup)
	}
	add("asked for", "%s", c.Asked())
	add("texts", "%s", strings.Join(append([]string{c.Work.Content}, c.Texts()...), ", "))
	add("cache", "%s", c.Work.Cache)
	add("prompt", "%s", c.Prompt)
	add("system prompt", "%s", c.System)
	if t, ok := c.Temperature.Get(); ok {
		add("temperature", "%v", t)
	}
	add("reasoning effort", "%s", c.Reasoning)
	add("stream", "%s", report.YesNo(weir.Some(c.Stream)))
	if c.IgnoreEOS {
		add("ignore_eos", "yes")
	}
	if len(c.Extra) > 0 {
		add("extra fields", "%s", extraText(c.Extra))
	}
	add("timeouts", "connect %s, first output %s, stall %s, whole %s", limitText(weir.Some(c.Limits.Connect)),
		limitText(weir.Some(c.Limits.FirstOutput)), limitText(weir.Some(c.Limits.Stall)), limitText(c.Limits.Total))
	add("seed", "%d", c.Seed)
	add("workload", "%s", c.WorkloadID)
	return out
}

func extraText(extra map[string]json.RawMessage) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		parts = append(parts, name+"="+string(extra[name]))
	}
	return strings.Join(parts, ", ")
}

func limitText(v weir.Span) string {
	d, ok := v.Get()
	if !ok || d == 0 {
		return "none"
	}
	return d.Duration().String()
}

// measuredFacts are when and how it was measured, and how far that can be
// trusted.
func measuredFacts(s *report.Summary) []fact {
	c := &s.Client
	out := []fact{
		{"started", s.Started.UTC().Format("2006-01-02 15:04:05 MST")},
		{"took", s.Duration.Duration().Round(time.Millisecond).String()},
		{"weir", fmt.Sprintf("%s, metrics version %d", cut(s.Version, mostName), s.MetricsVersion)},
	}
	late, ok := c.LatenessP99.Get()
	if !ok {
		return append(out, fact{"client", "nothing was measured"})
	}
	verdict := "no"
	if c.Limited {
		verdict = "yes: " + c.Why
	}
	bounded := c.BoundedShare.Or(0)
	out = append(
		out, fact{"client-limited", verdict},
		fact{"sent late by", fmt.Sprintf("p50 %.2f ms, p99 %.2f ms, most %.2f ms", c.LatenessP50.Or(0), late, c.LatenessMax.Or(0))},
		fact{"stamps", fmt.Sprintf("%s%s; %.2f %% of %d events only bounded", c.Stamps, c.StampError(), 100*bounded, c.Events)},
	)
	if paused, ok := c.GCPauses.Get(); ok {
		out = append(out, fact{"garbage collector", fmt.Sprintf("paused %.1f ms in all", paused.MS())})
	}
	return out
}
