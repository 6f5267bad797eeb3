package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/config"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/sim"
	"weir.dev/weir/internal/sim/cast"
	"weir.dev/weir/meter"
)

// The gateway's part of the demo: a request every demoEvery, and one provider
// that refuses all requests for a while.
const (
	demoEvery    = 200 * time.Millisecond
	demoRequests = 40
	outageFrom   = 2 * time.Second
	outageTo     = 4500 * time.Millisecond
)

// demoConfig is what the gateway of the demo works by. It is short of patience so
// that all of it fits in eight seconds.
const demoConfig = `providers:
  northwind: {base_url: "http://SIM/northwind/v1"}
  harbor: {base_url: "http://SIM/harbor/v1"}
routes:
  chat: [northwind/llama-3.3-70b, harbor/llama-3.3-70b]
gateway:
  breaker: {failures: 3, open: 1s}
listen: 127.0.0.1:0
admin: off
`

// demoGateway leads requests through a gateway onto two simulated providers while
// the first of them is out of order, and says who answered.
func demoGateway(p *process, out io.Writer, seed uint64) (err error) {
	providers, err := cast.Named(cast.Presets(), "northwind", "harbor")
	if err != nil {
		return err
	}
	providers[0].Faults = []cast.Fault{{From: outageFrom, To: outageTo, Status: http.StatusServiceUnavailable}}
	s, err := startSim(p.ctx, "127.0.0.1:0", sim.Config{Seed: seed, Providers: providers})
	if err != nil {
		return err
	}
	begin := time.Now()
	defer func() { err = errors.Join(err, s.close()) }()
	g, err := startDemoGateway(p, s.addr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	defer g.base.CloseIdleConnections()
	fmt.Fprintf(out, "a gateway at http://%s/v1, route chat: northwind, then harbor. northwind answers every request from %.1f s to %.1f s with 503:\n",
		g.callers.addr, outageFrom.Seconds(), outageTo.Seconds())
	return newDemoStory(p, g, out, begin).play()
}

func startDemoGateway(p *process, simAddr string) (*gatewayProcess, error) {
	cfg, problems := config.Load("demo", []byte(strings.ReplaceAll(demoConfig, "SIM", simAddr)), world(p))
	if err := problems.Err(); err != nil {
		return nil, err
	}
	g := newGatewayProcess(p, &gatewayCmd{}, slog.New(slog.DiscardHandler), &redactor{}, meter.NewTransport(meter.Options{}))
	w, err := g.wire(&soundConfig{config: cfg, file: "demo"})
	if err != nil {
		return nil, err
	}
	return g, g.start(w)
}

// demoStory asks and tells.
type demoStory struct {
	p      *process
	g      *gatewayProcess
	out    io.Writer
	begin  time.Time
	client *meter.Transport

	served   map[string]int
	answered int
	failures int // of attempts, which no caller saw
}

func newDemoStory(p *process, g *gatewayProcess, out io.Writer, begin time.Time) *demoStory {
	d := &demoStory{p: p, g: g, out: out, begin: begin, served: map[string]int{}}
	d.client = &meter.Transport{Base: meter.NewTransport(meter.Options{})}
	return d
}

// play sends a request at each due time, whatever became of those before, and
// tells of them in order.
func (d *demoStory) play() error {
	defer d.client.CloseIdleConnections()
	answers := make([]chan *demoAnswer, demoRequests)
	for i := range answers {
		answers[i] = make(chan *demoAnswer, 1)
		go func() { answers[i] <- d.ask(d.begin.Add(time.Duration(i) * demoEvery)) }()
	}
	last := ""
	for i := range answers {
		a := <-answers[i]
		if d.p.ctx.Err() != nil {
			continue // all are waited for
		}
		if words := d.count(a); words != last {
			fmt.Fprintf(d.out, "%5.1f s  request %-3d %s\n", a.due.Sub(d.begin).Seconds(), i+1, words)
			last = words
		}
	}
	if d.p.ctx.Err() != nil {
		return quiet(exitFailed)
	}
	var by []string
	for _, name := range []string{"northwind", "harbor"} {
		by = append(by, fmt.Sprintf("%d by %s", d.served[name+"/llama-3.3-70b"], name))
	}
	fmt.Fprintf(d.out, "%d of %d requests were answered whole: %s; %d attempts failed on the way\n", d.answered, demoRequests, strings.Join(by, ", "), d.failures)
	if d.answered < demoRequests {
		return quiet(exitFailed)
	}
	return nil
}

// demoAnswer is what became of one request.
type demoAnswer struct {
	due    time.Time
	err    error
	trace  *weir.Trace
	record *journal.Record
}

func (d *demoStory) ask(due time.Time) *demoAnswer {
	a := &demoAnswer{due: due}
	select {
	case <-time.After(time.Until(due)):
	case <-d.p.ctx.Done():
		a.err = d.p.ctx.Err()
		return a
	}
	e, err := request.Encode("http://"+d.g.callers.addr+"/v1", weir.OpenAIChat, request.Spec{
		Model: "chat", Stream: true, MaxTokens: 24, Messages: []request.Message{{Role: request.RoleUser, Text: "Why is the sky blue?"}},
	}, nil)
	if err != nil {
		a.err = err
		return a
	}
	a.err = d.send(a, e)
	return a
}

func (d *demoStory) send(a *demoAnswer, e *request.Encoded) error {
	traces := make(chan *weir.Trace, 1)
	ctx := meter.WithCall(d.p.ctx, meter.Call{Dialect: weir.OpenAIChat, Sink: func(t *weir.Trace) { traces <- t }})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, strings.NewReader(string(e.Body)))
	if err != nil {
		return err
	}
	r.Header = e.Header
	resp, err := d.client.RoundTrip(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	a.trace = <-traces
	a.record, _ = d.g.journal.Get(resp.Header.Get("X-Weir-Request-Id"))
	return err
}

// count adds an answer to the totals and says who gave it.
func (d *demoStory) count(a *demoAnswer) string {
	switch {
	case a.err != nil:
		return "failed: " + careful(a.err.Error())
	case a.record == nil:
		return "has no record"
	}
	var failed []string
	for _, at := range a.record.Attempts {
		if at.Outcome != weir.OK {
			d.failures++
			failed = append(failed, fmt.Sprintf("%s failed (%d)", providerOf(at.Target), at.Status.Or(0)))
		}
	}
	if a.trace.Outcome != weir.OK {
		return "failed: " + string(a.trace.Outcome)
	}
	d.answered++
	d.served[a.record.Target]++
	words := providerOf(a.record.Target) + " answers"
	if len(failed) > 0 {
		return strings.Join(failed, ", ") + ", " + words
	}
	if i := slices.IndexFunc(a.record.Skipped, func(s journal.Skip) bool { return s.Target != a.record.Target }); i >= 0 {
		return words + "; " + providerOf(a.record.Skipped[i].Target) + " is left alone (" + a.record.Skipped[i].Why + ")"
	}
	return words
}

func providerOf(target string) string {
	name, _, _ := strings.Cut(target, "/")
	return name
}
