package tenant_test

import (
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/tenant"
)

// thursday is a day of a week, a month and a year that all end on different days.
var thursday = time.Date(2026, 12, 3, 22, 0, 0, 0, time.UTC)

func only(k tenant.Key) *tenant.Tenant { return tenant.New([]tenant.Key{k}).Tenants()[0] }

func budget(usd float64, per tenant.Period) tenant.Key {
	return tenant.Key{Name: "k", Budget: weir.Some(tenant.Budget{USD: usd, Per: per})}
}

var free = weir.Some(0.0)

// refused expects a refusal by a limit, and when to come back; less than 0 is
// never.
func refused(t *testing.T, r *tenant.Refusal, l tenant.Limit, wait time.Duration) {
	t.Helper()
	switch {
	case r == nil:
		t.Errorf("let in, want a refusal by %s", l)
	case r.Limit != l || r.RetryAfter.Or(-1) != wait:
		t.Errorf("refused by %s for %v, want %s for %v", r.Limit, r.RetryAfter, l, wait)
	}
}

func admitted(t *testing.T, h tenant.Hold, r *tenant.Refusal) *tenant.Hold {
	t.Helper()
	if r != nil {
		t.Errorf("refused: %v", r.Err())
	}
	return &h
}

func TestRequestsAMinute(t *testing.T) {
	who, now := only(tenant.Key{RPM: 60}), thursday
	for range 60 {
		h, r := who.Reserve(now, 0, free)
		admitted(t, h, r)
	}
	_, r := who.Reserve(now, 0, free)
	refused(t, r, tenant.RPM, time.Second)
	_, r = who.Reserve(now.Add(time.Second-1), 0, free)
	refused(t, r, tenant.RPM, 1)
	h, r := who.Reserve(now.Add(time.Second), 0, free)
	last := admitted(t, h, r)
	_, r = who.Reserve(now.Add(time.Second), 0, free)
	refused(t, r, tenant.RPM, time.Second)

	last.Refund()
	h, r = who.Reserve(now.Add(time.Second), 0, free)
	admitted(t, h, r)
}

func TestTokensAMinute(t *testing.T) {
	who, now := only(tenant.Key{TPM: 600}), thursday
	_, r := who.Reserve(now, 601, free)
	refused(t, r, tenant.TPM, -1)
	h, r := who.Reserve(now, 500, free)
	first := admitted(t, h, r)
	_, r = who.Reserve(now, 300, free)
	refused(t, r, tenant.TPM, 20*time.Second)

	first.Settle(now, 100, free)
	h, r = who.Reserve(now, 300, free)
	second := admitted(t, h, r)

	second.Settle(now, 1500, free) // 400 + 1200 used, of 600
	_, r = who.Reserve(now, 1, free)
	refused(t, r, tenant.TPM, 100*time.Second+100*time.Millisecond)
	if left := who.Level(now).Tokens.Or(-1); left != 0 {
		t.Errorf("%d tokens left of a debt", left)
	}
}

// What a call took has been filling again while it was under way: settling it
// as expected takes nothing more.
func TestSettlingLateTakesNothingTwice(t *testing.T) {
	who, now := only(tenant.Key{TPM: 600}), thursday
	h, r := who.Reserve(now, 600, free)
	hold := admitted(t, h, r)
	now = now.Add(time.Minute)
	hold.Settle(now, 600, free)
	if left := who.Level(now).Tokens.Or(-1); left != 600 {
		t.Errorf("%d tokens left, want all", left)
	}
}

func TestBudgetPeriods(t *testing.T) {
	for per, want := range map[tenant.Period]time.Time{
		tenant.Day:   time.Date(2026, 12, 4, 0, 0, 0, 0, time.UTC),
		tenant.Week:  time.Date(2026, 12, 7, 0, 0, 0, 0, time.UTC),
		tenant.Month: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		local := thursday.In(time.FixedZone("ahead", 9*3600)) // where it is Friday
		who := only(budget(50, per))
		h, r := who.Reserve(local, 0, weir.Some(50.0))
		admitted(t, h, r).Settle(local, 0, weir.Some(50.0))
		_, r = who.Reserve(local, 0, weir.Some(0.01))
		refused(t, r, tenant.Spend, want.Sub(thursday))
		h, r = who.Reserve(want, 0, weir.Some(50.0))
		admitted(t, h, r)
	}
	sunday := time.Date(2026, 12, 6, 23, 59, 59, 0, time.UTC)
	who := only(budget(50, tenant.Week))
	if ends := who.Level(sunday).Resets.Or(time.Time{}); ends.Sub(sunday) != time.Second {
		t.Errorf("the week of %v ends at %v", sunday, ends)
	}
}

