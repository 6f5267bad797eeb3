package bench

import (
	"context"
	"fmt"
	"strings"
)

// Point is one stop of a sweep: what differs from the Config.
type Point struct {
	Concurrency int     // 0: the Config's
	Rate        float64 // of an open loop; 0: the Config's
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

// Sweep runs the same work at each of the points, one after the other, on the
// same connections and with prompts of their own. Only the first has a warm-up.
// It ends early when ctx does or the budget is reached; the results so far are
// returned. Before, if not nil, is called ahead of each run and may say where
// its traces and events go.
func Sweep(ctx context.Context, c Config, points []Point, before func(i int, c *Config)) ([]*Result, error) {
	if len(points) == 0 {
		return nil, bad("a sweep over nothing", "name at least one concurrency or rate")
	}
	configs := make([]Config, len(points))
	for i, p := range points {
		var err error
		if configs[i], err = c.at(p); err != nil {
			return nil, fmt.Errorf("sweep, %v: %w", p, err)
		}
	}
	s := newSession(c)
	defer s.close()
	for _, one := range configs {
		s.warmers = max(s.warmers, one.Concurrency)
	}
	var results []*Result
	for i, one := range configs {
		if i > 0 {
			one.Warmup = 0
		}
		if before != nil {
			before(i, &one)
		}
		res, err := s.run(ctx, one)
		if err != nil {
			return results, err
		}
		res.Label = points[i].String()
		results = append(results, res)
		if res.Interrupted || res.BudgetReached {
			break
		}
	}
	return results, nil
}
