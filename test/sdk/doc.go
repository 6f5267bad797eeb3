// Package sdk holds the simulator and the meter against clients that we did not
// write: the official OpenAI and Anthropic clients for Node (check.mjs runs
// them) and OpenAI's client for Go.
//
// What lives here: what such a client's caller gets from each stream form of
// `weir sim`, and what the meter sees under one. What may not: anything that a
// test of the main module can say as well.
package sdk
