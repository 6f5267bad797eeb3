// Package promptcache holds the rules by which providers keep the prompts they
// have seen: how long a prompt must be, at which of its tokens it may be cut,
// how long it is kept. The KV itself is package engine's; a rule says how much
// of it a request may use.
//
// What lives here: naming the beginnings of a prompt, rules and the memory they
// need, bounded. What may not: clocks, randomness, HTTP, or prices.
//
// Where the rules come from: docs/sim.md.
package promptcache
