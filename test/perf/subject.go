//go:build linux

package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

//go:embed gateway.yaml
var weirConfig string

// callersKey is what callers send; only weir looks at it.
const callersKey = "wk-perf"

// subject is a gateway under test, or the baseline, or the provider itself.
type subject struct {
	name, addr, model, key string
	pid                    int    // whose processor time and memory count; 0: not known
	proc                   *child // of ours; nil: somebody else's
}

func (s *subject) end() {
	if s.proc != nil {
		s.proc.end()
	}
}

// cpu is the processor time of the subject until now.
func (s *subject) cpu() time.Duration {
	if s.pid == 0 {
		return 0
	}
	return used(s.pid)
}

// places is what the words of a command line and a configuration stand for.
func places(upstream, dir string) (*strings.Replacer, string, error) {
	listen, err := freeAddr()
	if err != nil {
		return nil, "", err
	}
	admin, err := freeAddr()
	if err != nil {
		return nil, "", err
	}
	return strings.NewReplacer(
		"{upstream}", upstream, "{listen}", listen, "{admin}", admin, "{dir}", dir, "{config}", filepath.Join(dir, "config"),
		"{sha256}", fmt.Sprintf("%x", sha256.Sum256([]byte(callersKey))),
	), listen, nil
}

func freeAddr() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer ln.Close()
	return ln.Addr().String(), nil
}

// startSubject starts what a command line says, or weir gateway.
func startSubject(ctx context.Context, o gatewayOptions, upstream, dir string) (*subject, error) {
	if o.url != "" {
		u, err := url.Parse(o.url)
		if err != nil {
			return nil, err
		}
		return &subject{name: u.Host, addr: u.Host, model: o.model, key: o.key, pid: o.pid}, nil
	}
	fill, listen, err := places(upstream, dir)
	if err != nil {
		return nil, err
	}
	config, argv := weirConfig, strings.Fields(o.command)
	if len(argv) == 0 {
		bin, err := weirBin()
		if err != nil {
			return nil, err
		}
		argv = []string{bin, "gateway", "-c", "{config}", "--log", "{dir}/requests.jsonl"}
	}
	if o.config != "" {
		b, err := os.ReadFile(o.config)
		if err != nil {
			return nil, err
		}
		config = string(b)
	}
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(fill.Replace(config)), 0o600); err != nil {
		return nil, err
	}
	for i := range argv {
		argv[i] = fill.Replace(argv[i])
	}
	c := &child{cmd: command(ctx, argv[0], argv[1:]...), err: &tail{said: make(chan string, 1)}}
	c.cmd.Stdout, c.cmd.Stderr = io.Discard, c.err
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	s := &subject{name: filepath.Base(argv[0]), addr: listen, model: o.model, key: o.key, pid: c.cmd.Process.Pid, proc: c}
	if err := s.awaitListener(ctx); err != nil {
		s.end()
		return nil, errors.Join(err, errors.New(c.err.String()))
	}
	return s, nil
}

func (s *subject) awaitListener(ctx context.Context) error {
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if c, err := new(net.Dialer).DialContext(ctx, "tcp", s.addr); err == nil {
			return c.Close()
		}
	}
	return fmt.Errorf("%s does not listen at %s", s.name, s.addr)
}

// startOwn starts one of our own subcommands.
func startOwn(ctx context.Context, name string, args ...string) (*subject, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c, err := serve(ctx, self, append([]string{name}, args...)...)
	if err != nil {
		return nil, err
	}
	return &subject{name: strings.TrimPrefix(name, "gateway-"), addr: strings.TrimPrefix(c.url, "http://"), model: "perf", key: callersKey, pid: c.cmd.Process.Pid, proc: c}, nil
}

var rssLine = regexp.MustCompile(`VmRSS:\s*(\d+) kB`)

// rss is the memory of the subject at this moment, in KiB.
func (s *subject) rss() int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	m := rssLine.FindSubmatch(b)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return n
}
