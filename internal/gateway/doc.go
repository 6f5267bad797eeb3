// Package gateway forwards a request to one of a route's targets, watches the
// answer go by, and decides three things: which target, when to give up on it,
// and what to do then. It never writes a body anew that it does not have to
// translate.
//
// What lives here, in the order of a request: ingress (key, body, route), race
// (attempts one after another until one has an answer), attempt (one target:
// its request, its clocks at the upstream socket, what is held back until the
// first output), relay (what goes down to the caller), rescue (a stream that
// broke off goes on with another target), drain (the end of the process).
//
// What may not: which target is best and for how long one is out of use
// (package route), how an answer is read (package dialect, by way of meter),
// how one dialect becomes another (package translate), keys of providers
// (package catalog, below meter), and listening.
//
// A request is served by the goroutine that net/http gave it; a stream has no
// other. What has to happen while it waits for its target happens in timers.
package gateway
