// Package weir holds the words of Weir: the values that every other package
// speaks in. A Trace is the timed record of one call to a language model, an
// Outcome says how it ended, Usage counts its tokens and knows which counts
// were reported, a Target says who was called.
//
// What lives here: plain values and the arithmetic that defines them
// (METRICS.md, metrics version 1). What may not: I/O, goroutines, clocks,
// configuration, or any import outside the standard library. Anything that
// reads a network or a file belongs in a package of its own.
//
// Times are [time.Duration] and [time.Time] in memory and float64 milliseconds
// (names ending in _ms) in JSON. What was not measured is an empty [Opt] and
// null in JSON, never 0.
package weir

// MetricsVersion names the set of definitions in METRICS.md that the methods
// of Trace implement. Figures of different versions are never merged.
const MetricsVersion = 1
