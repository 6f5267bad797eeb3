// Package request is the writing side of the dialects: requests to ask a model,
// and the events and bodies that answer one.
//
// What lives here: [Encode], which turns a [Spec] into the URL, headers and
// body of one dialect, and [URL] and [Header] apart, for bodies that are there
// already; [Learned], which remembers from an endpoint's 400s what it accepts; [Decode], which reads a request as a server does; and [Stream],
// which writes a response. What may not: reading responses (package dialect),
// connections, keys, or any waiting.
package request
