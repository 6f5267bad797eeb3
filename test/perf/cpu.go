//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
	"weir.dev/weir/meter"
)

// cpu compares the processor time of a metered client with that of a bare
// net/http read loop on the same streams. Each client is a process of its own,
// so that its time is all the kernel's count of that process; the server is
// another.
func cpu(ctx context.Context, args []string) error {
	streams, rate, length, rounds, server, profile := 2000, 25, 8*time.Second, 2, "lean", ""
	if err := parse("cpu", args, func(f *flag.FlagSet) {
		f.IntVar(&streams, "streams", streams, "concurrent streams")
		f.IntVar(&rate, "rate", rate, "events per second and stream")
		f.DurationVar(&length, "for", length, "how long each of the four windows is")
		f.IntVar(&rounds, "rounds", rounds, "metered, bare, bare, metered: how many times")
		f.StringVar(&server, "server", server, "lean: the one in cpuserver.go; sim: weir sim")
		f.StringVar(&profile, "profile", profile, "a folder for processor profiles of the clients")
	}); err != nil {
		return err
	}
	gap := time.Second / time.Duration(rate)
	events := int((length + 2*time.Second) / gap)
	srv, lines, err := startServer(ctx, server, streams, events, gap)
	if err != nil {
		return err
	}
	defer srv.end()

	fmt.Printf("== cpu: %d streams x %d events/s, windows of %v, %s server in its own process\n", streams, rate, length, server)
	var metered, bare usage
	for range rounds {
		for _, into := range []*usage{&metered, &bare, &bare, &metered} {
			mode := "bare"
			if into == &metered {
				mode = "metered"
			}
			quiet, ours := listen(), used(srv.cmd.Process.Pid)
			u, err := client(ctx, mode, srv.url, streams, events, length, profile)
			if err != nil {
				return err
			}
			if lines != nil {
				u.print(mode, "server "+<-lines)
			} else {
				u.print(mode, "")
			}
			fmt.Println("        ", quiet.since(used(srv.cmd.Process.Pid)-ours+u.Whole))
			into.add(u)
		}
	}
	fmt.Printf("whole life of the streams, opening and ending included: metered / bare %.3f\n",
		metered.life()/bare.life())
	ratio := metered.perEvent() / bare.perEvent()
	fmt.Printf("processor time per event: metered %.2f us, bare %.2f us, ratio %.3f; goal <= 1.15: %s\n",
		metered.perEvent(), bare.perEvent(), ratio, verdict(ratio, 1.15))
	return nil
}

