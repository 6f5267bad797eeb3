package gateway

import (
	"slices"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/route"
)

// tries are the attempts of one request so far.
type tries struct {
	counted    int      // against Handling.Attempts
	duplicates int      // that may be carried out all the same
	causes     []*cause // of those that failed
	final      *cause   // the caller is told this one
	quick      []string // targets that were asked again at once
	why        journal.Why
	since      time.Time // when the time for them began
	repeat     *target   // is asked again
	rescue     *rescue   // an answer that broke off is to be gone on with
}

// race makes attempts, one after another, until one has given the caller a
// whole answer or nothing more can be done.
func (x *exchange) race() {
	if x.asked.Stream {
		x.down.open(x.w, x.site.Handling, x.cancel)
		defer x.down.close()
	}
	x.tried.why, x.tried.since = journal.First, x.arrived
	for a := x.next(); a != nil; a = x.next() {
		c := a.run()
		if c == nil {
			x.record.Outcome = weir.OK
			return
		}
		x.tried.causes = append(x.tried.causes, c)
		if !x.goOn(a, c) {
			break
		}
	}
	x.fail()
}

// goOn tells whether there is to be another attempt after a, and prepares it.
func (x *exchange) goOn(a *attempt, c *cause) bool {
	t := &x.tried
	x.without(a.target.Name)
	t.repeat = nil
	if x.ctx.Err() != nil {
		return false
	}
	if c.committed {
		return x.rescues(a, c) && x.mayTry(c)
	}
	if t.rescue != nil { // it broke off before it came to anything new, and was paid for all the same
		t.rescue.spent = sum(t.rescue.spent, a.ended.usage)
	}
	if c.ours { // nothing was sent, so nothing counts
		t.counted--
		return true
	}
	switch c.step() {
	case stop, passOn:
		t.final = c
		return false
	case withoutUsage:
		a.target.refusesUsage.Store(true)
		t.repeat, t.why = a.target, journal.WithoutUsage
		t.counted--
		return true
	case sameTarget:
		if !slices.Contains(t.quick, a.target.Name) && t.rescue == nil {
			t.quick = append(t.quick, a.target.Name)
			t.repeat, t.why = a.target, journal.QuickRetry
			return x.mayTry(c)
		}
	case largerWindow:
		x.larger(a)
	}
	t.why = journal.Failover
	if t.rescue != nil {
		t.why = journal.RescueTry
	}
	return x.mayTry(c)
}

// mayTry tells whether another attempt is within the bounds of the request and
// of the gateway.
func (x *exchange) mayTry(c *cause) bool {
	t := &x.tried
	if c.maybe {
		t.duplicates++
	}
	switch {
	case t.counted >= x.site.Attempts, t.duplicates > x.site.Duplicates, x.spent():
		return false
	case !x.plant.retries.Retry(time.Now()):
		x.record.RetryBudgetSpent = true
		return false
	}
	x.record.DuplicateRisk = t.duplicates
	return true
}

// spent tells whether the time for attempts is over.
func (x *exchange) spent() bool {
	return x.site.Budget > 0 && time.Since(x.tried.since) >= x.site.Budget
}

// last tells whether no other attempt can follow the next one.
func (x *exchange) last() bool {
	t := &x.tried
	return t.counted+1 >= x.site.Attempts || t.duplicates >= x.site.Duplicates && t.duplicates > 0
}

// larger has only targets asked whose window is larger than the one that was
// too small.
func (x *exchange) larger(a *attempt) {
	than := x.ask.InputTokens
	if i := slices.Index(x.site.targets, a.target); i >= 0 {
		than = x.site.Plan.Targets[i].Context.Or(than)
	}
	x.ask.LargerThan = max(x.ask.LargerThan, than)
}

// next begins an attempt at the target that the router puts first; nil if there
// is none.
func (x *exchange) next() *attempt {
	for range 1 + 2*len(x.site.targets) { // a target may go out of use between plan and begin
		now := time.Now()
		c, t := x.choose(now)
		if t == nil {
			return nil
		}
		ticket, ok := x.server.fleet.Begin(c, now)
		if !ok {
			x.tried.repeat = nil
			continue
		}
		x.tried.counted++
		a := &attempt{exchange: x, target: t, candidate: *c, ticket: ticket, why: x.tried.why}
		a.candidate.Limits.FirstOutput = x.patience(c, now)
		return a
	}
	return nil
}

// patience is how long the first output of an attempt is waited for.
func (x *exchange) patience(c *route.Candidate, now time.Time) time.Duration {
	d := c.Limits.FirstOutput
	if x.last() {
		d = c.Grace
	}
	if x.site.Budget > 0 {
		if left := max(x.site.Budget-now.Sub(x.tried.since), 1); d == 0 || left < d {
			return left
		}
	}
	return d
}

// choose is the target to ask: the one to be asked again, else the plan's first.
func (x *exchange) choose(now time.Time) (*route.Candidate, *target) {
	if t := x.tried.repeat; t != nil {
		for i := range x.plan.Candidates {
			if c := &x.plan.Candidates[i]; c.Target == t.Name {
				return c, t
			}
		}
	}
	x.server.fleet.Plan(x.site.Plan, &x.ask, now, &x.plan)
	if len(x.record.Attempts) == 0 {
		x.planned()
	}
	for i := range x.plan.Candidates {
		c := &x.plan.Candidates[i]
		if t := x.site.target(c.Target); t != nil && x.canTry(t) {
			return c, t
		}
	}
	return nil, nil
}

// canTry tells whether an attempt at the target can be what is to be done next:
// a rescue has wishes of its own.
func (x *exchange) canTry(t *target) bool { return x.tried.rescue == nil || x.tried.rescue.suits(x, t) }

func (s *site) target(name string) *target {
	for _, t := range s.targets {
		if t.Name == name {
			return t
		}
	}
	return nil
}
