// Package plan answers what a deployment would give under a load: percentiles
// of what its users wait, how much of the load it carries, how much more it
// could within an SLO, what that costs, and what binds. Everything is simulated
// by package engine, in virtual time, several times with different seeds.
//
// What lives here: how a load is sent and its steady part cut out, figures over
// seeds with their intervals, the search for the limit, costs, the explanation
// of a step. What may not: clocks, files, HTTP, physics, flags.
//
// How each figure is defined: docs/plan.md.
package plan
