// Package splice reads and changes a few members of a JSON text and leaves
// every other byte as it is: order of keys, spacing, digits of numbers,
// repeated keys and unknown fields survive, because prompt caches hash them.
//
// Scan validates a text whole (RFC 8259) and finds members of its outermost
// object in the same pass; Request is that pass over a request's body. Edits
// sets and removes members, outermost ones and those one level down. Events
// does what has to be done to the events of an answer on their way down.
//
// Which of several members of one name counts is the last, as most readers have
// it. An edit is made to all of them, and to members whose names differ from
// the asked one in the case of ASCII letters only: encoding/json, behind many
// servers, takes "Model" for "model", and no reader may see another model than
// the gateway chose.
//
// What may not live here: what a member means to a provider, and translation.
// Reading allocates nothing once an Object has been used; editing appends to
// the caller's buffer.
package splice
