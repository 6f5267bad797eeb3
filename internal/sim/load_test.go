package sim

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/sim/cast"
)

// childEnv makes the test binary a server: SPEED, a blank, and a personality.
const childEnv = "WEIR_SIM_CHILD"

// serveChild serves a provider until its input ends. It says its address first.
func serveChild(spec string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	number, yaml, _ := strings.Cut(spec, " ")
	speed, err := strconv.ParseFloat(number, 64)
	fail(err)
	all, err := cast.Parse("child", []byte(yaml))
	fail(err)
	precise, err := clock.NewPrecise()
	fail(err)
	sim, err := New(Config{Clock: precise, Speed: speed, Providers: all})
	fail(err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	fmt.Println(ln.Addr())
	go func() { fail(http.Serve(ln, sim)) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// BenchmarkStreams holds 2,000 streams of 25 tokens/s each, from 32 engines, on a
// server of one processor for ten seconds, and says how late its writes end and
// how much memory a stream takes. The readers are in this process: run it under
// taskset -c 1, so that they keep off the server's processor.
func BenchmarkStreams(b *testing.B) {
	const streams, engines, perSecond, watched = 2000, 32, 25, 10 * time.Second
	yaml := "providers:\n"
	for i := range engines {
		yaml += fmt.Sprintf("  p%d: {cache: {policy: \"off\"}, limits: {headers: none}}\n", i)
	}
	speed := stepTime(b, yaml, streams/engines).Seconds() * perSecond
	for b.Loop() {
		child := exec.Command(os.Args[0], "-test.run=^$")
		if taskset, err := exec.LookPath("taskset"); err == nil {
			child = exec.Command(taskset, "-c", "0", os.Args[0], "-test.run=^$")
		}
		child.Env = append(os.Environ(), childEnv+"="+fmt.Sprint(speed)+" "+yaml, "GOMAXPROCS=1")
		child.Stderr = os.Stderr
		input, _ := child.StdinPipe()
		output, _ := child.StdoutPipe()
		if err := child.Start(); err != nil {
			b.Fatal(err)
		}
		line, _ := bufio.NewReader(output).ReadString('\n')
		addr := strings.TrimSpace(line)
		idle := resident(b, child.Process.Pid)
		var readers sync.WaitGroup
		conns := openStreams(b, addr, streams, engines, &readers)
		for scrape(b, addr, "vllm:num_requests_running") < streams {
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Second)
		before, cpu := late(b, addr), cpuTime(b, child.Process.Pid)
		time.Sleep(watched)
		after, used := late(b, addr), cpuTime(b, child.Process.Pid)-cpu
		report(b, before, after, watched)
		b.ReportMetric(float64(resident(b, child.Process.Pid)-idle)/streams/1e3, "KB/stream")
		b.ReportMetric(used.Seconds()/watched.Seconds(), "cores")
		for _, c := range conns {
			c.Close()
		}
		readers.Wait()
		input.Close()
		_ = child.Wait()
	}
}

// stepTime is how long a step with so many short streams takes.
func stepTime(b *testing.B, yaml string, running int) time.Duration {
	all, err := cast.Parse("bench", []byte(yaml))
	if err != nil {
		b.Fatal(err)
	}
	d, err := all[0].Deployment()
	if err != nil {
		b.Fatal(err)
	}
	p, err := engine.NewPhysics(d)
	if err != nil {
		b.Fatal(err)
	}
	batch := engine.Batch{Sampled: running}
	for range running {
		batch.Decode(1, 400)
	}
	return p.Cost(batch).Time()
}

func openStreams(b *testing.B, addr string, n, engines int, readers *sync.WaitGroup) []net.Conn {
	conns := make([]net.Conn, n)
	for i, k := range rand.Perm(n) {
		body := fmt.Sprintf(`{"model":"p%d","stream":true,"max_tokens":3000,"ignore_eos":true,"messages":[{"role":"user","content":"hello"}]}`, k%engines)
		head := fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: sim\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
		// At random, as users come: else the engines' steps fall together.
		time.Sleep(time.Duration(rand.ExpFloat64() * float64(2*time.Millisecond)))
		c, err := net.Dial("tcp", addr)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.WriteString(c, head+body); err != nil {
			b.Fatal(err)
		}
		conns[i] = c
		readers.Go(func() { _, _ = io.Copy(io.Discard, c) })
	}
	return conns
}

func get(b *testing.B, url string) []byte {
	resp, err := http.Get(url)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	return body
}

// scrape adds up a metric over its labels.
func scrape(b *testing.B, addr, name string) (sum float64) {
	for line := range bytes.Lines(get(b, "http://"+addr+"/metrics")) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok && (rest[0] == '{' || rest[0] == ' ') {
			fields := bytes.Fields(line)
			v, _ := strconv.ParseFloat(string(fields[len(fields)-1]), 64)
			sum += v
		}
	}
	return sum
}

type bucket struct{ below, count float64 }

// late is the histogram of how late writes end.
func late(b *testing.B, addr string) (all []bucket) {
	const name = `weir_sim_lateness_seconds_bucket{le="`
	for line := range bytes.Lines(get(b, "http://"+addr+"/metrics")) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			le, count, _ := strings.Cut(strings.TrimSpace(string(rest)), `"} `)
			below, err := strconv.ParseFloat(le, 64)
			if err != nil {
				below = math.Inf(1)
			}
			n, _ := strconv.ParseFloat(count, 64)
			all = append(all, bucket{below, n})
		}
	}
	return all
}

func report(b *testing.B, before, after []bucket, watched time.Duration) {
	total := after[len(after)-1].count - before[len(before)-1].count
	for _, q := range []float64{0.5, 0.99, 0.999} {
		from := bucket{}
		for i := range after {
			n := after[i].count - before[i].count
			if n >= q*total {
				at := from.below + (after[i].below-from.below)*(q*total-from.count)/(n-from.count)
				b.ReportMetric(at*1e3, fmt.Sprintf("ms-late-p%g", q*100))
				break
			}
			from = bucket{after[i].below, n}
		}
	}
	b.ReportMetric(total/watched.Seconds(), "tokens/s")
}

func resident(b *testing.B, pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("memory is read from /proc")
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kb, _ := strconv.ParseInt(fields[1], 10, 64)
			return kb << 10
		}
	}
	b.Fatal("no VmRSS")
	return 0
}

func cpuTime(b *testing.B, pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
