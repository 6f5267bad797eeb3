package main

import (
	"strings"
	"testing"
)

func TestSLO(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"fast": "ttft=20ms,gap=1ms", "slow": "ttft=300ms,gap=1ms"})
	args := []string{"bench", url, url, "--model", "fast", "--model", "slow", "-n", "6", "--output-tokens", "4", "--slo", "ttft<=150ms,success>=50%"}
	o := runWeir(t, append(args, "-o", "json", "--fail-if", "success<99%", "--fail-if", "ttft_p50>10s")...)
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	s := o.summary(t)
	fast, slow := s.Targets[0].SLO, s.Targets[1].SLO
	if fast.Met < 4 || fast.Scheduled != 6 || slow.Met != 0 || slow.Attainment.Or(1) != 0 || len(fast.Run) != 1 || !fast.Run[0].Held {
		t.Errorf("%+v, %+v", fast, slow)
	}
	o = runWeir(t, append(args, "--fail-if", "ttft_p50>200ms")...)
	if o.code != 1 || !strings.Contains(o.err, "ttft_p50>200ms holds") || strings.Count(o.err, "--fail-if") != 1 {
		t.Errorf("%+v", o)
	}
	if !strings.Contains(o.out, "slo: ttft<=150ms, success>=50%") || !strings.Contains(o.out, "within slo") {
		t.Error(o.out)
	}
	o = runWeir(t, append(args, "--fail-if", "tpot_p99>1s,ttfat_p99.9<1us,cost_usd>1usd")...)
	if o.code != 1 || !strings.Contains(o.err, "cost_usd>1usd cannot be judged") {
		t.Errorf("%+v", o)
	}
	for flags, want := range map[string]string{
		"--slo ttft<=200":                             "--slo",
		"--slo mlperf:nothing":                        "llama2-70b",
		"--fail-if ttft>200ms":                        "ttft_p95",
		"--fail-if goodput<1":                         "--slo",
		"--sweep concurrency=1,2 --fail-if success<1": "--sweep",
	} {
		o := runWeir(t, append([]string{"bench", url, "--model", "fast"}, strings.Fields(flags)...)...)
		if o.code != 2 || !strings.Contains(o.err, want) {
			t.Errorf("%s: %+v", flags, o)
		}
	}
}

func TestUntil(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"m": "ttft=20ms,gap=100us"})
	o := runWeir(t, "bench", url, "--model", "m", "--until", "ttft_p50=50%", "--output-tokens", "2", "--concurrency", "2")
	if o.code != 0 || !strings.Contains(o.out, "ttft_p50=50% reached after") {
		t.Errorf("%+v", o)
	}
	if o := runWeir(t, "bench", url, "--model", "m", "--until", "ttft=5%"); o.code != 2 || !strings.Contains(o.err, "ttft_p50=5%") {
		t.Errorf("%+v", o)
	}
}
