// Package sim is a simulated provider: an http.Handler that answers OpenAI chat
// and Anthropic messages requests by a [Plan] per model, to the nanosecond of
// the plan where its clock allows.
//
// What lives here: plans, the schedule that follows from a plan and a seed, and
// serving it. [Server.Schedule] and the handler read the same schedule, so what
// a client measures can be held against the truth. What may not: listening on a
// socket, flags, reading responses, or anything random that the seed does not
// decide.
package sim
