// Package tenant knows who may use the gateway, and how much of it: virtual
// keys, their routes, requests and tokens a minute, and a budget in USD.
//
// What lives here: keys by the SHA-256 of their secret, how a secret is made,
// and the counters, which one call takes from all at once or from none. What
// may not: a secret after [Gate.Who] has looked at it, clocks (the time is an
// argument), sockets, or the words in which HTTP refuses.
//
// Counters are in memory: they go on over a reload ([Gate.Keep]) and begin anew
// with the process.
package tenant