func TestBudget(t *testing.T) {
	who, now, midnight := only(budget(1, tenant.Day)), thursday, 2*time.Hour
	_, r := who.Reserve(now, 0, weir.None[float64]())
	refused(t, r, tenant.NoPrice, -1)
	_, r = who.Reserve(now, 0, weir.Some(1.000000001))
	refused(t, r, tenant.Spend, -1)
	h, r := who.Reserve(now, 0, weir.Some(0.6))
	hold := admitted(t, h, r)
	_, r = who.Reserve(now, 0, weir.Some(0.6))
	refused(t, r, tenant.Spend, time.Second)
	if !strings.Contains(r.Message, "1usd/day") || !strings.Contains(r.Message, "calls under way hold 0.6 USD") {
		t.Errorf("it says %q", r.Message)
	}

	hold.Settle(now, 0, weir.None[float64]()) // unknown: as expected
	_, r = who.Reserve(now, 0, weir.Some(0.6))
	refused(t, r, tenant.Spend, midnight)
	h, r = who.Reserve(now, 0, weir.Some(0.4))
	hold = admitted(t, h, r)
	hold.Settle(now, 0, weir.Some(0.7))
	if l := who.Level(now); l.Spent.Or(-1) != 1.3 || l.Held.Or(-1) != 0 {
		t.Errorf("%+v", l)
	}
	_, r = who.Reserve(now, 0, free)
	refused(t, r, tenant.Spend, midnight)
}

// A call that is under way over midnight costs the day in which it is settled;
// a straggler with yesterday's time does not bring yesterday back.
func TestBudgetOverMidnight(t *testing.T) {
	who, late, early := only(budget(1, tenant.Day)), thursday.Add(2*time.Hour-1), thursday.Add(2*time.Hour)
	h, r := who.Reserve(late, 0, weir.Some(0.9))
	hold := admitted(t, h, r)
	_, r = who.Reserve(early, 0, weir.Some(0.2))
	refused(t, r, tenant.Spend, time.Second)
	hold.Settle(early, 0, weir.Some(0.9))
	_, r = who.Reserve(late, 0, weir.Some(0.2))
	refused(t, r, tenant.Spend, 24*time.Hour+1)
}

// Of several limits the one is named that takes longest, so that who waits as
// long as was said is let in.
func TestTheLongestLimitIsNamed(t *testing.T) {
	k := budget(1, tenant.Day)
	k.RPM, k.TPM = 1, 60
	who := only(k)
	h, r := who.Reserve(thursday, 30, weir.Some(1.0))
	hold := admitted(t, h, r)
	_, r = who.Reserve(thursday, 40, weir.Some(1.0))
	refused(t, r, tenant.RPM, time.Minute)
	hold.Settle(thursday, 30, weir.Some(1.0))
	_, r = who.Reserve(thursday, 40, weir.Some(1.0))
	refused(t, r, tenant.Spend, 2*time.Hour)
	_, r = who.Reserve(thursday, 61, weir.Some(1.0))
	refused(t, r, tenant.TPM, -1)
}

func TestRefusalsTakeNothing(t *testing.T) {
	k := budget(1, tenant.Day)
	k.RPM, k.TPM = 10, 100
	who := only(k)
	for range 100 {
		who.Reserve(thursday, 101, weir.Some(0.5))
		who.Reserve(thursday, 50, weir.Some(2.0))
	}
	if l := who.Level(thursday); l.Requests.Or(0) != 10 || l.Tokens.Or(0) != 100 || l.Held.Or(-1) != 0 {
		t.Errorf("%+v", l)
	}
}

// Whatever calls do, nothing is lost or made up: what is held is of the calls
// under way, what is spent of those that are over, and who waits as long as a
// refusal says is let in.
func TestReservationsAddUp(t *testing.T) {
	type open struct {
		hold *tenant.Hold
		cost int
	}
	rapid.Check(t, func(t *rapid.T) {
		k := budget(0.01, tenant.Day)
		k.RPM, k.TPM = rapid.IntRange(1, 100).Draw(t, "rpm"), rapid.IntRange(1, 10_000).Draw(t, "tpm")
		who, now := only(k), thursday.Add(-20*time.Hour)
		micro := func(n int) weir.Opt[float64] { return weir.Some(float64(n) / 1e6) }
		var calls []open
		held, spent := 0, 0
		later := func(d time.Duration) {
			if then := now.Add(d); then.Day() != now.Day() {
				now, spent = then, 0
			} else {
				now = then
			}
		}
		reserve := func() {
			tokens, cost := rapid.IntRange(0, 12_000).Draw(t, "tokens"), rapid.IntRange(0, 11_000).Draw(t, "cost")
			h, r := who.Reserve(now, tokens, micro(cost))
			if r != nil && r.RetryAfter.Known() && r.Limit != tenant.Spend {
				later(r.RetryAfter.Or(0))
				h, r = who.Reserve(now, tokens, micro(cost))
				if r != nil && r.Limit != tenant.Spend {
					t.Fatalf("waited, and refused again: %v", r.Err())
				}
			}
			if r != nil {
				return
			}
			calls, held = append(calls, open{&h, cost}), held+cost
			if spent+held > 10_000 {
				t.Fatalf("%d spent and %d held of 10,000", spent, held)
			}
		}
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			later(time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "later")))
			i := rapid.IntRange(-2, len(calls)-1).Draw(t, "call")
			if i < 0 {
				reserve()
				continue
			}
			c := calls[i]
			calls = append(calls[:i:i], calls[i+1:]...)
			held -= c.cost
			if rapid.Bool().Draw(t, "refund") {
				c.hold.Refund()
			} else {
				cost := rapid.IntRange(0, 2*c.cost).Draw(t, "actual")
				c.hold.Settle(now, rapid.IntRange(-1, 20_000).Draw(t, "used"), micro(cost))
				spent += cost
			}
			c.hold.Settle(now, 1e9, weir.Some(1e9))
			c.hold.Refund()
		}
		l := who.Level(now)
		if got := int(l.Held.Or(-1)*1e6 + 0.5); got != held {
			t.Fatalf("%d held, want %d", got, held)
		}
		if got := int(l.Spent.Or(-1)*1e6 + 0.5); got != spent {
			t.Fatalf("%d spent, want %d", got, spent)
		}
	})
}

