// Package sse frames server-sent events, both ways: Reader turns bytes, split
// anywhere, into events, and the Append functions turn events into bytes.
// Lines does the same for newline-delimited JSON.
//
// Framing follows the WHATWG HTML standard, section 9.2 "Server-sent events",
// with two stated differences: a field named "error" that holds a JSON object
// is given out as an event (llama.cpp sends its errors so), and what is pending
// at the end of a body is offered to the caller instead of being dropped.
//
// What may not live here: meaning. What an event says is package dialect's
// business. Reading allocates nothing once its buffers have grown.
package sse
