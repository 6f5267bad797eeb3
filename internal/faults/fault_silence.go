package faults

import (
	"context"
	"net/http"
	"time"

	"weir.dev/weir/internal/sse"
)

// How long a caller of a good gateway waits.
const (
	budget = 30 * time.Second // of a request, retries included
	hangs  = 45 * time.Second // nothing may take longer
)

// judgeSilence is for targets that take a request and give nothing.
func judgeSilence(r *ruling, s sight) {
	r.advise(len(s.faulty()) <= 1, "the silent target was asked %d times", len(s.faulty()))
	r.advise(s.lasted() <= s.scale(budget), "took %v, longer than the budget of %v", s.lasted(), s.scale(budget))
}

func silent() fault {
	const wait = 120 * time.Second
	return fault{
		id: "S06", what: "accepts and never answers (120 s)",
		want: "first-output deadline, fails over, silent route not retried",
		serve: func(e *exchange) error {
			if err := e.wait(wait); err != nil {
				return err
			}
			return errCut
		},
		judge: judgeSilence,
	}
}

func slowFirst() fault {
	const wait, total = 20 * time.Second, 15 * time.Second
	slow := func(e *exchange) error {
		if e.asked.Stream {
			if err := e.head(http.StatusOK, eventStream); err != nil {
				return err
			}
		}
		return e.wait(wait)
	}
	return fault{
		id: "S07", what: "headers at once, first token after 20 s",
		want: "fails over on the first-output deadline; total <= 15 s",
		serve: func(e *exchange) error {
			if err := slow(e); err != nil {
				return err
			}
			if err := e.send(e.stream.AppendOpening(nil, e.withUsage())); err != nil {
				return err
			}
			return e.end(0)
		},
		whole: func(e *exchange) error {
			if err := slow(e); err != nil {
				return err
			}
			return e.healthyWhole(0)
		},
		judge: func(r *ruling, s sight) {
			r.require(s.Ended != Whole || s.lasted() <= s.scale(total), "whole, but after %v; at most %v", s.lasted(), s.scale(total))
		},
	}
}

func stalled() fault {
	const some, wait = 20, 30 * time.Second
	return fault{
		id: "S09", what: "silent after 20 tokens for 30 s, then closed",
		want: "stall clock, rescue or clean error within 45 s; healthy afterwards",
		serve: func(e *exchange) error {
			if e.mark.Variant == afterwards {
				return e.healthy()
			}
			if err := e.begin(some); err != nil {
				return err
			}
			if err := e.wait(wait); err != nil {
				return err
			}
			return errCut
		},
		whole: func(e *exchange) error {
			if err := e.wait(wait); err != nil {
				return err
			}
			return e.halfBody()
		},
		judge:    judgeSeam,
		variants: []string{afterwards},
		play: func(ctx context.Context, c *cell) []Part {
			first := c.try(ctx, ask{})
			return []Part{first, c.well(ctx)}
		},
	}
}

// afterwards is the case of a request that follows a fault: the target is well
// again.
const afterwards = "after"

// well asks once more: what comes after a fault must be whole, whoever answers.
func (c *cell) well(ctx context.Context) Part {
	a := ask{variant: afterwards}
	s := c.see(ctx, a, c.call(ctx, a))
	r := base(s)
	if s.Ended == Whole {
		r.verdict, r.why = Pass, "whole answer"
	} else if r.verdict != Skipped {
		r.fail("no whole answer after the fault: the endpoint %s", s.described())
	}
	return r.part(s)
}

func onlyComments() fault {
	const every = time.Second
	return fault{
		id: "W02", what: "200 with keep-alive comments only, for ever", want: "progress clock, fails over",
		serve: func(e *exchange) error {
			if err := e.head(http.StatusOK, eventStream); err != nil {
				return err
			}
			for {
				if err := e.send(sse.AppendComment(nil, " keep-alive")); err != nil {
					return err
				}
				if err := e.wait(every); err != nil {
					return err
				}
			}
		},
		whole: func(e *exchange) error {
			if err := e.head(http.StatusOK, "application/json"); err != nil {
				return err
			}
			for {
				if err := e.send([]byte("\n")); err != nil {
					return err
				}
				if err := e.wait(every); err != nil {
					return err
				}
			}
		},
		judge: judgeSilence,
	}
}

func crawling() fault {
	const each = time.Second
	return fault{
		id: "W04", what: "role event, then 1 token/s (fast TTFT, brown-out)",
		want: "early-rate check where configured; recorded",
		serve: func(e *exchange) error {
			if err := e.open(); err != nil {
				return err
			}
			if err := e.tokens(0, Tokens, each); err != nil {
				return err
			}
			if err := e.finish(); err != nil {
				return err
			}
			return e.done()
		},
		whole: (*exchange).healthy,
		cases: []ask{{limit: Tokens*each + 15*time.Second}},
		judge: func(r *ruling, s sight) {
			switch {
			case s.Ended != Whole:
			case s.lasted() < s.scale(Tokens*each/2):
				r.note("whole after %v: somebody faster took over", s.lasted())
			default:
				r.note("took %v: no early-rate check", s.lasted())
			}
		},
	}
}
