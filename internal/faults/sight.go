package faults

import (
	"fmt"
	"time"
)

// sight is what both sides saw of one call.
type sight struct {
	View
	Attempts  []Attempt // in order, At by the driver's clock
	Variant   string
	fault     string
	profile   Profile
	path      string // where the driver asked; "": OpenAI chat
	sent      string // restHash of the body that the driver sent
	sentBytes int
}

func (s sight) scale(d time.Duration) time.Duration { return s.profile.Scale(d) }

// lasted is rounded, since it is said in words.
func (s sight) lasted() time.Duration { return s.EndedAfter.Duration().Round(time.Millisecond) }

// faulty are the attempts at the model that is named after the fault.
func (s sight) faulty() []Attempt {
	return s.where(func(a Attempt) bool { return a.Fault == s.fault })
}

// fallback are the attempts at any other.
func (s sight) fallback() []Attempt {
	return s.where(func(a Attempt) bool { return a.Fault != s.fault })
}

func (s sight) where(f func(Attempt) bool) []Attempt {
	var list []Attempt
	for _, a := range s.Attempts {
		if f(a) {
			list = append(list, a)
		}
	}
	return list
}

// gaps are the times between the attempts at the faulty model.
func (s sight) gaps() []time.Duration {
	var list []time.Duration
	all := s.faulty()
	for i := 1; i < len(all); i++ {
		list = append(list, all[i].At.Sub(all[i-1].At))
	}
	return list
}

// most is the highest number of attempts at the faulty model within any time of
// the given length.
func (s sight) most(within time.Duration) int {
	all, n := s.faulty(), 0
	for i := range all {
		k := i
		for k < len(all) && all[k].At.Sub(all[i].At) < within {
			k++
		}
		n = max(n, k-i)
	}
	return n
}

// described says what the caller got.
func (s sight) described() string {
	status, ok := s.Status.Get()
	switch message := s.Error.Or(""); {
	case !ok && message != "":
		return "gave no answer: " + message
	case !ok:
		return "gave no answer"
	case message == "":
		return fmt.Sprintf("answered %d", status)
	default:
		return fmt.Sprintf("answered %d: %s", status, message)
	}
}
