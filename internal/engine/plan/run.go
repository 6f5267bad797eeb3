package plan

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Simulate runs a setup under a load with each seed, as many at a time as there
// are processors, until ctx is done. The same arguments give the same outcome.
func Simulate(ctx context.Context, s Setup, l Load, e Effort) (*Outcome, error) {
	return simulate(ctx, s, l, e, e.Seeds)
}

// glance is how many seeds tell whether a load is far beyond what is carried.
const glance = 2

// probe is Simulate, but for a load that is hopeless it is content with fewer
// seeds.
func probe(ctx context.Context, s Setup, l Load, e Effort) (*Outcome, error) {
	return simulate(ctx, s, l, e, min(glance, e.Seeds))
}

// simulate runs the first seeds, and the rest unless none of those could hope.
func simulate(ctx context.Context, s Setup, l Load, e Effort, first int) (*Outcome, error) {
	prompt, output := s.Lengths.Mean()
	for _, err := range []error{s.Check(), l.check(), e.check(prompt + output)} {
		if err != nil {
			return nil, err
		}
	}
	o := &Outcome{Setup: s, Load: l}
	if err := o.add(ctx, e, first); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(o.runs, func(r run) bool { return !r.hopeless }) {
		return o, nil
	}
	if err := o.add(ctx, e, e.Seeds-first); err != nil {
		return nil, err
	}
	return o, nil
}

// add runs the next n seeds.
func (o *Outcome) add(ctx context.Context, e Effort, n int) error {
	begun := len(o.runs)
	runs, errs := make([]run, n), make([]error, n)
	var taken atomic.Int64
	var watch sync.Mutex
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(taken.Add(1)) - 1; i < n; i = int(taken.Add(1)) - 1 {
				t, err := hold(ctx, o.Setup, o.Load, e, e.Seed+uint64(begun+i))
				if errs[i] = err; err != nil {
					return
				}
				runs[i] = t.sum()
				if e.Watch != nil {
					watch.Lock()
					e.Watch(fmt.Sprintf("%s at %s", o.Setup.Deployment.GPU.Name, o.Load))
					watch.Unlock()
				}
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	o.runs = append(o.runs, runs...)
	return nil
}
