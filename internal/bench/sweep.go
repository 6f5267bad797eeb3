package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Point is one stop of a sweep: what differs from the Config.
type Point struct {
	Concurrency int     // 0: the Config's
	Rate        float64 // of an open loop; 0: the Config's
	Requests    int     // measured ones of each target; 0: the Config's
}

// String is the point's label.
func (p Point) String() string {
	var parts []string
	if p.Concurrency > 0 {
		parts = append(parts, fmt.Sprintf("concurrency=%d", p.Concurrency))
	}
	if p.Rate > 0 {
		parts = append(parts, fmt.Sprintf("rate=%v", p.Rate))
	}
	return strings.Join(parts, ",")
}

// at is the configuration of a point.
func (c Config) at(p Point) (Config, error) {
	if p.Concurrency != 0 {
		c.Concurrency = p.Concurrency
	}
	if p.Requests != 0 {
		c.Requests = p.Requests
	}
	if p.Rate != 0 {
		if c.Load.Shape == nil || len(c.Load.Shape.Steps) != 1 {
			return c, bad("a sweep over rates without a single rate", "give the load a rate; the sweep changes it")
		}
		one := *c.Load.Shape
		one.Steps = []Step{{Rate: p.Rate, For: one.Steps[0].For}}
		c.Load.Shape = &one
	}
	return c, c.Check()
}

// Points are the configurations of a sweep's runs. Only the first has a warm-up.
func (c Config) Points(points []Point) ([]Config, error) {
	if len(points) == 0 {
		return nil, bad("a sweep over nothing", "name at least one concurrency or rate")
	}
	configs := make([]Config, len(points))
	for i, p := range points {
		var err error
		if configs[i], err = c.at(p); err != nil {
			return nil, fmt.Errorf("sweep, %v: %w", p, err)
		}
		if i > 0 {
			configs[i].Warmup = 0
		}
	}
	return configs, nil
}

// Sweep runs the same work at each of the points, one after the other, on the
// same connections and with prompts of their own, after one warm-up. It ends
// early when ctx does, the budget is reached or no target can answer; the
// results so far are returned. Before, if not nil, is called ahead of each run
// and may say where its traces and events go; what it returns, if not nil, gets
// the run's result as soon as there is one.
func Sweep(ctx context.Context, c Config, points []Point, before func(i int, c *Config) (after func(*Result))) ([]*Result, error) {
	configs, err := c.Points(points)
	if err != nil {
		return nil, err
	}
	s := newSession(c)
	defer s.close()
	for _, one := range configs {
		s.warmers = max(s.warmers, one.Concurrency)
	}
	var results []*Result
	for i, one := range configs {
		var after func(*Result)
		if before != nil {
			after = before(i, &one)
		}
		res, err := s.run(ctx, one)
		if err != nil {
			return results, err
		}
		res.Label = points[i].String()
		results = append(results, res)
		if after != nil {
			after(res)
		}
		hopeless := !slices.ContainsFunc(res.Targets, func(t TargetResult) bool { return !t.GaveUp })
		if res.Interrupted || res.BudgetReached || hopeless {
			break
		}
	}
	return results, nil
}
