//go:build linux

// Command perf measures what Weir promises about itself: how true its stamps
// are, what it costs and how small it stays. Each figure stands beside a
// baseline taken in the same run, and beside what the rest of the machine did
// meanwhile. README.md says how to read them; run.sh runs all of them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// tool is one subcommand.
type tool struct {
	name string
	run  func(ctx context.Context, args []string) error
}

var tools = []tool{
	{"accuracy", accuracy},
	{"cpu", cpu},
	{"memory", memory},
	{"startup", startup},
	{"reader", reader},
	{"gateway", gateway},
	{"cpu-client", cpuClient},             // what cpu starts
	{"cpu-server", cpuServer},             // what cpu starts
	{"gateway-upstream", gatewayUpstream}, // what gateway starts
	{"gateway-baseline", gatewayBaseline}, // what gateway starts
}

// longest is how long one subcommand may take before it is ended.
const longest = 10 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, longest)
	err := run(ctx)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "perf:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	for _, t := range tools {
		if t.name == name {
			return t.run(ctx, os.Args[2:])
		}
	}
	return errors.New("usage: perf accuracy|cpu|memory|startup|reader|gateway [flags]; -h after one shows its flags")
}

func parse(name string, args []string, define func(*flag.FlagSet)) error {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	define(fs)
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("%s takes flags only, not %q", name, fs.Arg(0))
	}
	return nil
}

// weirBin is the binary under test.
func weirBin() (string, error) {
	bin := os.Getenv("WEIR_BIN")
	if bin == "" {
		return "", errors.New("WEIR_BIN is not set: it names the weir binary to measure (run.sh sets it)")
	}
	bin, err := filepath.Abs(bin)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(bin); err != nil {
		return "", fmt.Errorf("WEIR_BIN: %w; make build makes it", err)
	}
	return bin, nil
}
