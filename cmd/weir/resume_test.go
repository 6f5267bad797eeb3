package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weir.dev/weir"
)

// TestResume stops a run in the middle and goes on with it: laps and prompts
// follow each other, and the folder holds one run.
func TestResume(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var asked atomic.Int64
	inner := simulated(t, map[string]string{"a": "ttft=2ms,gap=100us", "b": "ttft=3ms,gap=100us"})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 30 {
			stop()
		}
		inner.ServeHTTP(w, r)
	})) + "/v1"
	args := []string{"bench", url, url, "--model", "a", "--model", "b", "-n", "24", "--concurrency", "2", "--output-tokens", "4", "--over", "500ms", "--save", dir, "-o", "json"}
	if o := weirWith(ctx, nil, "", args...); o.code != 1 {
		t.Fatalf("%+v", o)
	}
	for flags, want := range map[string]string{
		"--resume --seed 5":           "--seed",
		"--resume --input-tokens 300": "something else",
		"--resume --requests 30":      "--requests 30",
		"--resume --rate 5":           "--rate",
	} {
		if o := runWeir(t, append(args, strings.Fields(flags)...)...); o.code != 2 || !strings.Contains(o.err, want) {
			t.Errorf("%s: %d %s", flags, o.code, o.err)
		}
	}
	other := slices.Clone(args)
	other[4] = "b"
	if o := runWeir(t, append(other, "--resume")...); o.code != 2 || !strings.Contains(o.err, "other targets") {
		t.Errorf("%d %s", o.code, o.err)
	}
	o := runWeir(t, append(args, "--resume")...)
	if o.code != 0 || !strings.Contains(o.err, "going on with the run of") {
		t.Fatalf("%+v", o)
	}
	s := o.summary(t)
	last := map[string]int{}
	for _, r := range s.Requests {
		if r.Warmup {
			continue
		}
		if b := r.Block.Or(-1); b < last[r.Target] {
			t.Errorf("%s: lap %d after %d", r.Target, b, last[r.Target])
		} else {
			last[r.Target] = b
		}
	}
	for _, target := range s.Targets {
		if n := target.Outcomes[weir.OK]; n < 18 || target.Requests+target.Unsent < 24 || last[target.Name] < 11 {
			t.Errorf("%s: %d ok, %d unsent, last lap %d", target.Name, n, target.Unsent, last[target.Name])
		}
	}
	if s.Interrupted || s.Verdict.Blocks < 11 {
		t.Errorf("interrupted %v, %d blocks", s.Interrupted, s.Verdict.Blocks)
	}
	again := runWeir(t, "report", dir, "-o", "json")
	if again.code != 0 || again.summary(t).Targets[0].TTFT.N != s.Targets[0].TTFT.N {
		t.Errorf("%+v", again)
	}
	if o := runWeir(t, append(args, "--resume")...); o.code != 2 || !strings.Contains(o.err, "were sent") {
		t.Errorf("%d %s", o.code, o.err)
	}
	if o := runWeir(t, "bench", url, "--model", "a", "--resume"); o.code != 2 || !strings.Contains(o.err, "--save") {
		t.Errorf("%d %s", o.code, o.err)
	}
}

// TestResumeFromNothing goes on with a run that was killed before a request had
// ended: it began when it was taken up.
func TestResumeFromNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"bench", serve(t, simulated(t, map[string]string{"a": "ttft=2ms,gap=100us"})) + "/v1", "--model", "a", "-n", "4", "--output-tokens", "4", "--save", dir, "-o", "json"}
	if o := runWeir(t, args...); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	if err := errors.Join(os.Truncate(filepath.Join(dir, "traces.jsonl"), 0), os.Remove(filepath.Join(dir, "summary.json"))); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	o := runWeir(t, append(args, "--resume")...)
	if o.code != 0 || !strings.Contains(o.err, "nothing was kept: all 4 requests") {
		t.Fatalf("%+v", o)
	}
	if s := o.summary(t); s.Started.Before(begun) || s.Duration.Duration() > time.Since(begun) || s.Targets[0].Outcomes[weir.OK] != 4 {
		t.Errorf("began %v, took %v, %v", s.Started, s.Duration.Duration(), s.Targets[0].Outcomes)
	}
}

// TestResumeOfALiveRun: a folder that is written to is left alone.
func TestResumeOfALiveRun(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	first := make(chan struct{})
	var once sync.Once
	inner := simulated(t, map[string]string{"a": "ttft=50ms,gap=1ms"})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(first) })
		inner.ServeHTTP(w, r)
	})) + "/v1"
	args := []string{"bench", url, "--model", "a", "-n", "1000", "--output-tokens", "4", "--save", dir}
	done := make(chan outcome)
	go func() { done <- weirWith(ctx, nil, "", args...) }()
	<-first
	for _, more := range [][]string{{"--resume"}, nil} {
		o := runWeir(t, append(slices.Clone(args), more...)...)
		if o.code != 2 || len(more) > 0 && !strings.Contains(o.err, fmt.Sprintf("process %d writes to the folder", os.Getpid())) {
			t.Errorf("%v: %d %s", more, o.code, o.err)
		}
	}
	stop()
	<-done
	if o := runWeir(t, "report", dir, "-o", "json"); len(o.summary(t).Lost) > 0 {
		t.Errorf("%q", o.summary(t).Lost)
	}
	if _, err := os.Stat(filepath.Join(dir, "run.lock")); err == nil {
		t.Error("the lock is still there")
	}
}
