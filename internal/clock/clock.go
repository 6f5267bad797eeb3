package clock

import (
	"context"
	"time"
)

// Clock tells time and waits for absolute instants.
type Clock interface {
	// Now is the present, with a monotonic reading.
	Now() time.Time
	// Until returns nil at t or as soon after as the clock can, never before. It
	// returns earlier, with ctx's error, when ctx ends first; an ended ctx wins
	// over a t that has passed.
	Until(ctx context.Context, t time.Time) error
}

// Plain waits with the runtime's timers: exact in a testing/synctest bubble,
// up to about 1.1 ms late on an idle Linux machine. The zero value is ready.
type Plain struct{}

var _ Clock = Plain{}

// Now implements Clock.
func (Plain) Now() time.Time { return time.Now() }

// Until implements Clock.
func (Plain) Until(ctx context.Context, t time.Time) error {
	d := time.Until(t)
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
