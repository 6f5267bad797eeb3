// Package clock tells time and waits for absolute instants. Who waits is given
// a [Clock]: [Plain] for tests in virtual time and wherever a millisecond does
// not matter, [Precise] for pacing and simulating on real time.
//
// What lives here: waiting until an instant, to within tens of microseconds.
// What may not: schedules, rates, tickers or anything relative. A caller that
// waits for "arrival + offset" keeps its schedule however late one wait ends.
package clock
