// Package callers holds weir gateway against clients that we did not write.
//
// A driver, in the client's own language, makes calls with it as its users do
// and says what they got. What lives here is all else: which calls there are,
// the providers behind the gateway (weir sim, and a script for what it does not
// play), the gateway itself as a process, and what has to come out. One table
// serves all clients, so that what one of them is owed, all are.
//
// What may not: drivers. Those for Go and Node are in test/sdk, those for Python
// in test/real.
package callers
