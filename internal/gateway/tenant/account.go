package tenant

import (
	"sync"
	"time"

	"weir.dev/weir"
)

// account holds the counters of one key. Its mutex makes a reservation one step:
// what is taken is taken from every limit, or from none.
type account struct {
	mu       sync.Mutex
	requests bucket
	tokens   bucket
	purse    purse
}

func newAccount(k Key) *account {
	return &account{requests: bucket{perMinute: k.RPM}, tokens: bucket{perMinute: k.TPM}, purse: newPurse(k.Budget)}
}

// resize goes on under the limits of another account.
func (a *account) resize(to *account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests.perMinute = to.requests.perMinute
	a.tokens.perMinute = to.tokens.perMinute
	a.purse.resize(to.purse)
}

// Hold is what one call has reserved. It is settled or refunded once: whichever
// comes first takes effect, and nothing after it. The zero value holds nothing.
// It is not to be copied once it is in use.
type Hold struct {
	account *account
	tokens  int
	cost    nanoUSD
	closed  bool
}

// Reserve lets a call in, with the tokens (prompt and answer) and the USD that it
// is expected to take at most, or says why not. Calls side by side cannot take
// more than there is: what they are expected to take is gone at once. What they
// take beyond that shows when they are settled, as a debt.
//
// A key with a budget needs an expected cost, even if it is 0: what a call costs
// that nobody can price, no budget bounds.
func (t *Tenant) Reserve(now time.Time, tokens int, usd weir.Opt[float64]) (Hold, *Refusal) {
	a := t.account
	a.mu.Lock()
	defer a.mu.Unlock()
	tokens = max(0, tokens)
	cost := nanos(usd.Or(0))
	if r := a.refuse(now, tokens, usd, cost); r != nil {
		return Hold{}, r
	}
	a.requests.take(1, now)
	a.tokens.take(tokens, now)
	a.purse.held += cost
	return Hold{account: a, tokens: tokens, cost: cost}, nil
}

// Settle replaces what was expected by what the call took. An unknown cost, and
// a negative count of tokens, leave it at what was expected.
func (h *Hold) Settle(now time.Time, tokens int, usd weir.Opt[float64]) {
	h.end(func(a *account) {
		switch more := tokens - h.tokens; { // the difference alone: what was taken has been filling again since
		case tokens < 0:
		case more > 0:
			a.tokens.take(more, now)
		default:
			a.tokens.give(-more)
		}
		cost := h.cost
		if v, known := usd.Get(); known {
			cost = nanos(v)
		}
		a.purse.turn(now)
		a.purse.spent += cost
	})
}

// Refund gives everything back: the call was refused before it reached a target.
func (h *Hold) Refund() {
	h.end(func(a *account) {
		a.requests.give(1)
		a.tokens.give(h.tokens)
	})
}

func (h *Hold) end(with func(*account)) {
	if h.account == nil {
		return
	}
	h.account.mu.Lock()
	defer h.account.mu.Unlock()
	if h.closed {
		return
	}
	h.closed = true
	h.account.purse.held -= h.cost
	with(h.account)
}

// Level is what is left of a key's limits; a limit that it does not have is
// empty.
type Level struct {
	Requests weir.Opt[int]       `json:"requests_left"` // at once
	Tokens   weir.Opt[int]       `json:"tokens_left"`   // at once
	Budget   weir.Opt[Budget]    `json:"budget"`
	Spent    weir.Opt[float64]   `json:"spent_usd"` // in this period
	Held     weir.Opt[float64]   `json:"held_usd"`  // for calls under way
	Resets   weir.Opt[time.Time] `json:"resets_at"`
}

// Level tells how a key stands.
func (t *Tenant) Level(now time.Time) Level {
	a := t.account
	a.mu.Lock()
	defer a.mu.Unlock()
	var l Level
	if a.requests.perMinute > 0 {
		l.Requests = weir.Some(a.requests.left(now))
	}
	if a.tokens.perMinute > 0 {
		l.Tokens = weir.Some(a.tokens.left(now))
	}
	if a.purse.budget.Known() {
		a.purse.turn(now)
		l.Budget, l.Spent, l.Held = a.purse.budget, weir.Some(a.purse.spent.usd()), weir.Some(a.purse.held.usd())
		l.Resets = weir.Some(a.purse.until)
	}
	return l
}
