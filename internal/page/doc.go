// Package page writes a run or a sweep as one HTML page that works offline: no
// script, nothing fetched, all text escaped. [Exemplars] keeps the few streams
// that are shown event by event, while all traces pass by.
//
// What lives here: the templates, what fills them, and the definitions that the
// page prints. What may not: figures, and how a number or a sentence is put
// (package report has both, so that all forms say the same); drawing (package
// chart); files.
package page
