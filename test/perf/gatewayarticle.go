//go:build linux

package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// The load of docs/article.md: 30,000 requests a minute of 20 events each, 10,000
// events a second.
const (
	articleRate   = 500 // requests a second
	articleEvents = 20
	articleGap    = 25 * time.Millisecond
)

// steady is what came of requests that begin on a schedule, whatever becomes of
// those before them.
type steady struct {
	mu       sync.Mutex
	ttft     []float64 // from when the request was due, in milliseconds
	events   int64
	failed   int
	why      error // of the first that failed
	asked    int
	most     int64 // under way at a time
	cpu      time.Duration
	took     time.Duration
	rss, top int64 // KiB, at the end and the most
}

// article compares the provider, the baseline and the subject under that load,
// one after the other.
func (r *gatewayRig) article(ctx context.Context) error {
	seen := map[*subject]*steady{}
	for _, s := range []*subject{r.upstream, r.baseline, r.subject} {
		got, err := s.steadily(ctx, r.articleLength)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		seen[s] = got
	}
	direct, base, ours := seen[r.upstream], seen[r.baseline], seen[r.subject]
	fmt.Printf("%d requests/min x %d events for %v: %s %d requests, %.0f events/s, %d failed; goal 0: %s\n", 60*articleRate, articleEvents, r.articleLength,
		r.subject.name, ours.asked, float64(ours.events)/ours.took.Seconds(), ours.failed, verdict(float64(ours.failed), 0))
	for _, s := range []*subject{r.upstream, r.baseline, r.subject} {
		if seen[s].why != nil {
			fmt.Printf("    %s: the first that failed: %v\n", s.name, seen[s].why)
		}
	}
	straight, proxied, through := sorted(direct.ttft), sorted(base.ttft), sorted(ours.ttft)
	fmt.Printf("    added TTFT p50 %.2f ms, p99 %.2f ms; baseline %.2f and %.2f ms (direct: %.2f and %.2f ms)\n",
		through.at(0.5)-straight.at(0.5), through.at(0.99)-straight.at(0.99), proxied.at(0.5)-straight.at(0.5), proxied.at(0.99)-straight.at(0.99), straight.at(0.5), straight.at(0.99))
	fmt.Printf("    processor %.0f %% of one core, baseline %.0f %%; memory %.0f MB (at most %.0f), baseline %.0f MB (%.0f); under way at most %d, baseline %d, direct %d\n",
		ours.share(), base.share(), mib(ours.rss), mib(ours.top), mib(base.rss), mib(base.top), ours.most, base.most, direct.most)
	return nil
}

// share is the processor time in percent of one core.
func (s *steady) share() float64 { return 100 * s.cpu.Seconds() / s.took.Seconds() }

// steadily begins requests on schedule for a while and waits for the last.
func (s *subject) steadily(ctx context.Context, length time.Duration) (*steady, error) {
	o := order{events: articleEvents, gap: articleGap, atOnce: true, prompt: 1000}
	request, got := s.request(o), &steady{}
	idle := make(chan *caller, 4096)
	var all sync.WaitGroup
	var under atomic.Int64
	start, cpu := time.Now(), s.cpu()
	sample := start
	for n := range int(length.Seconds() * articleRate) {
		due := start.Add(time.Duration(n) * time.Second / articleRate)
		if err := pause(ctx, time.Until(due)); err != nil {
			break
		}
		if now := time.Now(); now.Sub(sample) > time.Second {
			sample, got.top = now, max(got.top, s.rss())
		}
		got.asked++
		got.most = max(got.most, under.Add(1))
		all.Go(func() {
			defer under.Add(-1)
			got.one(ctx, s.addr, idle, request, o, due)
		})
	}
	all.Wait()
	got.took, got.cpu, got.rss = time.Since(start), s.cpu()-cpu, s.rss()
	got.top = max(got.top, got.rss)
	close(idle)
	for c := range idle {
		c.close()
	}
	return got, ctx.Err()
}

// one carries a request out, over a connection that is free or a new one.
func (s *steady) one(ctx context.Context, addr string, idle chan *caller, request []byte, o order, due time.Time) {
	var c *caller
	select {
	case c = <-idle:
	default:
		c = &caller{addr: addr}
	}
	first, events := time.Duration(0), int64(0)
	resp, err := c.ask(ctx, request)
	if err == nil {
		err = c.read(resp, o, func(time.Duration) {
			if events++; events == 1 {
				first = time.Since(due)
			}
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events += events
	if err != nil {
		if s.failed++; s.why == nil {
			s.why = err
		}
		c.close()
		return
	}
	s.ttft = append(s.ttft, first.Seconds()*1e3)
	select {
	case idle <- c:
	default:
		c.close()
	}
}
