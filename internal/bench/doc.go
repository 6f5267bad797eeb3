// Package bench sends load: who sends what when, warm-up, stop rules. It turns
// a Config into samples and hands every raw trace on.
//
// What may not live here: judging (package stats) and showing (package
// report). The two sides are joined by values and by a file, so that a stored
// run can be judged again.
package bench
