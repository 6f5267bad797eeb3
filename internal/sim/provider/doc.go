// Package provider plays a simulated provider in real time: engines in virtual
// time, driven by a clock, behind a network, a prompt cache, limits, other
// customers and a schedule of faults.
//
// What lives here: a [Provider] and its [Answer]s, which say how many tokens are
// due when. What may not: HTTP, dialects, texts; package sim writes them. The
// metrics are here, under the names of vLLM, because the engines are.
//
// Three clocks meet. Wall time is the injected clock's. The provider's time runs
// Speed times as fast, from 0 at the start. The engines' time is the provider's
// while nothing is wrong, and slower while a fault says so. All that is told is
// in the provider's time, but for the instants that a handler waits for.
package provider
