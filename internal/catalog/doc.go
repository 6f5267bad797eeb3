// Package catalog knows providers. So far it holds the keys: Auth adds each
// target's key below the meter, so that no key is ever in a trace, a log, an
// error or a file.
//
// Presets, model discovery and prices will live here too. What may not: any
// reading of the environment or of files; cmd/weir hands over what it read.
package catalog
