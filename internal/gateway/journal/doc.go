// Package journal keeps what became of each request of the gateway: the record
// with its trail of attempts, the latest of them by id, and a file of them all.
//
// What lives here: the record and its JSON, the bounds of what it may hold, and
// a log that never makes a request wait. What may not: prompts, answers, keys or
// headers (there is no field for them), metrics, HTTP, or judging an attempt.
package journal
