package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/report"
	"weir.dev/weir/internal/stored"
)

// TestInterrupt cancels a run in the middle, as Ctrl-C does.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var asked atomic.Int64
	var stopped time.Time
	inner := simulated(t, map[string]string{"m": "ttft=10ms,gap=1ms"})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 40 {
			stopped = time.Now()
			stop()
		}
		inner.ServeHTTP(w, r)
	})) + "/v1"
	o := weirWith(ctx, nil, "", "bench", url, "--model", "m", "--concurrency", "4", "-n", "100000", "--output-tokens", "30", "--save", dir, "-o", "json")
	if took := time.Since(stopped); took > time.Second {
		t.Errorf("took %v to end", took)
	}
	if o.code != 1 {
		t.Errorf("code %d", o.code)
	}
	o.says(t, "interrupted")
	s := o.summary(t)
	target := s.Targets[0]
	ok, canceled := target.Outcomes[weir.OK], target.Outcomes[weir.Canceled]
	if !s.Interrupted || ok < 4 || canceled < 1 || canceled > 4 || ok+canceled != target.Requests || target.Requests+target.Unsent != 100000 {
		t.Errorf("%+v", target)
	}
	if target.Success.Or(0) != 1 || target.TTFT.N < ok || target.TTFT.N > ok+canceled || target.GaveUp {
		t.Errorf("%+v", target)
	}
	folder, err := stored.Open(dir)
	if err != nil || folder.Run.Lost != nil || len(folder.Run.Samples) != len(s.Requests) {
		t.Errorf("%+v: %v", folder, err)
	}
}

// TestInterruptAtOnce: before anything was sent there is nothing to show, and
// that is said.
func TestInterruptAtOnce(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"m": "ttft=10ms,gap=1ms"})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	o := weirWith(ctx, nil, "", "bench", url, "--model", "m", "-o", "json")
	s := o.summary(t)
	if o.code != 1 || !s.Interrupted || s.Targets[0].Requests != 0 || s.Targets[0].Unsent != 20 {
		t.Errorf("code %d, %+v", o.code, s)
	}
}

// TestSignal sends real interrupts to real processes: a bench under way, then
// the simulator that it asks.
func TestSignal(t *testing.T) {
	t.Parallel()
	server := exec.CommandContext(t.Context(), "weir", "sim", "--listen", "127.0.0.1:0", "--model", "m=ttft=5ms,gap=5ms")
	server.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // the race detector lingers for a second otherwise
	says, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(says)
	if !lines.Scan() {
		t.Fatal("weir sim says nothing")
	}
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/v1`).FindString(lines.Text())
	if url == "" {
		t.Fatalf("weir sim says %q", lines.Text())
	}
	var out, errs bytes.Buffer
	bench := exec.CommandContext(t.Context(), "weir", "bench", url, "--model", "m", "-n", "100000", "--concurrency", "2", "--output-tokens", "20", "-o", "json")
	bench.Env = server.Env
	bench.Stdout, bench.Stderr = &out, &errs
	if err := bench.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond) // the bench is another process: nothing tells when it is under way
	interrupt(t, bench, 1)
	var s report.Summary
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatalf("%v\n%s%s", err, &out, &errs)
	}
	if !s.Interrupted || s.Targets[0].Outcomes[weir.OK] == 0 {
		t.Errorf("%+v", s.Targets)
	}
	interrupt(t, server, 0)
}

func interrupt(t *testing.T, c *exec.Cmd, code int) {
	t.Helper()
	start := time.Now()
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Millisecond)
	_ = c.Process.Signal(os.Interrupt) // as timeout(1) does: the process and its group; it may have ended
	_ = c.Wait()
	if took := time.Since(start); took > time.Second || c.ProcessState.ExitCode() != code {
		t.Errorf("%v ended after %v with code %d, want %d", c.Args[1:], took, c.ProcessState.ExitCode(), code)
	}
}