// However many calls come at once, a key spends no more than its budget, and all
// of it.
func TestParallelCallsCannotBypassABudget(t *testing.T) {
	k := budget(1, tenant.Day)
	k.TPM = 1_000_000
	who := only(k)
	var in, spent atomic.Int64 // calls; cents
	var calls sync.WaitGroup
	for i := range 64 {
		rnd := rand.New(rand.NewPCG(1, uint64(i)))
		calls.Go(func() {
			for range 50 {
				h, r := who.Reserve(thursday, 100, weir.Some(0.05))
				if r != nil {
					continue
				}
				in.Add(1)
				cents := rnd.Int64N(6)
				var ends sync.WaitGroup
				for range 2 { // of two ends at once, one counts
					ends.Go(func() { h.Settle(thursday, 100, weir.Some(float64(cents)/100)) })
				}
				ends.Wait()
				spent.Add(cents)
				if s := who.Level(thursday); s.Spent.Or(0)+s.Held.Or(0) > 1 {
					t.Errorf("%v spent and %v held of 1 USD", s.Spent, s.Held)
				}
			}
		})
	}
	calls.Wait()
	l := who.Level(thursday)
	if got := int64(l.Spent.Or(0)*100 + 0.5); got != spent.Load() || got < 96 || got > 100 || l.Held.Or(-1) != 0 {
		t.Errorf("%d cents spent by %d calls, want %d", got, in.Load(), spent.Load())
	}
	if used := 1_000_000 - l.Tokens.Or(0); int64(used) != in.Load()*100 {
		t.Errorf("%d tokens used by %d calls", used, in.Load())
	}
}

func TestKeepAfterAReload(t *testing.T) {
	old := tenant.New([]tenant.Key{limited("same", "one", 10), limited("rotated", "two", 10), limited("renamed", "three", 10), limited("gone", "four", 10)})
	holds := map[string]*tenant.Hold{}
	for _, who := range old.Tenants() {
		h, r := who.Reserve(thursday, 0, weir.Some(4.0))
		holds[who.Name()] = admitted(t, h, r)
	}
	reloaded := tenant.New([]tenant.Key{limited("same", "one", 20), limited("rotated", "other", 10), limited("new name", "three", 10), limited("new", "five", 10)})
	reloaded.Keep(old)
	for _, h := range holds {
		h.Settle(thursday, 0, weir.Some(5.0))
	}
	for secret, want := range map[string][2]float64{"one": {5, 15}, "other": {5, 5}, "three": {5, 5}, "five": {0, 10}} {
		who, _ := reloaded.Who(secret)
		if spent := who.Level(thursday).Spent.Or(-1); spent != want[0] {
			t.Errorf("%v: %g USD spent, want %g", who, spent, want[0])
		}
		h, r := who.Reserve(thursday, 0, weir.Some(want[1]))
		admitted(t, h, r)
		if _, r := who.Reserve(thursday, 0, weir.Some(0.01)); r == nil {
			t.Errorf("%v: more than %g USD are left", who, want[1])
		}
	}
	if _, ok := reloaded.Who("two"); ok {
		t.Error("the old secret of a key that has a new one still lets in")
	}

	monthly := tenant.New([]tenant.Key{{Name: "same", SHA256: limited("same", "one", 0).SHA256, Budget: weir.Some(tenant.Budget{USD: 9, Per: tenant.Month})}})
	monthly.Keep(reloaded)
	if l := monthly.Tenants()[0].Level(thursday); l.Spent.Or(-1) != 0 || l.Held.Or(-1) != 15 {
		t.Errorf("in another period: %+v", l)
	}
}

func limited(name, secret string, usd float64) tenant.Key {
	k := key(name, secret)
	k.Budget = weir.Some(tenant.Budget{USD: usd, Per: tenant.Day})
	return k
}

func TestRefusalsForPeople(t *testing.T) {
	who := only(tenant.Key{RPM: 2})
	who.Reserve(thursday, 0, free)
	who.Reserve(thursday, 0, free)
	_, r := who.Reserve(thursday, 0, free)
	if got, want := r.Err().Error(), "the key may take 2 requests a minute, and they are used up (try again in 30s)"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
