//go:build unix

package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startGatewayProcess runs weir gateway as a process of its own, which signals
// can be sent to.
func startGatewayProcess(t *testing.T, yaml string, args ...string) (*runningGateway, *os.Process) {
	t.Helper()
	g := &runningGateway{file: filepath.Join(t.TempDir(), "weir.yaml"), err: &shown{}, out: &shown{}, code: make(chan int, 1)}
	g.write(t, yaml)
	c := exec.CommandContext(t.Context(), "weir", append([]string{"gateway", "-c", g.file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"}, args...)...)
	c.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	c.Stderr = g.err
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = c.Wait() // the exit code says it
		g.code <- c.ProcessState.ExitCode()
	}()
	g.settle(t)
	t.Cleanup(func() {
		g.client.CloseIdleConnections()
		if t.Failed() {
			t.Logf("standard error:\n%s", g.err)
		}
	})
	return g, c.Process
}

func TestGatewaySignals(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"quick": "ttft=1ms", "slow": "ttft=1ms,gap=20ms"})
	yaml := twoTargets(url) + "  slow: sim/slow\n"
	log := filepath.Join(t.TempDir(), "requests.jsonl")
	g, process := startGatewayProcess(t, yaml, "--log", log)
	g.chat(t, "plain").whole(t, "sim/quick", "1")
	if err := os.Rename(log, log+".1"); err != nil {
		t.Fatal(err)
	}
	if err := process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	g.waits(t, regexp.MustCompile(`msg="config taken over" .*reason=SIGHUP`))
	eventually(t, func() bool { _, err := os.Stat(log); return err == nil }, func() string { return "the log is not opened anew" })
	streamed := g.streams(t, "slow", 50)
	if err := process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	got := <-streamed
	got.whole(t, "sim/slow", "1")
	if code := <-g.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
	if before, after := string(readFile(t, log+".1")), string(readFile(t, log)); strings.Count(before, "\n") != 1 || strings.Count(after, "\n") != 1 {
		t.Errorf("%d and %d lines", strings.Count(before, "\n"), strings.Count(after, "\n"))
	}
}

// A second signal does not wait for anyone.
func TestGatewaySecondSignal(t *testing.T) {
	t.Parallel()
	url := simulator(t, map[string]string{"slow": "ttft=1ms,gap=20ms"})
	g, process := startGatewayProcess(t, "providers:\n  sim: {base_url: '"+url+"'}\nroutes:\n  slow: sim/slow\n")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+"/v1/chat/completions", strings.NewReader(streamBody("slow", 5000)))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := g.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	g.waits(t, regexp.MustCompile(`msg="draining`))
	time.Sleep(sameInterrupt + 100*time.Millisecond)
	if err := process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-g.code:
		if code == 0 {
			t.Error("exit code 0")
		}
	case <-time.After(5 * time.Second):
		t.Error("it goes on")
	}
}
