//go:build linux

package soak

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a running weir gateway.
type process struct {
	cmd        *exec.Cmd
	dir        string
	url, admin string
	over       chan error // its end, once

	mu          sync.Mutex
	last        []string // of what it said
	taken, kept int      // configs that it took over, and that it did not
}

// admin has no connections of its own at rest, which would count.
var adminClient = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

var servingLine = regexp.MustCompile(`msg=serving callers=(http://\S+)/v1 .*admin=(\S+)`)

// start runs weir gateway with a config, where there is room.
func start(t *testing.T, bin, config string) *process {
	t.Helper()
	p := &process{dir: t.TempDir(), over: make(chan error, 1)}
	p.write(t, config)
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), bin, "gateway", "-c", p.file(), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--log", p.log())
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan []string, 1)
	go func() {
		p.listen(said, ready)
		p.over <- p.cmd.Wait()
	}()
	t.Cleanup(func() { p.stop(t) })
	select {
	case m := <-ready:
		p.url, p.admin = m[1], m[2]
	case err := <-p.over:
		p.over <- err
		t.Fatalf("weir gateway ended with %v:\n%s", err, p.said())
	case <-time.After(20 * time.Second):
		t.Fatalf("weir gateway does not serve:\n%s", p.said())
	}
	return p
}

func (p *process) listen(from io.Reader, ready chan<- []string) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		line := lines.Text()
		if m := servingLine.FindStringSubmatch(line); m != nil {
			ready <- m
		}
		p.mu.Lock()
		p.last = append(p.last[max(0, len(p.last)-40):], line)
		if strings.Contains(line, "config taken over") {
			p.taken++
		}
		if strings.Contains(line, "the old one stays") {
			p.kept++
		}
		p.mu.Unlock()
	}
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.last, "\n")
}

func (p *process) reloads() (taken, kept int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken, p.kept
}

func (p *process) file() string { return filepath.Join(p.dir, "weir.yaml") }
func (p *process) log() string  { return filepath.Join(p.dir, "requests.jsonl") }

// write replaces the config in one step.
func (p *process) write(t *testing.T, config string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(p.file()+".new", []byte(config), 0o600), os.Rename(p.file()+".new", p.file())); err != nil {
		t.Fatal(err)
	}
}

// stop ends it in good order, or says that it does not.
func (p *process) stop(t *testing.T) {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-p.over:
		if err != nil && !strings.Contains(err.Error(), "killed") {
			t.Errorf("weir gateway ended with %v:\n%s", err, p.said())
		}
	case <-time.After(30 * time.Second):
		t.Errorf("weir gateway does not end:\n%s", p.said())
		_ = p.cmd.Process.Kill()
	}
}

// get reads a page of the admin listener.
func (p *process) get(path string) (string, error) {
	resp, err := adminClient.Get(p.admin + path)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	if resp.StatusCode != http.StatusOK {
		err = errors.Join(err, errors.New(resp.Status))
	}
	return string(b), err
}

// sizes are what a process uses.
type sizes struct {
	goroutines, descriptors int
	heap, rss               float64 // MiB
}

func (s sizes) String() string {
	return fmt.Sprintf("%.1f MiB RSS, %.1f MiB heap, %d goroutines, %d descriptors", s.rss, s.heap, s.goroutines, s.descriptors)
}

var (
	goroutinesLine = regexp.MustCompile(`(?m)^go_goroutines (\S+)`)
	heapLine       = regexp.MustCompile(`(?m)^go_memstats_heap_alloc_bytes (\S+)`)
	rssLine        = regexp.MustCompile(`VmRSS:\s*(\d+) kB`)
)

func (p *process) sizes() (s sizes, err error) {
	page, err := p.get("/metrics")
	if err != nil {
		return s, err
	}
	proc := fmt.Sprintf("/proc/%d/", p.cmd.Process.Pid)
	open, err := os.ReadDir(proc + "fd")
	status, err2 := os.ReadFile(proc + "status")
	s.descriptors = len(open)
	s.goroutines = int(number(goroutinesLine, page))
	s.heap = number(heapLine, page) / (1 << 20)
	s.rss = number(rssLine, string(status)) / 1024
	return s, errors.Join(err, err2)
}

func number(of *regexp.Regexp, in string) float64 {
	if m := of.FindStringSubmatch(in); m != nil {
		n, _ := strconv.ParseFloat(m[1], 64)
		return n
	}
	return 0
}
