// Package work is what a benchmark asks: prompts of a stated length and
// content, sessions, cold and warm pairs, and the records of a file.
//
// What lives here: [Plan], which says what is asked and has an identity;
// [Source], which makes of a plan and a seed the k-th request to a target;
// [Calibration], which learns from an endpoint's own counts how many words make
// a token; [Read], which reads data sets; [CompareCaches], which judges pairs.
// What may not: sending, waiting, files (callers pass readers), the load's
// shape, or the dialects.
package work
