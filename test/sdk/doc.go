// Package sdk holds the simulator, the meter and the gateway against clients
// that we did not write: the official OpenAI and Anthropic clients for Node and
// Go, and Vercel's AI SDK.
//
// What lives here: what such a client's caller gets from each stream form of
// `weir sim` (check.mjs runs those for Node), what the meter sees under one, and
// the drivers for Node (callers.mjs) and Go of package test/callers, which says
// what comes of a call through `weir gateway`. What may not: anything that a
// test of the main module can say as well.
package sdk
