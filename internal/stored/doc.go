// Package stored keeps runs and sweeps in folders, and reads them back. It writes
// each trace as it ends; it reads what is whole, and says what was lost. What it
// cannot judge by the same definitions it refuses, and so it does runs of
// different work that are to stand beside each other or to be merged.
//
// What lives here: all that is known of the form of a folder. What may not: figures
// (package report has them), the HTML page (its writer is passed in), or changing
// what a run has kept, but to go on with it.
package stored
