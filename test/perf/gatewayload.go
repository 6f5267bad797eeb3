//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	warmUp   = 500 * time.Millisecond
	parallel = 16 // callers of requests that are not streamed
)

// spent is what a subject used in its windows, and for how much.
type spent struct {
	cpu time.Duration
	n   int64
}

// each is in microseconds.
func (s spent) each() float64 { return s.cpu.Seconds() * 1e6 / float64(s.n) }

// window measures a subject while something counts.
func (s *subject) window(ctx context.Context, length time.Duration, n *atomic.Int64) (spent, error) {
	if err := pause(ctx, warmUp); err != nil {
		return spent{}, err
	}
	cpu, before := s.cpu(), n.Load()
	err := pause(ctx, length)
	return spent{s.cpu() - cpu, n.Load() - before}, err
}

// requests compares the processor time of answers in one piece.
func (r *gatewayRig) requests(ctx context.Context, what string, o order, goal float64) error {
	took := map[*subject]spent{}
	if err := r.turns(func(s *subject) error {
		got, err := s.answers(ctx, o, r.length)
		took[s] = spent{took[s].cpu + got.cpu, took[s].n + got.n}
		return err
	}); err != nil {
		return err
	}
	base, sub := took[r.baseline], took[r.subject]
	fmt.Printf("%-18s %s %.0f us of processor each (%d), baseline %.0f us (%d), ratio %.2f; goal <= %.1f: %s\n",
		what, r.subject.name, sub.each(), sub.n, base.each(), base.n, sub.each()/base.each(), goal, verdict(sub.each()/base.each(), goal))
	return nil
}

func (s *subject) answers(ctx context.Context, o order, length time.Duration) (spent, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var n atomic.Int64
	var all sync.WaitGroup
	failures := make(chan error, parallel)
	request := s.request(o)
	for range parallel {
		all.Go(func() {
			c := &caller{addr: s.addr}
			defer c.close()
			for ctx.Err() == nil {
				resp, err := c.ask(ctx, request)
				if err == nil {
					err = c.read(resp, o, nil)
				}
				if err != nil {
					failures <- err
					return
				}
				n.Add(1)
			}
		})
	}
	got, err := s.window(ctx, length, &n)
	stop()
	all.Wait()
	close(failures)
	for e := range failures {
		if !errors.Is(e, context.Canceled) {
			err = errors.Join(err, e)
		}
	}
	return got, err
}

// delays are those of the events of one subject, in milliseconds.
type delays struct {
	mu  sync.Mutex
	all []float64
}

// events compares the processor time of events that come one by one, and what
// delay is added to what the provider's own callers see.
func (r *gatewayRig) events(ctx context.Context, streams int) error {
	const gap = 10 * time.Millisecond
	took, seen := map[*subject]spent{}, map[*subject]*delays{r.upstream: {}, r.baseline: {}, r.subject: {}}
	measure := func(s *subject) error {
		o := order{events: int((r.length + 4*time.Second) / gap), gap: gap, prompt: 200}
		got, err := s.sparse(ctx, o, streams, r.length, seen[s])
		took[s] = spent{took[s].cpu + got.cpu, took[s].n + got.n}
		return err
	}
	if err := measure(r.upstream); err != nil {
		return err
	}
	if err := r.turns(measure); err != nil {
		return err
	}
	base, sub := took[r.baseline], took[r.subject]
	fmt.Printf("%d streams x %d events/s: %s %.1f us of processor per event (%d), baseline %.1f us (%d), ratio %.2f; goal <= 1.1: %s\n",
		streams, time.Second/gap, r.subject.name, sub.each(), sub.n, base.each(), base.n, sub.each()/base.each(), verdict(sub.each()/base.each(), 1.1))
	direct, proxied, ours := sorted(seen[r.upstream].all), sorted(seen[r.baseline].all), sorted(seen[r.subject].all)
	added := func(v values, p float64) float64 { return v.at(p) - direct.at(p) }
	fmt.Printf("    added delay p50 %.2f ms, p99 %.2f ms; baseline %.2f and %.2f ms; goal p50 < 0.3 ms: %s, p99 <= the baseline's: %s (direct: %.2f and %.2f ms)\n",
		added(ours, 0.5), added(ours, 0.99), added(proxied, 0.5), added(proxied, 0.99),
		verdict(added(ours, 0.5), 0.3), verdict(added(ours, 0.99), added(proxied, 0.99)), direct.at(0.5), direct.at(0.99))
	want := float64(streams) * r.length.Seconds() * float64(time.Second/gap) * float64(2*r.rounds)
	if kept := float64(sub.n) / want; kept < 0.99 {
		fmt.Printf("    it fell behind: %.1f %% of the events came in time, baseline %.1f %%\n", 100*kept, 100*float64(base.n)/want)
	}
	return nil
}

