// Package sim is simulated providers behind HTTP: targets of known truth. There
// are two kinds. A model with a [Plan] answers OpenAI chat and Anthropic messages
// requests to the nanosecond of the plan where the clock allows;
// [Server.Schedule] and the handler read the same schedule, so what a client
// measures can be held against it. A provider of package cast is an engine that
// package provider drives; its answers come in every dialect that package
// request writes, with what is true of them in a header or trailer.
//
// What lives here: plans, the schedule that follows from a plan and a seed,
// routes, and writing both kinds of answers. What may not: listening on a
// socket, flags, reading responses, physics and schedulers, or anything random
// that the seed does not decide.
package sim
