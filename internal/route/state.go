package route

import (
	"sync"
	"time"

	"weir.dev/weir"
)

// state is what is known of one target.
type state struct {
	fleet *Fleet
	name  string

	mu         sync.Mutex
	set        HealthSettings
	credential string
	inFlight   int
	breaker    breaker
	cool       time.Time // a rate limit's end
	outcomes   window
	wholes     track // time to a whole answer, over the prompt's length
	streams    track // time to first output
	decode     track // seconds per token
	totals     weir.HealthTotals
}

func newState(f *Fleet, name string) *state {
	s := &state{fleet: f, name: name, set: HealthSettings{}.filled()}
	s.wholes.learns, s.streams.learns = true, true
	s.decode.fit = line{base: 1}
	return s
}

// configure takes a target's settings. A new key is not held to what the old one
// did.
func (s *state) configure(t *Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := t.Health.filled()
	if set.Window != s.set.Window {
		s.outcomes = window{}
	}
	s.set = set
	if t.Credential == s.credential {
		return
	}
	if why := s.breaker.reason; why == BadKey || why == OutOfQuota {
		s.breaker = breaker{gen: s.breaker.gen + 1}
	}
	s.credential = t.Credential
}

// away says why a target is out of use and until when, or that the next request
// is its probe.
func (s *state) away(now time.Time) (why Reason, until time.Time, probe bool) {
	phase, cooling := s.breaker.phase(now), now.Before(s.cool)
	switch {
	case phase == weir.HealthOpen && s.breaker.reason != Open:
		return s.breaker.reason, s.breaker.until, false
	case cooling && phase == weir.HealthOpen && s.breaker.until.After(s.cool):
		return CoolingDown, s.breaker.until, false
	case cooling:
		return CoolingDown, s.cool, false
	case phase == weir.HealthOpen:
		return Open, s.breaker.until, false
	case phase == weir.HealthHalfOpen && !s.breaker.probing:
		return "", time.Time{}, true
	case phase == weir.HealthHalfOpen && s.breaker.reason == Open:
		return ProbeRunning, time.Time{}, false
	case phase == weir.HealthHalfOpen:
		return s.breaker.reason, time.Time{}, false
	}
	return "", time.Time{}, false
}

func (s *state) lookAway(now time.Time) (why Reason, until time.Time, probe bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.away(now)
}

// mayForce tells of what a target is in spite of a last resort.
func mayForce(why Reason) bool { return why == "" || why == Open || why == ProbeRunning }

func (s *state) begin(forced bool, now time.Time) (*Ticket, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	why, _, probe := s.away(now)
	if why != "" && !(forced && mayForce(why)) {
		return nil, false
	}
	s.inFlight++
	if probe {
		s.breaker.probing = true
	}
	return &Ticket{at: s, began: now, gen: s.breaker.gen, probe: probe}, true
}

func (s *state) end(t *Ticket, r *Report, now time.Time) {
	effect := Weigh(r.Outcome, r.ErrorType, r.Status)
	if r.Neutral {
		effect = Neutral
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	s.learn(r, effect, now)
	s.count(effect)
	if effect == CoolDown {
		wait := min(max(r.RetryAfter.Or(0), s.set.CoolMin), s.set.CoolMax)
		if end := now.Add(wait); end.After(s.cool) {
			s.cool = end
		}
	}
	if t.gen == s.breaker.gen {
		s.judge(t, effect, r, now)
	}
}

// judge moves the breaker by an attempt of its generation.
func (s *state) judge(t *Ticket, effect Effect, r *Report, now time.Time) {
	b := &s.breaker
	if t.probe {
		b.probing = false
	}
	switch effect {
	case Quota, Key:
		why, wait := BadKey, s.set.Recheck
		if effect == Quota {
			why = OutOfQuota
			if asked, ok := r.RetryAfter.Get(); ok {
				wait = min(max(asked, s.set.CoolMin), s.set.Recheck)
			}
		}
		if b.reason == "" || t.probe {
			b.open(why, wait, now)
		}
	case Success:
		if b.reason != "" {
			b.close(now)
			s.outcomes = window{}
		}
		b.succeed(t.began)
		s.outcomes.add(true, s.set.Window, now)
	case Failure:
		s.fail(t, now)
	}
}

func (s *state) fail(t *Ticket, now time.Time) {
	b := &s.breaker
	switch {
	case t.probe:
		b.trip(&s.set, s.fleet.draw(), now)
		return
	case b.reason != "": // a forced attempt: it is open already
		return
	}
	b.fail(t.began)
	s.outcomes.add(false, s.set.Window, now)
	seen := s.outcomes.sum(s.set.Window, now)
	n := seen.good + seen.bad
	row := s.set.Failures > 0 && b.row >= s.set.Failures
	rate := s.set.ErrorRate > 0 && n >= s.set.MinOutcomes && float64(seen.bad) >= s.set.ErrorRate*float64(n)
	if row || rate {
		b.trip(&s.set, s.fleet.draw(), now)
	}
}

func (s *state) count(e Effect) {
	switch e {
	case Success:
		s.totals.Success++
	case Failure:
		s.totals.Failure++
	case CoolDown:
		s.totals.CoolDown++
	case Quota, Key:
		s.totals.Out++
	case Neutral:
		s.totals.Neutral++
	}
}

// learn takes what an attempt measured. What failed is no sample, however fast
// it did; what was cut while waiting is one, of "at least".
func (s *state) learn(r *Report, effect Effect, now time.Time) {
	t := &s.wholes
	if r.Stream {
		t = &s.streams
	}
	k, good := float64(max(r.InputTokens, 0))/1000, effect == Success || effect == Neutral
	if d, ok := r.TTFT.Get(); ok {
		if good && d > 0 {
			t.add(sample{k: k, value: d.Duration().Seconds()}, s.set.HalfLife, now)
		}
	} else if d, ok := r.Censored.Get(); ok && d > 0 && r.Outcome.Censors() {
		t.add(sample{k: k, value: d.Duration().Seconds(), cut: true}, s.set.HalfLife, now)
	}
	if d, ok := r.TPOT.Get(); ok && good && d > 0 {
		s.decode.add(sample{value: d.Duration().Seconds()}, s.set.HalfLife, now)
	}
}
