// Package nearest finds what a user meant by a name that is not known.
//
// What lives here: comparing names. What may not: the names, or messages.
package nearest
