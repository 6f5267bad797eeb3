// Package translate turns one dialect into another: requests on their way to a
// target, answers and streams on their way back. The gateway uses it where a
// route's target does not speak its caller's dialect; between equal dialects the
// bytes pass, and nothing here runs.
//
// What lives here: [Request], which decodes a caller's request into one neutral
// conversation and encodes that for a target; [Continue], which gives a model
// the beginning of its answer; and the way back. A thing that the target does
// not have is refused by its path, never left out in silence: docs/translation.md
// has what is carried, dropped and refused. What may not: connections, routing,
// or the choice whether to translate.
package translate
