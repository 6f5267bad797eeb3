// Package imports reads the result files of other benchmarks: vLLM's bench
// serve, GuideLLM, AIPerf. It keeps their values under their definitions and
// says which those are; what a file does not hold stays empty.
//
// What may not live here: figures of our own, comparing (package reconcile), or
// filling a gap.
package imports
