// Package report joins measuring and judging by values: a [Run] is what was
// measured, [Summarise] turns it into the figures of METRICS.md, a [Sweep] is
// several Summaries of the same work at several loads, a [Comparison] several runs
// beside each other. [Terminal], [Markdown], [CSV] and JSON show each of them.
//
// How a number or a sentence is put is here alone (numbers.go, and the methods of
// Summary and Sweep that give text), so that the HTML page says what the terminal
// does. What may not live here: sending anything, statistics of its own, files
// (package stored keeps runs), or HTML (package page).
package report
