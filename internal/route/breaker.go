package route

import (
	"time"

	"weir.dev/weir"
)

// breaker takes a target out of use, and lets one request find out when it may
// be back. The zero value is closed. Each change of state begins a generation;
// an attempt is judged only in the one it began in, so that an answer that comes
// late neither closes nor extends a newer breaker.
type breaker struct {
	gen     uint64
	reason  Reason // why it is not closed: Open, OutOfQuota, BadKey
	since   time.Time
	until   time.Time // from then on it is half open
	doubled int       // how often the open time was
	probing bool      // half open, and the one request is under way

	row   int       // failures without a success between
	began time.Time // the latest start among them
}

func (b *breaker) phase(now time.Time) weir.HealthState {
	switch {
	case b.reason == "":
		return weir.HealthClosed
	case now.Before(b.until):
		return weir.HealthOpen
	}
	return weir.HealthHalfOpen
}

// succeed ends a row of failures, unless it began before they did: long answers
// of a target that takes no new requests say nothing about new ones.
func (b *breaker) succeed(began time.Time) {
	if !began.Before(b.began) {
		b.row = 0
	}
}

func (b *breaker) fail(began time.Time) {
	b.row++
	if began.After(b.began) {
		b.began = began
	}
}

// trip opens it for failures: for longer where it did not stay closed in
// between. jitter is from 0 to 1.
func (b *breaker) trip(set *HealthSettings, jitter float64, now time.Time) {
	const most = 30 // shifts
	if b.reason != "" || now.Sub(b.since) < set.OpenMax {
		b.doubled = min(b.doubled+1, most)
	}
	if b.reason == "" && now.Sub(b.since) >= set.OpenMax {
		b.doubled = 0
	}
	d := set.OpenFor << b.doubled
	if d <= 0 || d > set.OpenMax || d>>b.doubled != set.OpenFor {
		d = set.OpenMax
	}
	b.open(Open, d+time.Duration(jitter*float64(d)/10), now)
}

func (b *breaker) open(why Reason, d time.Duration, now time.Time) {
	*b = breaker{gen: b.gen + 1, reason: why, since: now, until: now.Add(d), doubled: b.doubled}
}

func (b *breaker) close(now time.Time) {
	*b = breaker{gen: b.gen + 1, since: now, doubled: b.doubled}
}
