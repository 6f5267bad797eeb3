package faults

import "time"

// Profile says how long the waits of the wall are.
type Profile string

// The profiles. Fast divides every wait by 20, and so must the endpoint's own
// limits; what has no wait in it (a cancel within 100 ms) stays as it is.
const (
	Full Profile = "full"
	Fast Profile = "fast"
)

const fastDivisor = 20

// Scale is d in the profile's time.
func (p Profile) Scale(d time.Duration) time.Duration {
	if p == Fast {
		return d / fastDivisor
	}
	return d
}

// gap is the time between two tokens of a healthy answer.
const gap = 15 * time.Millisecond
