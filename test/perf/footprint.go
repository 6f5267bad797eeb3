//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// memory runs a large weir bench against a fast simulated model and tells the
// most memory that the bench had.
func memory(ctx context.Context, args []string) error {
	requests, events, slots, plan := 10_000, 256, 1000, "ttft=20ms,gap=1ms"
	if err := parse("memory", args, func(f *flag.FlagSet) {
		f.IntVar(&requests, "requests", requests, "requests")
		f.IntVar(&events, "events", events, "output events of each")
		f.IntVar(&slots, "concurrency", slots, "requests under way")
		f.StringVar(&plan, "plan", plan, "how the simulated model behaves")
	}); err != nil {
		return err
	}
	bin, err := weirBin()
	if err != nil {
		return err
	}
	server, err := serve(ctx, bin, "sim", "--listen", "127.0.0.1:0", "--model", "m="+plan)
	if err != nil {
		return err
	}
	defer server.end()
	dir, err := os.MkdirTemp("", "weir-perf-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	fmt.Printf("== memory: weir bench, %d requests x %d events, %d under way, weir sim with %s\n", requests, events, slots, plan)
	small := command(ctx, bin, "bench", server.url+"/v1", "--model", "m", "-n", "1", "--warmup", "0", "-o", "json")
	floor, err := peakOf(small)
	if err != nil {
		return err
	}
	fmt.Printf("%-12s %4d MB\n", "one request", floor>>10)
	for _, save := range []string{"", filepath.Join(dir, "run")} {
		name, quiet := "plain", listen()
		args := []string{
			"bench", server.url + "/v1", "--model", "m", "-n", strconv.Itoa(requests), "--concurrency", strconv.Itoa(slots),
			"--output-tokens", strconv.Itoa(events), "--input-tokens", "64", "-o", "json",
		}
		if save != "" {
			name, args = "with --save", append(args, "--save", save)
		}
		start, ours := time.Now(), used(server.cmd.Process.Pid)
		cmd := command(ctx, bin, args...)
		var out bytes.Buffer
		cmd.Stdout = &out
		peak, err := peakOf(cmd)
		if err != nil {
			return err
		}
		took := time.Since(start).Seconds()
		ours = used(server.cmd.Process.Pid) - ours + cmd.ProcessState.SystemTime() + cmd.ProcessState.UserTime()
		seen, limited, err := readBench(out.Bytes())
		if err != nil {
			return err
		}
		fmt.Printf("%-12s %4d MB peak RSS, %.1f s, %d output events (%.0f/s)%s%s; goal < 300 MB: %s\n",
			name, peak>>10, took, seen, float64(seen)/took, limited, folderSize(save), verdict(float64(peak>>10), 299))
		fmt.Println(quiet.since(ours))
		if want := requests * events; seen != want {
			return fmt.Errorf("%d output events, want %d", seen, want)
		}
	}
	return nil
}

// readBench takes what is needed from a summary.
func readBench(b []byte) (events int, limited string, err error) {
	var s struct {
		Client struct {
			Events  int    `json:"output_events"`
			Limited bool   `json:"client_limited"`
			Why     string `json:"client_limited_by"`
		} `json:"client"`
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return 0, "", fmt.Errorf("the bench's summary: %w", err)
	}
	if s.Client.Limited {
		limited = ", client-limited: " + s.Client.Why
	}
	return s.Client.Events, limited, nil
}

func folderSize(dir string) string {
	if dir == "" {
		return ""
	}
	size := int64(0)
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			size += info.Size()
		}
		return nil
	})
	return fmt.Sprintf(", %d MB saved", size>>20)
}

// peakOf runs cmd and returns the most memory it had, in KiB. The kernel tells
// it twice: at the end, where a small process is hidden by what its parent had
// when it was started, and while it lives, where the last moment may be missed.
func peakOf(cmd *exec.Cmd) (int64, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	peak, done := int64(0), make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				peak = max(peak, peakRSS(cmd.Process.Pid))
			}
		}
	}()
	err := cmd.Wait()
	close(done)
	<-watched
	if err != nil {
		return 0, failed(strings.Join(cmd.Args, " "), err, stderr.String())
	}
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && ru.Maxrss > peakRSS(os.Getpid()) {
		peak = max(peak, ru.Maxrss)
	}
	return peak, nil
}

