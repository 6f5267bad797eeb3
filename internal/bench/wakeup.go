package bench

import (
	"context"
	"time"

	"weir.dev/weir/internal/clock"
)

// A stamp taken after a read is late by as long as this process took to wake up
// for the bytes. A sleeper that wakes at known instants, through the same
// poller, meets the same delays: its lateness tells how good the stamps are.
const (
	wakeUpEvery = 10 * time.Millisecond
	maxWakeUps  = 100_000 // the first quarter of an hour
)

// wakeUps samples how late this process wakes up until ctx is done.
func wakeUps(ctx context.Context, c clock.Clock) (late []time.Duration) {
	if c == nil {
		return nil
	}
	for due := c.Now().Add(wakeUpEvery); len(late) < maxWakeUps; {
		err := c.Until(ctx, due)
		now := c.Now()
		if err != nil {
			if d := now.Sub(due); d > 0 { // all that was held up with it may be over before it wakes up
				late = append(late, d)
			}
			return late
		}
		late = append(late, now.Sub(due))
		due = due.Add((now.Sub(due)/wakeUpEvery + 1) * wakeUpEvery)
	}
	return late
}
