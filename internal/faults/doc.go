// Package faults is the fault wall: a provider that misbehaves by the name of
// the model it is asked for, a driver that asks an endpoint for each fault, and
// the scorecard of what came of it.
//
// What lives here: the catalogue, one unit a fault (what goes wrong on the
// provider's side, what the driver asks, how what both sides saw is judged);
// [Wall], which serves it and keeps a bounded log; [Run], which drives and
// judges. What may not: making connections (the driver's RoundTripper is passed
// in), listening, flags, or knowing any gateway: a verdict follows from what the
// caller and the provider saw and from nothing else.
package faults
