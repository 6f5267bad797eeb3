package tenant

import (
	"math"
	"time"
)

// bucket is a limit per minute: it holds a minute's worth and fills steadily
// (GCRA: all that is kept is when it will be full). The zero value has no limit.
//
// golang.org/x/time/rate has no way back: its Reservation.CancelAt restores
// nothing once the time to act has come, which for a call that was let in is at
// once, and a call is settled or refunded only after that. Nor does it let a
// call that took more than estimated go into debt by more than a burst.
type bucket struct {
	perMinute int
	full      time.Time
}

// wait is how long n are to wait; ok is false where they never fit.
func (b *bucket) wait(n int, now time.Time) (d time.Duration, ok bool) {
	if b.perMinute == 0 {
		return 0, true
	}
	if n > b.perMinute {
		return 0, false
	}
	return max(0, b.after(n, now).Sub(now)-time.Minute), true
}

// take takes n, whether they are there or not.
func (b *bucket) take(n int, now time.Time) {
	if b.perMinute > 0 {
		b.full = b.after(n, now)
	}
}

// give takes n back.
func (b *bucket) give(n int) {
	if b.perMinute > 0 {
		b.full = b.full.Add(-b.lasts(n))
	}
}

// left is what can be taken at once.
func (b *bucket) left(now time.Time) int {
	empty := min(time.Minute, max(0, b.full.Sub(now)))
	return int(math.Floor(float64(time.Minute-empty) / float64(time.Minute) * float64(b.perMinute)))
}

// after is when the bucket is full if n are taken now.
func (b *bucket) after(n int, now time.Time) time.Time {
	if b.full.Before(now) {
		return now.Add(b.lasts(n))
	}
	return b.full.Add(b.lasts(n))
}

// lasts is how long n take to fill again: whole nanoseconds, so that who waits
// as long as was said is let in.
func (b *bucket) lasts(n int) time.Duration {
	return time.Duration(min(math.Ceil(float64(n)/float64(b.perMinute)*float64(time.Minute)), float64(maxDebt)))
}

// maxDebt bounds what one call can put a key in debt by.
const maxDebt = 24 * time.Hour
