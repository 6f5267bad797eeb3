// Package ablate says which differences between two deployments make how much
// of the difference between their latencies: the hardware, the batching, the
// memory, the precision, and so on.
//
// What lives here: the dimensions in which deployments differ and how they are
// written, Shapley values over the orders in which one becomes the other. What
// may not: how a load is simulated (package plan), physics, flags.
package ablate
