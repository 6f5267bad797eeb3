package route

import (
	"net/http"
	"time"

	"weir.dev/weir"
)

// AllOut says what to answer where no attempt is left: 502 if every cause was a
// key or its quota, 429 if all were rate limits, else 503; and how long from now
// the first target may be back, empty where no time is known. tried are the
// effects of the request's own attempts. Where nothing was tried and no target
// could ever serve such a request, it is 400.
func AllOut(p *Plan, tried []Effect, now time.Time) (status int, retryAfter weir.Opt[time.Duration]) {
	var auth, limited, other, unfit int
	for _, e := range tried {
		switch e {
		case Quota, Key:
			auth++
		case CoolDown:
			limited++
		default:
			other++
		}
	}
	var soonest time.Time
	for _, s := range p.Skipped {
		switch s.Why {
		case BadKey, OutOfQuota, NoKey:
			auth++
		case CoolingDown:
			limited++
		case TooLong, CannotServe, Elsewhere:
			unfit++
		case Open, ProbeRunning:
			other++
		case Excluded: // it is in tried
		}
		if s.Until.After(now) && (soonest.IsZero() || s.Until.Before(soonest)) {
			soonest = s.Until
		}
	}
	if !soonest.IsZero() {
		retryAfter = weir.Some(soonest.Sub(now))
	}
	switch all := auth + limited + other; {
	case all == 0 && unfit > 0:
		return http.StatusBadRequest, retryAfter
	case all > 0 && auth == all:
		return http.StatusBadGateway, retryAfter
	case all > 0 && limited == all:
		return http.StatusTooManyRequests, retryAfter
	}
	return http.StatusServiceUnavailable, retryAfter
}
