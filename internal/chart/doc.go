// Package chart draws the figures of a report as inline SVG: numbers in, markup
// out. Every chart is as wide as its place and as high as it says; along x it
// counts in per cent, so that text and marks keep their size on a phone, on a
// screen and on paper. Looks are by class, never by style attributes, which a
// strict Content-Security-Policy refuses.
//
// What may not live here: what a figure means, reading runs, colours, scripts.
package chart
