// Package soak runs `weir gateway` as a process for as long as it is told, onto
// providers that fail in every way they can, and compares every answer with the
// one that was to come.
//
// What lives here: providers whose answer is a function of the request, callers
// that know it, too, and what a process uses of the machine. What may not: a
// figure of speed (test/perf), or what a test in virtual time can say as well
// (internal/gateway).
//
// Linux only: what a process uses is read from /proc.
package soak