var hwm = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// peakRSS is in KiB.
func peakRSS(pid int) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	m := hwm.FindSubmatch(b)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return n
}

// startup times weir --help beside a program that does nothing, and tells the
// binary's size.
func startup(ctx context.Context, args []string) error {
	n := 20
	if err := parse("startup", args, func(f *flag.FlagSet) { f.IntVar(&n, "n", n, "how many times") }); err != nil {
		return err
	}
	bin, err := weirBin()
	if err != nil {
		return err
	}
	info, err := os.Stat(bin)
	if err != nil {
		return err
	}
	nothing, err := exec.LookPath("true")
	if err != nil {
		return err
	}
	fmt.Printf("== startup: weir --help and true(1), %d times each, by turns\n", n)
	quiet, ours := listen(), -usedHere()
	var help, base []float64
	for range n {
		for _, c := range []struct {
			to   *[]float64
			argv []string
		}{{&help, []string{bin, "--help"}}, {&base, []string{nothing}}} {
			start, cmd := time.Now(), command(ctx, c.argv[0], c.argv[1:]...)
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", strings.Join(c.argv, " "), err)
			}
			*c.to = append(*c.to, time.Since(start).Seconds()*1e3)
			ours += cmd.ProcessState.SystemTime() + cmd.ProcessState.UserTime()
		}
	}
	fmt.Println(quiet.since(usedHere() + ours))
	h, b := sorted(help), sorted(base)
	fmt.Printf("weir --help %.1f ms at the median (%.1f to %.1f), true %.1f ms; goal < 50 ms: %s\n",
		h.at(0.5), h.at(0), h.at(1), b.at(0.5), verdict(h.at(0.5), 50))
	mb := float64(info.Size()) / 1e6
	fmt.Printf("%s is %.1f MB; goal < 20 MB: %s\n", filepath.Base(bin), mb, verdict(mb, 20))
	return nil
}

var benchLine = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s.*?([0-9.]+) ns/event`)

// reader compares the dialect reader with encoding/json, by the benchmarks of
// the package itself.
func reader(ctx context.Context, args []string) error {
	root, count := "../..", 3
	if err := parse("reader", args, func(f *flag.FlagSet) {
		f.StringVar(&root, "root", root, "folder of the module weir.dev/weir")
		f.IntVar(&count, "count", count, "how many times; the median counts")
	}); err != nil {
		return err
	}
	fmt.Printf("== reader: the benchmarks of internal/dialect, the median of %d\n", count)
	quiet := listen()
	cmd := command(ctx, "go", "test", "-run", "^$", "-bench", "Reader|EncodingJSON", "-benchtime", "0.5s", "-count", strconv.Itoa(count), "./internal/dialect")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return failed("go test -bench", err, string(out))
	}
	found := map[string][]float64{}
	for _, m := range benchLine.FindAllStringSubmatch(string(out), -1) {
		ns, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return err
		}
		found[m[1]] = append(found[m[1]], ns)
	}
	base := sorted(found["EncodingJSON"]).at(0.5)
	if len(found) < 3 || !(base > 0) {
		return errors.New("go test -bench printed no ns/event:\n" + string(out))
	}
	fmt.Println(quiet.since(cmd.ProcessState.SystemTime() + cmd.ProcessState.UserTime()))
	fmt.Printf("encoding/json %.0f ns/event\n", base)
	for _, name := range []string{"Reader/varied=false", "Reader/varied=true"} {
		ns := sorted(found[name]).at(0.5)
		fmt.Printf("%-20s %.0f ns/event, ratio %.3f; goal <= 0.1: %s\n", name, ns, ns/base, verdict(ns/base, 0.1))
	}
	return nil
}
