//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/bench"
	"weir.dev/weir/meter"
)

// accuracy holds the meter's stamps against the server's own clock, which each
// event of weir sim carries as it stood just before the event was written. The
// meter's stamp less that clock is the error: the server's write, the kernel,
// waking up and the meter. A bare net/http loop that stamps after each Read,
// with the same pairing, has all of these but the last.
func accuracy(ctx context.Context, args []string) error {
	streams, gap, length, rounds, stamps := 100, 20*time.Millisecond, 12*time.Second, 1, false
	if err := parse("accuracy", args, func(f *flag.FlagSet) {
		f.IntVar(&streams, "streams", streams, "concurrent streams")
		f.DurationVar(&gap, "gap", gap, "time between events")
		f.DurationVar(&length, "for", length, "how long each of the four windows is")
		f.IntVar(&rounds, "rounds", rounds, "metered, bare, bare, metered: how many times")
		f.BoolVar(&stamps, "stamps", stamps, "have the kernel stamp what the metered client receives, as weir bench does")
	}); err != nil {
		return err
	}
	bin, err := weirBin()
	if err != nil {
		return err
	}
	tokens := int(length / gap)
	server, err := serve(ctx, bin, "sim", "--listen", "127.0.0.1:0", "--model", fmt.Sprintf("m=ttft=50ms,gap=%v,tokens=%d", gap, tokens))
	if err != nil {
		return err
	}
	defer server.end()

	fmt.Printf("== accuracy: %d streams, %v gaps, random phases, windows of %v, weir sim in its own process\n", streams, gap, length)
	w := window{url: server.url + "/v1/chat/completions", streams: streams, tokens: tokens, stamps: stamps}
	fmt.Printf("%-8s %8s %8s %8s %8s %8s   %-36s\n", "ms", "n", "p50", "p99", "p99.9", "max", "tpot error per stream, %: p50 p99 max")
	var metered, bare errorsSeen
	for range rounds {
		for _, into := range []*errorsSeen{&metered, &bare, &bare, &metered} {
			name := "bare"
			if into == &metered {
				name = "metered"
			}
			var one errorsSeen
			quiet, ours := listen(), usedHere()+used(server.cmd.Process.Pid)
			if err := w.take(ctx, into == &metered, &one); err != nil {
				return err
			}
			ours = usedHere() + used(server.cmd.Process.Pid) - ours
			one.print(name, quiet.since(ours))
			into.add(&one)
		}
	}
	fmt.Println("together")
	metered.print("metered", "")
	bare.print("bare", "")
	m, b := sorted(metered.stamps).at(0.99), sorted(bare.stamps).at(0.99)
	fmt.Printf("p99 metered / bare: %.2f\n", m/b)
	fmt.Printf("goal, on an idle box: p99 <= 0.5 ms: %s; tpot error p99 <= 0.5 %%: %s\n",
		verdict(m, 0.5), verdict(sorted(metered.tpots).at(0.99), 0.5))
	return nil
}

// errorsSeen are what one way of stamping got wrong.
type errorsSeen struct {
	stamps []float64 // ms, one per output event
	tpots  []float64 // %, one per stream
}

func (e *errorsSeen) add(f *errorsSeen) {
	e.stamps, e.tpots = append(e.stamps, f.stamps...), append(e.tpots, f.tpots...)
}

func (e *errorsSeen) print(name, beside string) {
	s, t := sorted(e.stamps), sorted(e.tpots)
	fmt.Printf("%-8s %8d %8.3f %8.3f %8.3f %8.3f   %.4f %.4f %.4f   %s\n",
		name, len(s), s.at(0.5), s.at(0.99), s.at(0.999), s.at(1), t.at(0.5), t.at(0.99), t.at(1), beside)
}

// window is one go at all streams.
type window struct {
	url     string
	streams int
	tokens  int
	stamps  bool
}

// take opens the streams within a second, each at a random moment, reads them
// to their ends and adds what it found to into.
func (w *window) take(ctx context.Context, metered bool, into *errorsSeen) error {
	base := meter.NewTransport(meter.Options{Stamp: metered && w.stamps})
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: base}
	if metered {
		client.Transport = &meter.Transport{Base: base, Limits: bench.DefaultLimits()}
	}
	takes := make([]*take, w.streams)
	for i := range takes {
		takes[i] = newTake(w.tokens)
	}
	runtime.GC() // what the window before left is not this one's to clear
	var all sync.WaitGroup
	for _, t := range takes {
		all.Go(func() {
			select {
			case <-time.After(rand.N(time.Second)):
				t.err = t.read(ctx, client, w.url)
			case <-ctx.Done():
				t.err = ctx.Err()
			}
		})
	}
	all.Wait()
	for _, t := range takes {
		if err := t.judge(w.tokens, metered, into); err != nil {
			return err
		}
	}
	return nil
}

