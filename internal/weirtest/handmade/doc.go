// Package handmade has runs with figures that can be worked out by hand, for the
// tests of the packages that judge, show and keep runs. Each call makes its run
// anew, so that a test may change it.
//
// What lives here: runs, sweeps, samples and traces. What may not: assertions, or
// anything that the product imports.
package handmade
