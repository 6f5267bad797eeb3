// Package config reads weir.yaml: which providers there are, how they are
// reached and paid, and which targets serve a model. Load is strict and says
// every problem at once, with its file, line, column and the line itself; keys
// and other secrets are never in what it says.
//
// One table (spec.go) holds the keys. The walk over the parsed file and the
// JSON Schema for editors both follow it, so that they cannot disagree. The
// YAML library gives the tree; its own decoder is not used, since it stops at
// the first problem.
//
// What may not live here: reading of the environment or of files (World hands
// both over), presets (likewise), and anything that acts on a config.
package config
