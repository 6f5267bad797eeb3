package route

import (
	"cmp"
	"sync"
	"time"
)

// RetryBudget bounds the retries of a whole gateway, so that a fleet in trouble
// does not get twice the load for it. Over the last ten seconds retries may be a
// share of the requests, or a floor where the requests are few. It is safe for
// concurrent use; the zero value has the defaults.
type RetryBudget struct {
	Share float64 // of the requests; 0.1, below 0 none, +Inf: no bound
	Floor int     // retries in ten seconds, however few the requests; 100, below 0 none

	mu   sync.Mutex
	seen window // good: requests, bad: retries
}

const retryWindow = 10 * time.Second

// Request counts a request.
func (b *RetryBudget) Request(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen.add(true, retryWindow, now)
}

// Retry tells whether a further attempt may be made, and counts it if so.
func (b *RetryBudget) Retry(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.seen.sum(retryWindow, now)
	if float64(all.bad)+1 > b.allowed(all.good) {
		return false
	}
	b.seen.add(false, retryWindow, now)
	return true
}

// Left is how many retries may be made at once; infinite without a bound.
func (b *RetryBudget) Left(now time.Time) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.seen.sum(retryWindow, now)
	return max(b.allowed(all.good)-float64(all.bad), 0)
}

func (b *RetryBudget) allowed(requests int) float64 {
	return max(cmp.Or(b.Share, 0.1)*float64(max(requests, 1)), float64(cmp.Or(b.Floor, 100)))
}
