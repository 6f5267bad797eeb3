// Package stats is the arithmetic of runs: quantiles and rates of what was
// measured, with what is unknown kept in view. It is pure: values in, values
// out. What a figure means stands in METRICS.md; how it is shown is package
// report's business.
package stats
