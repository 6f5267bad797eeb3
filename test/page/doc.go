// Package page looks at the golden pages of the report with a real browser,
// Chromium: nothing is fetched, nothing is said on its console, nothing is wider
// than the screen.
//
// What may not live here: what can be told from a page's text; that is tested
// where it is written.
package page