func (s *subject) sparse(ctx context.Context, o order, streams int, length time.Duration, into *delays) (spent, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var n atomic.Int64
	open := s.open(ctx, o, streams, func(mine *[]float64) func(time.Duration) {
		return func(d time.Duration) {
			n.Add(1)
			*mine = append(*mine, d.Seconds()*1e3)
		}
	}, into)
	got, err := s.window(ctx, length, &n)
	stop()
	if e := open.Wait(); err == nil {
		err = e
	}
	return got, err
}

// opened are streams that are being read.
type opened struct {
	all      sync.WaitGroup
	failures chan error
}

// Wait ends with the last stream.
func (o *opened) Wait() error {
	o.all.Wait()
	close(o.failures)
	return <-o.failures
}

// open opens streams and reads them until they or the context end. Their delays
// are collected stream by stream.
func (s *subject) open(ctx context.Context, o order, streams int, note func(*[]float64) func(time.Duration), into *delays) *opened {
	request, open := s.request(o), &opened{failures: make(chan error, streams)}
	for range streams {
		open.all.Go(func() {
			c := &caller{addr: s.addr}
			defer c.close()
			resp, err := c.ask(ctx, request)
			if err != nil {
				open.failures <- err
				return
			}
			hangUp := context.AfterFunc(ctx, func() { c.conn.Close() })
			defer hangUp()
			mine := make([]float64, 0, o.events)
			err = c.read(resp, o, note(&mine))
			if err != nil && ctx.Err() == nil {
				open.failures <- err
			}
			into.mu.Lock()
			into.all = append(into.all, mine...)
			into.mu.Unlock()
		})
	}
	return open
}

// truncation counts the instant streams that do not come whole.
func (r *gatewayRig) truncation(ctx context.Context) error {
	o := order{events: 20, prompt: 200}
	var cut, left atomic.Int64
	left.Store(int64(r.instant))
	var all sync.WaitGroup
	why := make(chan error, 1)
	request := r.subject.request(o)
	start, cpu := time.Now(), r.subject.cpu()
	for range 64 {
		all.Go(func() {
			c := &caller{addr: r.subject.addr}
			defer c.close()
			for left.Add(-1) >= 0 && ctx.Err() == nil {
				resp, err := c.ask(ctx, request)
				if err == nil {
					err = c.read(resp, o, func(time.Duration) {})
				}
				if err != nil {
					cut.Add(1)
					select {
					case why <- err:
					default:
					}
				}
			}
		})
	}
	all.Wait()
	took := time.Since(start).Seconds()
	fmt.Printf("%d instant streams of %d events: %d cut; goal 0: %s (%.0f/s, %.0f us of processor each)\n",
		r.instant, o.events, cut.Load(), verdict(float64(cut.Load()), 0), float64(r.instant)/took, (r.subject.cpu()-cpu).Seconds()*1e6/float64(r.instant))
	if cut.Load() > 0 {
		fmt.Printf("    the first: %v\n", <-why)
	}
	return ctx.Err()
}

// memory divides what open streams add by their number.
func (r *gatewayRig) memory(ctx context.Context) error {
	per := map[*subject]float64{}
	for _, s := range []*subject{r.baseline, r.subject} {
		grown, err := s.grows(ctx, r.streams)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		per[s] = grown
	}
	ours, base := per[r.subject], per[r.baseline]
	fmt.Printf("%d open streams: %s %.1f KB each, baseline %.1f KB; goal <= the baseline's: %s\n", r.streams, r.subject.name, ours, base, verdict(ours, base))
	return nil
}

// grows is the memory per stream, in KiB, over what the subject has before them:
// both have been used by then, so take it in a run of its own for a fresh one.
func (s *subject) grows(ctx context.Context, streams int) (float64, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	before := s.rss()
	var seen atomic.Int64
	open := s.open(ctx, order{events: 1000, gap: time.Second, prompt: 200}, streams, func(*[]float64) func(time.Duration) {
		first := true
		return func(time.Duration) {
			if first {
				first = false
				seen.Add(1)
			}
		}
	}, &delays{})
	for end := time.Now().Add(30 * time.Second); seen.Load() < int64(streams) && time.Now().Before(end) && ctx.Err() == nil; {
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return 0, err
		}
	}
	if seen.Load() < int64(streams) {
		return 0, errors.Join(fmt.Errorf("%d of %d streams are open after 30 s", seen.Load(), streams), ctx.Err())
	}
	if err := pause(ctx, 2*time.Second); err != nil {
		return 0, err
	}
	after := s.rss()
	stop()
	return float64(after-before) / float64(streams), open.Wait()
}
