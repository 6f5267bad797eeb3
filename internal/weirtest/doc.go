// Package weirtest holds what tests of several packages share: an in-memory
// network that works in testing/synctest bubbles, where real sockets hang.
//
// What lives here: fakes that are small and tested themselves. What may not:
// anything the product imports, assertions, or a mock of a package of ours.
package weirtest
