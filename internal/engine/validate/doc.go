// Package validate holds the engine simulator against published benchmarks: it
// reads tables of figures that others measured, simulates each, and says how far
// off the simulation is.
//
// What lives here: the form of such tables, the project's own one (embedded,
// each row with its source), and how each kind of figure was measured. What may
// not: physics, or anything that makes one row come out better than its
// hardware, model and engine say.
package validate
