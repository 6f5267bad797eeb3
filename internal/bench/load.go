package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"time"

	"weir.dev/weir/internal/clock"
	"weir.dev/weir/internal/work"
)

// Load is when requests start, beyond Config's Concurrency and Requests. The
// zero value is a closed loop that ends with its requests.
type Load struct {
	// Shape makes it an open loop: requests are due by a schedule, whatever the
	// answers. It ends after Requests, after Duration, or with the schedule. Of a
	// session it is the first turn that is due so.
	// Every target has the whole schedule, with the same arrivals.
	Shape *Shape
	// Duration is how long measured requests start; 0: until all are sent, or
	// for as long as Shape's steps are.
	Duration time.Duration
	// Grace is how long after Duration calls may still be under way before they
	// are cut, as abandoned; 0: until they end.
	Grace time.Duration
	// Ramp spreads the first starts of a closed loop's slots over so long.
	Ramp time.Duration
	// Think is how long a closed loop's slot rests after an answer, or after a
	// session's last. The next request is due after it.
	Think time.Duration
	// Laps makes all slots of all targets of a closed loop send one session each
	// before any sends the next: the laps are the blocks of a comparison.
	Laps bool
	// Every is the least time from one lap's start to the next's; 0: none.
	Every time.Duration
}

// slots is how many a closed loop has for each target.
func (c *Config) slots() int {
	if c.Requests > 0 {
		return min(c.Concurrency, c.Requests)
	}
	return c.Concurrency
}

// Item is what one request of a recording or a mix asks for.
type Item struct {
	At           time.Duration // when it was asked, from the first on
	InputTokens  int           // 0: as in Work
	OutputTokens int           // 0: as in Work
}

func (c *Config) checkLoad() error {
	l := &c.Load
	span, ends := c.time()
	switch {
	case c.Requests < 0 || c.Requests == 0 && !ends && (l.Shape == nil || len(l.Shape.Offsets) == 0):
		return bad(fmt.Sprintf("%d requests", c.Requests), "it must be at least 1, or give a duration")
	case c.Requests > maxRequests:
		return bad(fmt.Sprintf("%d requests", c.Requests), fmt.Sprintf("at most %d", maxRequests))
	case min(l.Duration, l.Grace, l.Ramp, l.Think, l.Every) < 0:
		return bad("a negative duration, grace, ramp, think time or distance of laps", "0 is none")
	case max(l.Duration, l.Grace, l.Ramp, l.Think, l.Every) > maxSpan:
		return bad(fmt.Sprintf("a duration of %v", max(l.Duration, l.Grace, l.Ramp, l.Think, l.Every)), fmt.Sprintf("at most %v", maxSpan))
	case l.Duration > 0 && l.Ramp >= l.Duration:
		return bad(fmt.Sprintf("a ramp of %v in a run of %v", l.Ramp, l.Duration), "it must be shorter")
	case l.Laps && (l.Shape != nil || l.Ramp > 0):
		return bad("laps with a rate or a ramp", "laps are for slots that start together")
	case l.Every > 0 && !l.Laps:
		return bad("a distance of laps without laps", "give both or none")
	case l.Grace > 0 && !ends:
		return bad("a grace without a duration", "without a duration all requests may end")
	case l.Shape == nil:
		return nil
	case l.Ramp > 0 || l.Think > 0:
		return bad("a ramp or a think time with a rate", "they are for slots; use a rate schedule")
	}
	if err := l.Shape.check(); err != nil {
		return err
	}
	if most := l.Shape.Rate(0, span) * span.Seconds(); c.Requests == 0 && most > maxRequests {
		return bad(fmt.Sprintf("about %.0f requests", most), fmt.Sprintf("at most %d", maxRequests))
	}
	return nil
}

// time is for how long measured requests start; false where only their number
// ends it.
func (c *Config) time() (span time.Duration, ends bool) {
	if c.Load.Duration > 0 {
		return c.Load.Duration, true
	}
	if s := c.Load.Shape; s != nil && len(s.Steps) > 0 {
		return s.Span()
	}
	return 0, false
}

// Planned is how many measured requests of each target there will be, for a
// progress bar; 0 where nobody knows.
func (c *Config) Planned() int {
	if c.Load.Shape == nil {
		if c.Load.Duration > 0 {
			return 0
		}
		return c.Requests
	}
	src, from, err := c.source(0)
	if err != nil {
		return 0
	}
	n := 0
	for a := range c.arrivals(src, from) {
		n += 1 + a.more
	}
	return n
}

// arrival is when a session begins in an open loop.
type arrival struct {
	at    time.Duration
	first int // number of its first request
	more  int // turns that follow it
}

// arrivals yields those of an open loop's measured requests.
func (c *Config) arrivals(src work.Source, from int) iter.Seq[arrival] {
	span, ends := c.time()
	return func(yield func(arrival) bool) {
		next, stop := iter.Pull2(iter.Seq2[int, int](c.sessions(src, from)))
		defer stop()
		for at := range c.Load.Shape.Dues(c.Seed) {
			if ends && at >= span {
				return
			}
			first, more, ok := next()
			if !ok || !yield(arrival{at, first, more}) {
				return
			}
		}
	}
}

// pacer is the clock that due times are waited for with.
func (c *Config) pacer() clock.Clock {
	if c.Clock != nil {
		return c.Clock
	}
	return clock.Plain{}
}

// LoadID is what the load shape adds to the workload's identity; empty for a
// plain closed loop of requests of one length.
func (c *Config) LoadID() string {
	id := ""
	if l := c.Load; l.Shape != nil || l.Ramp > 0 || l.Think > 0 || l.Laps {
		shape := "closed"
		if l.Shape != nil {
			shape = l.Shape.String()
		}
		if l.Laps {
			shape = fmt.Sprintf("laps, every %v", l.Every)
		}
		id = fmt.Sprintf("%s, ramp %v, think %v", shape, l.Ramp, l.Think)
	}
	if len(c.Items) > 0 {
		h := sha256.New()
		for _, it := range c.Items {
			fmt.Fprintf(h, "%d %d,", it.InputTokens, it.OutputTokens)
		}
		id += " lengths " + hex.EncodeToString(h.Sum(nil)[:6])
	}
	return id
}
