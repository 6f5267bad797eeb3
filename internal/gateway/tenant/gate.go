package tenant

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"slices"
)

// maxSecret bounds what a caller can make the gateway hash.
const maxSecret = 512 // bytes

// Gate knows the keys of one configuration. It is safe for concurrent use; a
// new configuration gets a new one, which is told to [Gate.Keep] the counters
// of the old.
type Gate struct {
	hashes  [][32]byte
	tenants []*Tenant // in the order of hashes
	anyone  *Tenant   // where there are no keys
}

// Tenant is whoever holds one key.
type Tenant struct {
	name    string
	routes  []string
	account *account
}

// New makes a gate for these keys. Without any it is open to all, as one tenant
// without a name or limits. Names and hashes are unique, which the
// configuration sees to.
func New(keys []Key) *Gate {
	g := &Gate{}
	if len(keys) == 0 {
		g.anyone = &Tenant{account: newAccount(Key{})}
	}
	for _, k := range keys {
		g.hashes = append(g.hashes, k.SHA256)
		g.tenants = append(g.tenants, &Tenant{name: k.Name, routes: slices.Clone(k.Routes), account: newAccount(k)})
	}
	return g
}

// Open tells whether there are no keys, so that anyone may come in.
func (g *Gate) Open() bool { return g.anyone != nil }

// Who finds the tenant of a secret. How long that takes depends on the number
// of keys, not on which of them it is or on how much of a wrong secret is right.
func (g *Gate) Who(secret string) (*Tenant, bool) {
	if g.anyone != nil {
		return g.anyone, true
	}
	if secret == "" || len(secret) > maxSecret {
		return nil, false
	}
	var room [maxSecret]byte // on the stack, as a conversion would not be
	hash := sha256.Sum256(room[:copy(room[:], secret)])
	found := -1
	for i := range g.hashes {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(hash[:], g.hashes[i][:]), i, found)
	}
	if found < 0 {
		return nil, false
	}
	return g.tenants[found], true
}

// Keep takes over the counters of an older gate, before the first request: those
// of the key with the same hash, else of the one with the same name, whose
// secret was replaced. They go on under the new limits; of a rate it is the
// share in use that stays, and another period of the budget begins at 0. Holds
// of the old gate are settled with the new one.
func (g *Gate) Keep(from *Gate) {
	taken := make(map[*Tenant]bool)
	adopt := func(t, old *Tenant) {
		old.account.resize(t.account)
		t.account, taken[old] = old.account, true
	}
	var others []*Tenant
	for i, t := range g.tenants {
		if j := slices.Index(from.hashes, g.hashes[i]); j >= 0 {
			adopt(t, from.tenants[j])
			continue
		}
		others = append(others, t)
	}
	for _, t := range others {
		j := slices.IndexFunc(from.tenants, func(old *Tenant) bool { return old.name == t.name && !taken[old] })
		if j >= 0 {
			adopt(t, from.tenants[j])
		}
	}
}

// Tenants are those with a key, in the order of the configuration.
func (g *Gate) Tenants() []*Tenant { return slices.Clone(g.tenants) }

// Format implements fmt.Formatter for every verb.
func (g Gate) Format(w fmt.State, _ rune) { fmt.Fprintf(w, "gate of %d keys", len(g.tenants)) }

// Name is the key's; empty where the gate is open.
func (t *Tenant) Name() string { return t.name }

// May tells whether the key is good for a route.
func (t *Tenant) May(route string) bool {
	return len(t.routes) == 0 || slices.Contains(t.routes, route)
}

// TokensPerMinute is the key's limit; 0: it has none.
func (t *Tenant) TokensPerMinute() int { return t.account.tokens.perMinute }

// Format implements fmt.Formatter for every verb.
func (t Tenant) Format(w fmt.State, _ rune) { fmt.Fprint(w, "tenant "+t.name) }