// startServer starts the lean server, or the simulator. The lines are what the
// lean one says of each session.
func startServer(ctx context.Context, which string, streams, events int, gap time.Duration) (*child, <-chan string, error) {
	switch which {
	case "sim":
		bin, err := weirBin()
		if err != nil {
			return nil, nil, err
		}
		c, err := serve(ctx, bin, "sim", "--listen", "127.0.0.1:0", "--model", fmt.Sprintf("m=ttft=20ms,gap=%v,tokens=%d", gap, events))
		return c, nil, err
	case "lean":
	default:
		return nil, nil, fmt.Errorf("-server is lean or sim, not %q", which)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	r, w := io.Pipe()
	c, err := serveTo(ctx, w, self, "cpu-server", "-streams", strconv.Itoa(streams), "-events", strconv.Itoa(events), "-gap", gap.String())
	if err != nil {
		return nil, nil, err
	}
	lines := make(chan string, 64)
	go func() {
		for in := bufio.NewScanner(r); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return c, lines, nil
}

// usage is what a client used.
type usage struct {
	CPU    time.Duration // in the window
	Window time.Duration
	Events float64 // in the window
	Reads  int64   // in the window
	Whole  time.Duration
	All    int // events of the streams' whole life
	GCs    uint32
	RSS    int64 // KiB, at most
}

func (u *usage) add(v usage) {
	u.CPU += v.CPU
	u.Window += v.Window
	u.Events += v.Events
	u.Reads += v.Reads
	u.Whole += v.Whole
	u.All += v.All
}

func (u *usage) perEvent() float64 { return u.CPU.Seconds() * 1e6 / u.Events }
func (u *usage) life() float64     { return u.Whole.Seconds() * 1e6 / float64(u.All) }

func (u *usage) print(name, late string) {
	fmt.Printf("%-8s %6.2f us/event, %.2f CPUs, %6.0f events/s, %.2f events/read, %d GCs, RSS %d MB; %s\n",
		name, u.perEvent(), u.CPU.Seconds()/u.Window.Seconds(), u.Events/u.Window.Seconds(), u.Events/float64(u.Reads), u.GCs, u.RSS>>10, late)
}

func client(ctx context.Context, mode, url string, streams, events int, length time.Duration, profile string) (u usage, err error) {
	self, err := os.Executable()
	if err != nil {
		return u, err
	}
	args := []string{"cpu-client", "-mode", mode, "-url", url, "-streams", strconv.Itoa(streams), "-events", strconv.Itoa(events), "-for", length.String()}
	if profile != "" {
		args = append(args, "-profile", filepath.Join(profile, mode+".prof"))
	}
	cmd := command(ctx, self, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return u, failed(mode+" client", err, stderr.String())
	}
	return u, json.Unmarshal(out, &u)
}

// cpuClient is one client process.
func cpuClient(ctx context.Context, args []string) error {
	mode, url, profile := "bare", "", ""
	l := reading{streams: 2000, events: 250, length: 8 * time.Second}
	if err := parse("cpu-client", args, func(f *flag.FlagSet) {
		f.StringVar(&mode, "mode", mode, "bare or metered")
		f.StringVar(&url, "url", url, "of the server")
		f.IntVar(&l.streams, "streams", l.streams, "concurrent streams")
		f.IntVar(&l.events, "events", l.events, "events of each stream")
		f.DurationVar(&l.length, "for", l.length, "the window")
		f.StringVar(&profile, "profile", profile, "file for a processor profile of the window")
	}); err != nil {
		return err
	}
	base := meter.NewTransport(meter.Options{})
	defer base.CloseIdleConnections()
	l.client = &http.Client{Transport: base}
	switch mode {
	case "bare":
	case "metered":
		l.client.Transport = &meter.Transport{Base: base, Limits: bench.DefaultLimits(), Sink: l.sink}
	default:
		return fmt.Errorf("-mode %q is not known", mode)
	}
	l.url = url + "/v1/chat/completions"
	u, err := l.run(ctx, profile)
	if err != nil {
		return err
	}
	if want := l.traces.Load(); mode != "bare" && (want != int64(l.streams) || l.bad.Load() > 0) {
		return fmt.Errorf("%d traces of %d streams, %d of them not as they should be", want, l.streams, l.bad.Load())
	}
	return json.NewEncoder(os.Stdout).Encode(u)
}

type reading struct {
	client  *http.Client
	url     string
	streams int
	events  int
	length  time.Duration

	counts []counter // one for each stream
	traces atomic.Int64
	bad    atomic.Int64
}

// counter is of one stream alone, in a cache line of its own.
type counter struct {
	bytes, reads atomic.Int64
	_            [48]byte
}

// sink does with a trace what a bench does at least.
func (l *reading) sink(t *weir.Trace) {
	s := t.Sample()
	if s.Outcome != weir.OK || s.OutputEvents != l.events {
		l.bad.Add(1)
	}
	l.traces.Add(1)
	t.Release()
}

func (l *reading) run(ctx context.Context, profile string) (u usage, err error) {
	l.counts = make([]counter, l.streams)
	errs := make([]error, l.streams)
	opening := make(chan struct{}, 100)
	var open, all sync.WaitGroup
	open.Add(l.streams)
	before := usedHere()
	for i := range l.counts {
		all.Go(func() {
			opening <- struct{}{}
			resp, err := post(ctx, l.client, l.url)
			<-opening
			open.Done()
			if err != nil {
				errs[i] = err
				return
			}
			defer resp.Body.Close()
			errs[i] = l.counts[i].read(resp.Body)
		})
	}
	open.Wait()
	if err := pause(ctx, time.Second); err != nil {
		return u, err
	}
	if err := l.window(ctx, profile, &u); err != nil {
		return u, err
	}
	all.Wait()
	u.Whole, u.All = usedHere()-before, l.streams*l.events
	bytes, _ := l.sum()
	u.Events *= float64(u.All) / float64(bytes)
	u.RSS = peakRSS(os.Getpid())
	return u, errors.Join(errs...)
}

// window measures; Events are bytes yet.
func (l *reading) window(ctx context.Context, profile string, u *usage) error {
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	u.GCs = mem.NumGC
	bytes, reads := l.sum()
	start, cpu := time.Now(), usedHere()
	if err := pause(ctx, l.length); err != nil {
		return err
	}
	u.Window, u.CPU = time.Since(start), usedHere()-cpu
	bytesAfter, readsAfter := l.sum()
	u.Events, u.Reads = float64(bytesAfter-bytes), readsAfter-reads
	runtime.ReadMemStats(&mem)
	u.GCs = mem.NumGC - u.GCs
	return nil
}

func (l *reading) sum() (bytes, reads int64) {
	for i := range l.counts {
		bytes += l.counts[i].bytes.Load()
		reads += l.counts[i].reads.Load()
	}
	return bytes, reads
}

// read is the bare loop.
func (c *counter) read(body io.Reader) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		c.bytes.Add(int64(n))
		c.reads.Add(1)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
