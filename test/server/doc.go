// Package server starts the servers that tests of this module measure: weir sim,
// weir gateway and a real inference engine, each a process of its own on a free
// loopback port.
//
// What may not live here: clients, and what they measure.
package server
