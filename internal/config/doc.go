// Package config reads weir.yaml: which providers there are, how they are
// reached and paid, which targets serve a model, and what the gateway makes of
// them. Load is strict and says every problem at once, with its file, line,
// column and the line itself; what is sound and most likely not meant is a
// warning. Keys and other secrets are never in what it says.
//
// One table (spec.go, spec_gateway.go) holds the keys and the defaults. The walk
// over the parsed file, the JSON Schema for editors and the tables of
// docs/config.md follow it, so that they cannot disagree. The
// YAML library gives the tree; its own decoder is not used, since it stops at
// the first problem.
//
// What may not live here: reading of the environment or of files (World hands
// both over), presets (likewise), and anything that acts on a config.
package config
