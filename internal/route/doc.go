// Package route decides which target a request goes to, how long to wait for
// it, and when a target is out of use.
//
// What lives here: what is known of each target (in flight, first output over
// prompt length, failures, cool-downs, breaker), the policies that order
// targets, the deadlines that follow, and the budget for retries. What may not:
// sockets, goroutines, globals, clocks (the time is an argument), or anything
// of HTTP but a status. A decision among ten candidates allocates nothing.
//
// The way of a request: [Fleet.Plan] gives candidates in order; [Fleet.Begin]
// counts the attempt and gives a [Ticket]; [Ticket.End] says how it ended, once
// the answer has ended too. Where Begin refuses, and for each further attempt,
// plan again with the targets tried in [Ask].Without; an empty plan that was
// not empty before is the end, and [AllOut] says what to answer.
package route
