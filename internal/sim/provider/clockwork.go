package provider

import (
	"context"
	"math"
	"time"

	"weir.dev/weir/internal/clock"
)

// clockwork turns wall time into the provider's and back.
type clockwork struct {
	clock clock.Clock
	start time.Time
	speed float64
}

func (c clockwork) now() time.Duration { return c.at(c.clock.Now()) }

func (c clockwork) at(t time.Time) time.Duration {
	d := t.Sub(c.start)
	if c.speed == 1 {
		return d
	}
	return time.Duration(math.Round(float64(d) * c.speed)) // so that wall and at fit together
}

// wall is the first wall time that is not before the provider's time d.
func (c clockwork) wall(d time.Duration) time.Time { return c.start.Add(c.lasts(d)) }

// lasts is how long a time of the provider's is on the wall.
func (c clockwork) lasts(d time.Duration) time.Duration {
	if c.speed == 1 {
		return d
	}
	return time.Duration(math.Ceil(float64(d) / c.speed))
}

func (c clockwork) until(ctx context.Context, d time.Duration) error {
	return c.clock.Until(ctx, c.wall(d))
}
