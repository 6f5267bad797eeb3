// Package telemetry tells Prometheus what the gateway does: counts and times
// taken from the records of package journal, and a few states that are looked up
// when they are read.
//
// What lives here: the metrics, their names and buckets, and the handler that
// serves them. What may not: a name that a caller sent, as a label; secrets; or
// judging an outcome. docs/gateway-metrics.md lists every metric, and a test
// holds the two together.
package telemetry