// take is one stream as it was read: the same loop for both ways of stamping.
type take struct {
	body  []byte
	marks []mark
	trace *weir.Trace // of a metered one
	err   error
}

// mark is the moment a Read returned and how much of the body was there then.
type mark struct {
	at  time.Time
	end int
}

func newTake(tokens int) *take {
	return &take{body: make([]byte, 0, (tokens+8)*400), marks: make([]mark, 0, 2*tokens+16)}
}

func (t *take) read(ctx context.Context, client *http.Client, url string) error {
	ctx = meter.WithCall(ctx, meter.Call{Sink: func(tr *weir.Trace) { t.trace = tr }})
	resp, err := post(ctx, client, url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(buf)
		now := time.Now()
		t.body = append(t.body, buf[:n]...)
		t.marks = append(t.marks, mark{now, len(t.body)})
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func post(ctx context.Context, client *http.Client, url string) (*http.Response, error) {
	body := strings.NewReader(`{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"go"}]}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s answered %s", url, resp.Status)
	}
	return resp, err
}

// sent is one event as the server wrote it.
type sent struct {
	ns     int64 // its clock just before the write; 0 where the event has none
	end    int   // of its bytes in the body
	output bool
}

// events finds what the server wrote. It knows the simulator's bytes.
func (t *take) events() (all []sent) {
	for at := 0; ; {
		n := bytes.Index(t.body[at:], []byte("\n\n"))
		if n < 0 {
			return all
		}
		event := t.body[at : at+n]
		at += n + 2
		s := sent{end: at, output: bytes.Contains(event, []byte(`"delta":{"content":"`))}
		if _, clock, ok := bytes.Cut(event, []byte(`"weir_ns":`)); ok {
			s.ns, _ = strconv.ParseInt(string(clock[:min(len(clock), 19)]), 10, 64)
		}
		all = append(all, s)
	}
}

// stamps are when the client says the events came, in Unix ns.
func (t *take) stamps(all []sent, metered bool) ([]int64, error) {
	at := make([]int64, len(all))
	if !metered {
		for i, s := range all {
			k, _ := slices.BinarySearchFunc(t.marks, s.end, func(m mark, end int) int { return m.end - end })
			at[i] = t.marks[k].at.UnixNano()
		}
		return at, nil
	}
	if t.trace == nil || len(t.trace.Ticks) != len(all) {
		return nil, fmt.Errorf("the trace has not a tick for each of %d events: %+v", len(all), t.trace)
	}
	for i, tick := range t.trace.Ticks {
		if tick.Kind.Output() != all[i].output {
			return nil, fmt.Errorf("event %d: tick %v, but output is %v", i, tick, all[i].output)
		}
		at[i] = t.trace.Sent.UnixNano() + int64(tick.At)
	}
	return at, nil
}

// judge adds one stream's errors to into.
func (t *take) judge(tokens int, metered bool, into *errorsSeen) error {
	if t.err != nil {
		return t.err
	}
	all := t.events()
	at, err := t.stamps(all, metered)
	if err != nil {
		return err
	}
	first, last, n := -1, -1, 0
	for i, s := range all {
		if !s.output {
			continue
		}
		if s.ns == 0 {
			return fmt.Errorf("event %d has no weir_ns", i)
		}
		if first < 0 {
			first = i
		}
		last = i
		n++
		into.stamps = append(into.stamps, float64(at[i]-s.ns)/1e6)
	}
	if n != tokens {
		return fmt.Errorf("%d output events, want %d", n, tokens)
	}
	truth := float64(all[last].ns-all[first].ns) / float64(n-1)
	got := float64(at[last]-at[first]) / float64(n-1)
	if metered {
		tpot, ok := t.trace.TPOT().Get()
		if !ok {
			return errors.New("the trace has no tpot")
		}
		got = float64(tpot.Duration())
	}
	into.tpots = append(into.tpots, 100*math.Abs(got-truth)/truth)
	return nil
}
