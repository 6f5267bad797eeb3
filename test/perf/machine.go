//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// child is a process of ours. It dies with us.
type child struct {
	cmd *exec.Cmd
	url string // of what it serves
	err *tail
}

var served = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// serve starts a server and waits until it says where it listens.
func serve(ctx context.Context, bin string, args ...string) (*child, error) {
	return serveTo(ctx, nil, bin, args...)
}

// serveTo is serve for a server whose standard output is wanted.
func serveTo(ctx context.Context, out io.Writer, bin string, args ...string) (*child, error) {
	c := &child{cmd: command(ctx, bin, args...), err: &tail{said: make(chan string, 1)}}
	c.cmd.Stdout, c.cmd.Stderr = out, c.err
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	select {
	case c.url = <-c.err.said:
		return c, nil
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
	}
	c.end()
	return nil, fmt.Errorf("%s %s did not say where it serves: %s", bin, strings.Join(args, " "), c.err)
}

func command(ctx context.Context, bin string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// end stops the process and waits for it.
func (c *child) end() {
	c.cmd.Process.Signal(syscall.SIGTERM)
	kill := time.AfterFunc(5*time.Second, func() { c.cmd.Process.Kill() })
	c.cmd.Wait()
	kill.Stop()
}

// tail keeps the last of what a process wrote to standard error, and tells the
// first URL in it.
type tail struct {
	said chan string
	told bool
	last []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.last = append(t.last, p...)
	if !t.told {
		if url := served.Find(t.last); url != nil && bytes.ContainsAny(t.last, "\n") {
			t.told = true
			t.said <- string(url)
		}
	}
	t.last = t.last[max(0, len(t.last)-4096):]
	return len(p), nil
}

func (t *tail) String() string { return strings.TrimSpace(string(t.last)) }

// used is the processor time, user and system, of a process.
func used(pid int) time.Duration {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ") // the name may hold blanks
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	return ticks(f[11]) + ticks(f[12])
}

// usedHere is the processor time, user and system, of this process.
func usedHere() time.Duration {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		panic(err) // it knows RUSAGE_SELF
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// ticks reads a time in units of 1/100 s, which is what Linux tells them in.
func ticks(s string) time.Duration {
	n, _ := strconv.ParseInt(s, 10, 64)
	return time.Duration(n) * 10 * time.Millisecond
}

// noise is what the rest of the machine did while something was measured.
type noise struct {
	at     time.Time
	busy   time.Duration // all processors
	stolen time.Duration // by the hypervisor
	load   string        // as /proc/loadavg has it
}

func listen() noise {
	n := noise{at: time.Now(), load: loadavg()}
	b, _ := os.ReadFile("/proc/stat")
	line, _ := bufio.NewReader(bytes.NewReader(b)).ReadString('\n')
	f := strings.Fields(line) // cpu user nice system idle iowait irq softirq steal
	for i, v := range f {
		switch i {
		case 1, 2, 3, 6, 7:
			n.busy += ticks(v)
		case 8:
			n.stolen += ticks(v)
		}
	}
	return n
}

func loadavg() string {
	b, _ := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(b))
	return strings.Join(f[:min(3, len(f))], " ")
}

// since says what there was beside ours, in one line.
func (n noise) since(ours time.Duration) string {
	now := listen()
	wall := now.at.Sub(n.at).Seconds()
	others := max(0, (now.busy-n.busy-ours).Seconds()/wall)
	return fmt.Sprintf("others used %.2f of %d CPUs, hypervisor %.2f; load average %s", others, runtime.NumCPU(), (now.stolen-n.stolen).Seconds()/wall, now.load)
}

// values are sorted.
type values []float64

func sorted(v []float64) values {
	v = slices.Clone(v)
	slices.Sort(v)
	return v
}

// at is the observed value of rank p.
func (v values) at(p float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return v[min(len(v)-1, max(0, int(math.Ceil(p*float64(len(v))))-1))]
}

// verdict says how a figure stands to its goal.
func verdict(got, goal float64) string {
	if got <= goal {
		return "met"
	}
	return "MISSED"
}

// failed says why a child of ours ended badly.
func failed(what string, err error, stderr string) error {
	if stderr != "" {
		err = errors.New(stderr)
	}
	return fmt.Errorf("%s: %w", what, err)
}
