package faults

import (
	"context"
	"sync"
	"time"
)

// cell is one fault being played.
type cell struct {
	*driver
	fault fault
}

func (c *cell) play(ctx context.Context) []Part {
	if c.fault.play != nil {
		return c.fault.play(ctx, c)
	}
	cases := c.fault.cases
	if cases == nil {
		cases = []ask{{}}
	}
	var parts []Part
	for _, a := range cases {
		parts = append(parts, c.try(ctx, a))
	}
	return parts
}

// try makes one call and judges it.
func (c *cell) try(ctx context.Context, a ask) Part {
	s := c.see(ctx, a, c.call(ctx, a))
	r := base(s)
	if c.fault.judge != nil && r.verdict != Skipped {
		c.fault.judge(r, s)
	}
	return r.part(s)
}

// see adds to a call what the wall saw of it.
func (c *cell) see(ctx context.Context, a ask, v View) sight {
	s := sight{View: v, Variant: a.variant, fault: c.fault.id, profile: c.profile, path: a.path}
	if a.body != nil {
		body := c.body(a)
		s.sent, s.sentBytes = restHash(body), len(body)
	}
	attempts, err := c.log(ctx)
	if err != nil {
		return s // nothing was seen: the part is skipped
	}
	for _, at := range attempts {
		if at.Cell == c.fault.id && at.Variant == a.variant {
			s.Attempts = append(s.Attempts, at)
		}
	}
	return s
}

// settled sees a call once everything upstream has ended, or has had its time.
func (c *cell) settled(ctx context.Context, a ask, v View) sight {
	until := v.ended.Add(cancelLimit * 5 / 2)
	for {
		s := c.see(ctx, a, v)
		now := c.clock.Now()
		if now.After(until) || ctx.Err() != nil {
			return s
		}
		open := len(s.where(func(at Attempt) bool { return !at.Ended.Known() })) > 0
		next := until.Add(time.Millisecond)
		if open {
			next = now.Add(cancelLimit / 10)
		}
		if c.clock.Until(ctx, next) != nil {
			return s
		}
	}
}

// every makes a call each interval, however long they take, for the given time.
func (c *cell) every(ctx context.Context, interval, lasting time.Duration, a ask) []View {
	start := c.clock.Now()
	views := make([]View, int(lasting/interval)+1)
	var group sync.WaitGroup
	for i := range views {
		if c.clock.Until(ctx, start.Add(time.Duration(i)*c.profile.Scale(interval))) != nil {
			break
		}
		group.Go(func() { views[i] = c.call(ctx, a) })
	}
	group.Wait()
	return views
}

// stuck makes a call, reads a little, and then nothing until the wall's answer
// has ended or the time is up.
func (c *cell) stuck(ctx context.Context) sight {
	a := ask{}
	r := newReading(c.driver, true)
	limit := r.view.sent.Add(c.profile.Scale(hangs) + floodTime)
	calling, leave := context.WithDeadline(ctx, limit.Add(c.profile.Scale(hangs))) // no head is no stuck reader
	defer leave()
	resp, err := c.transport.RoundTrip(c.request(calling, a))
	if err != nil {
		return c.see(ctx, a, r.end(err, context.Cause(calling), false))
	}
	defer resp.Body.Close()
	r.head(resp, c.dialect(a))
	_, _ = resp.Body.Read(make([]byte, floodReads)) // whatever comes of it, nothing more is read
	for {
		s := c.see(ctx, a, View{})
		now := c.clock.Now()
		ended := len(s.Attempts) > 0 && len(s.where(func(at Attempt) bool { return !at.Ended.Known() })) == 0
		if ended || now.After(limit) || ctx.Err() != nil {
			s.View = r.end(nil, nil, true)
			return s
		}
		if c.clock.Until(ctx, now.Add(c.profile.Scale(time.Second))) != nil {
			return s
		}
	}
}
