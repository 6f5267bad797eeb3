// Package report joins measuring and judging by values and files: a Run is what
// was measured, Summarise turns it into the figures of METRICS.md, the writers
// show them (terminal, JSON, HTML), and Folder keeps a run with its raw traces so
// that it can be judged again. A Sweep is several Summaries, of the same work at
// several loads.
//
// What may not live here: sending anything, or statistics of its own.
package report
