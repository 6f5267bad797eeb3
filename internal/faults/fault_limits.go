package faults

import (
	"net/http"
	"time"

	"weir.dev/weir/internal/request"
)

// maxAttempts is how often one request may be tried at a target that fails.
const maxAttempts = 6

func tooMany(e *exchange) error {
	return e.refuse(request.Problem{Status: http.StatusTooManyRequests, Message: "rate limit reached for " + e.asked.Model})
}

func rateLimitedOnce() fault {
	const wait = 2 * time.Second
	return fault{
		id: "S01", what: "first attempt 429 with Retry-After: 2, then good",
		want: "waits >= 1.8 s before asking the same target again, or fails over; no tight loop",
		serve: func(e *exchange) error {
			if !e.first() {
				return e.healthy()
			}
			e.retryAfter(wait)
			return tooMany(e)
		},
		judge: func(r *ruling, s sight) {
			for _, g := range s.gaps() {
				r.require(g >= s.scale(wait*9/10), "asked the same target again after %v; it had said Retry-After: %v", g, s.scale(wait))
			}
			r.require(len(s.faulty()) <= maxAttempts, "%d attempts at the target, at most %d", len(s.faulty()), maxAttempts)
		},
	}
}

func rateLimited() fault {
	return fault{
		id: "S02", what: "always 429, no Retry-After",
		want:  "backs off with jitter, fails over; <= 6 attempts, <= 4 in 3 s",
		serve: tooMany,
		judge: func(r *ruling, s sight) {
			r.require(len(s.faulty()) <= maxAttempts, "%d attempts at the target, at most %d", len(s.faulty()), maxAttempts)
			n := s.most(s.scale(3 * time.Second))
			r.require(n <= 4, "%d attempts at the target within %v, at most 4", n, s.scale(3*time.Second))
		},
	}
}
