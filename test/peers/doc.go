// Command peers runs other benchmark tools, and weir bench, with the same load
// against streams of known truth (weir sim) and against a real engine, and sets
// each tool's own figures side by side.
//
// What lives here: how each tool is called, the table, and the rates out of their
// files. What may not: reading the rest of their files, which is
// internal/imports', what their figures mean, which is internal/reconcile's, or
// any figure of theirs that they did not print.
package main
