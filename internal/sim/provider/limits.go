package provider

import (
	"math"
	"time"

	"golang.org/x/time/rate"

	"weir.dev/weir/internal/sim/cast"
)

// limits are what one customer may ask: buckets of a minute's worth that fill
// steadily. It is not safe for use by several goroutines.
type limits struct {
	requests, tokens *rate.Limiter // nil: no limit
}

func newLimits(l cast.Limits) limits {
	bucket := func(perMinute int) *rate.Limiter {
		if perMinute == 0 {
			return nil
		}
		return rate.NewLimiter(rate.Limit(float64(perMinute)/60), perMinute)
	}
	return limits{requests: bucket(l.Requests), tokens: bucket(l.Tokens)}
}

// epoch is the time 0 of the provider for the library, which wants dates.
var epoch = time.Unix(0, 0)

// take asks for one request of so many tokens, no more than the limit, at the
// provider's time d. wait is when to come back; 0 grants it.
func (l limits) take(tokens int, d time.Duration) (wait time.Duration) {
	now := epoch.Add(d)
	for _, ask := range []struct {
		bucket *rate.Limiter
		n      int
	}{{l.requests, 1}, {l.tokens, tokens}} {
		if ask.bucket != nil {
			wait = max(wait, missing(ask.bucket, float64(ask.n), now))
		}
	}
	if wait > 0 {
		return wait
	}
	if l.requests != nil {
		l.requests.AllowN(now, 1)
	}
	if l.tokens != nil {
		l.tokens.AllowN(now, tokens)
	}
	return 0
}

// missing is how long a bucket takes to hold n.
func missing(b *rate.Limiter, n float64, now time.Time) time.Duration {
	short := n - b.TokensAt(now)
	if short <= 0 {
		return 0
	}
	return time.Duration(math.Ceil(short / float64(b.Limit()) * 1e9))
}

// Quota is what is left of the limits; a limit of 0 is none.
type Quota struct {
	Requests, Tokens Bucket
}

// Bucket is one limit.
type Bucket struct {
	Limit, Remaining int
	Reset            time.Duration // until it is full, on the wall
}

func (l limits) quota(d time.Duration, c clockwork) Quota {
	one := func(b *rate.Limiter) Bucket {
		if b == nil {
			return Bucket{}
		}
		left := max(0, b.TokensAt(epoch.Add(d)))
		return Bucket{Limit: b.Burst(), Remaining: int(left), Reset: c.lasts(missing(b, float64(b.Burst()), epoch.Add(d)))}
	}
	return Quota{Requests: one(l.requests), Tokens: one(l.tokens)}
}
