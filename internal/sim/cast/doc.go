// Package cast describes simulated providers: what each runs and how it is
// reached, read from YAML, and presets.
//
// What lives here: a [Personality], reading and checking it, the presets. What
// may not: clocks, goroutines, HTTP; package provider plays the part.
//
// The format: docs/sim.md. [Parse] says what is wrong where, with line and column.
package cast
