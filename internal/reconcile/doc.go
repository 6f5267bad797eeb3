// Package reconcile shows the ticks of a trace, or of a run, under other tools'
// definitions, and splits each difference from our own figure into named causes
// that add up to it exactly. It also lines a run of another tool (package
// imports) up with one of ours.
//
// It is pure: traces in, figures out. Each definition names the source it was
// read from (docs/reconciling.md).
//
// What may not live here: reading files, sending anything, or a metric of our
// own; those are the root package's.
package reconcile
