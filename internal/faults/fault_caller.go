package faults

import (
	"context"
	"net/http"
	"strings"
	"time"

	"weir.dev/weir/internal/request"
)

// W05: what the wall offers, and how much of it may be swallowed for a caller
// that does not read. Sockets hold some megabytes on each leg, so that the bound
// cannot be tight.
const (
	floodBytes  = 128 << 20
	floodBound  = 64 << 20
	floodPiece  = 8 << 10
	floodReads  = 1 << 10     // what the caller reads before it stops
	floodTime   = time.Second // what it takes to fill the sockets; no profile shortens it
	cancelLimit = 100 * time.Millisecond
)

func stuckReader() fault {
	return fault{
		id: "W05", what: "caller stops reading", want: "bounded memory, upstream cancelled",
		alone: true,
		serve: func(e *exchange) error {
			if err := e.open(); err != nil {
				return err
			}
			piece := e.stream.AppendDelta(nil, request.Text, strings.Repeat("water ", floodPiece/6), request.With{})
			for sent := 0; sent < floodBytes; sent += len(piece) {
				if err := e.send(piece); err != nil {
					return err
				}
			}
			if err := e.finish(); err != nil {
				return err
			}
			return e.done()
		},
		whole: (*exchange).healthy,
		play: func(ctx context.Context, c *cell) []Part {
			s := c.stuck(ctx)
			r := base(s)
			if len(s.faulty()) == 0 {
				return []Part{r.part(s)}
			}
			a := s.faulty()[0]
			r.pass("%d KiB were taken for a caller that read 1 KiB, then the upstream was cancelled", a.Bytes>>10)
			r.require(a.Bytes <= floodBound, "%d MiB were taken for a caller that read 1 KiB and stopped", a.Bytes>>20)
			r.require(a.Bytes > floodBound || a.CallerLeft, "the upstream was still open %v after the caller had stopped reading", s.lasted())
			return []Part{r.part(s)}
		},
	}
}

// The phases in which the caller of W06 leaves.
const (
	phaseHeaders = "headers" // nothing has come from the target
	phaseHeld    = "held"    // headers and a role, no output
	phaseStream  = "stream"  // after some output
	phaseBackoff = "backoff" // the target has said 429
)

func leaving() fault {
	const leave = time.Second
	return fault{
		variants: []string{phaseHeaders, phaseHeld, phaseStream, afterwards, phaseBackoff},
		id:       "W06", what: "caller leaves in each phase", want: "upstream cancelled within 100 ms, no health effect",
		alone: true,
		serve: func(e *exchange) error {
			switch e.mark.Variant {
			case phaseHeaders:
				return e.forever()
			case phaseHeld:
				if err := e.open(); err != nil {
					return err
				}
				return e.forever()
			case phaseBackoff:
				e.retryAfter(2 * leave)
				return e.refuse(request.Problem{Status: http.StatusTooManyRequests, Message: "rate limit reached"})
			case phaseStream:
				if err := e.begin(Tokens); err != nil {
					return err
				}
				return e.forever()
			}
			return e.healthy()
		},
		play: func(ctx context.Context, c *cell) []Part {
			parts := []Part{
				c.left(ctx, ask{variant: phaseHeaders, after: leave}),
				c.left(ctx, ask{variant: phaseHeld, after: leave}),
				c.left(ctx, ask{variant: phaseStream, leave: func(v View) bool { return v.Tokens >= 3 }}),
			}
			if newCell(c.fault, parts).Verdict != Skipped {
				parts = append(parts, c.unharmed(ctx))
			}
			return append(parts, c.left(ctx, ask{variant: phaseBackoff, after: leave / 4}))
		},
	}
}

// left judges a call that the caller breaks off.
func (c *cell) left(ctx context.Context, a ask) Part {
	v := c.call(ctx, a)
	s := c.settled(ctx, a, v)
	r := base(s)
	switch {
	case len(s.faulty()) == 0, v.Ended == Hung:
		return r.part(s)
	case v.Ended != Left:
		r.skip("the call had ended before the caller left: the endpoint %s", s.described())
		return r.part(s)
	}
	r.pass("everything upstream ended with the caller")
	for _, at := range s.Attempts {
		if began := at.At.Sub(v.ended); began > cancelLimit {
			r.require(false, "%s was asked %v after the caller had left", at.Model, began)
		}
		end, ended := at.Ended.Get()
		r.require(ended, "the attempt at %s is still open %v after the caller has left", at.Model, c.clock.Now().Sub(v.ended))
		if over := at.At.Add(end.Duration()).Sub(v.ended); ended && over > cancelLimit {
			r.require(false, "the attempt at %s went on for %v after the caller had left", at.Model, over)
		}
	}
	return r.part(s)
}

// unharmed asks once more: leaving callers say nothing of the target's health.
func (c *cell) unharmed(ctx context.Context) Part {
	a := ask{variant: afterwards}
	s := c.see(ctx, a, c.call(ctx, a))
	r := base(s)
	if len(s.faulty()) == 0 && len(s.fallback()) > 0 {
		r.fail("the target was out of use after callers had left")
	}
	return r.part(s)
}
