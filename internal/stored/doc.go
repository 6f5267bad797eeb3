// Package stored reads back what package report kept: the folder of a run or of
// a sweep. It takes what is whole and says what was lost. What it cannot judge
// by the same definitions it refuses.
//
// What may not live here: figures (package report has them), or changing a
// folder.
package stored
