// Package typeschema makes the JSON Schema of a Go type from its fields, their
// json tags and their comments, so that a test can hold a published schema
// against the types that are written.
//
// What lives here: that, for the types this module writes in JSON. What may not:
// reading or comparing schemas, or anything that product code calls.
package typeschema
