// Package stats is the arithmetic of runs: quantiles, rates and differences of
// what was measured, with what is unknown and what is doubtful kept in view. It
// is pure: values in, values out; what is drawn at random is drawn from a
// generator that the caller seeds. What a figure means stands in METRICS.md, why
// each method was chosen and how it was tried in docs/statistics.md; how it is
// shown is package report's business, and what a request had to keep to is
// weir.SLO.
package stats
