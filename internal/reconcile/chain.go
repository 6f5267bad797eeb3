package reconcile

import (
	"math"
	"time"

	"weir.dev/weir"
)

// A definition is one figure of a tool: how to get from ours to theirs on one
// trace, and how the tool sums it up over a run.
type definition struct {
	name, ours string
	unit       Unit
	rule       rule
	chain      func(*weir.Trace) *chain
}

// measure is what a span is turned into.
type measure int

const (
	latency  measure = iota // to - from
	perToken                // (to - from) / tokens
	perTime                 // tokens / (to - from)
	list                    // no span: gaps
)

// span is a stretch of a trace, in offsets from when it was sent, with the
// tokens that are counted over it.
type span struct {
	from, to time.Duration
	tokens   float64
}

func (s span) amount(m measure) (Amount, bool) {
	d := s.to - s.from
	switch {
	case m == latency:
		return Amount(d), true
	case s.tokens <= 0:
	case m == perToken:
		return Amount(math.Round(float64(d) / s.tokens)), true
	case d > 0:
		return Amount(math.Round(s.tokens / d.Seconds() * 1e9)), true
	}
	return 0, false
}

// stage is a value on the way from ours to theirs, and what changed it.
type stage struct {
	cause  string
	values []Amount // one, or the gaps of a list; none: there is no value here
}

// chain changes one thing at a time, so that the differences between its
// stages add up to the whole whatever they round to. The order is part of the
// definition: a cause is what it changes after those before it.
type chain struct {
	measure measure
	span    span
	stages  []stage
	toEnd   bool    // a latency to the last output, which only a good answer has
	weight  float64 // of the trace, where the tool weights
	why     string  // why the last stage, or the first, has no value
}

// begin starts at our value, which is that of the span where there is one.
func begin(m measure, ours weir.Opt[Amount], at span, why string) *chain {
	c := &chain{measure: m, span: at, weight: 1}
	c.stages = []stage{{}}
	if v, ok := ours.Get(); ok {
		c.stages[0].values = []Amount{v}
	} else {
		c.why = why
	}
	return c
}

// step changes the span for a cause. Where nothing changes the value stays to
// the last digit.
func (c *chain) step(cause string, change func(*span)) *chain {
	next := c.span
	change(&next)
	s := stage{cause: cause}
	switch v, ok := next.amount(c.measure); {
	case next == c.span && c.stages[0].values != nil:
		s.values = c.stages[len(c.stages)-1].values
	case ok:
		s.values = []Amount{v}
	}
	c.span = next
	c.stages = append(c.stages, s)
	return c
}

// none says that the tool has no value for the trace.
func (c *chain) none(why string) {
	c.why = why
	c.stages[len(c.stages)-1].values = nil
}

func (c *chain) causes() []string {
	names := make([]string, len(c.stages))
	for i, s := range c.stages {
		names[i] = s.cause
	}
	return names
}

// whole tells whether every stage has a value.
func (c *chain) whole() bool {
	for _, s := range c.stages {
		if len(s.values) == 0 {
			return false
		}
	}
	return true
}

func (c *chain) first() []Amount { return c.stages[0].values }
func (c *chain) last() []Amount  { return c.stages[len(c.stages)-1].values }
