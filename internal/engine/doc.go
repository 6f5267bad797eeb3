// Package engine simulates inference engines in virtual time. How long a step
// takes follows from the model, the GPUs and their links ([Physics]); what is in
// a step follows from a scheduler over KV blocks ([Engine]). Its numbers can be
// compared with published benchmarks (package validate), and are.
//
// What lives here: the tables of models and GPUs with their sources, the
// arithmetic of a step, KV blocks and the prefix cache, the scheduler and its
// variants. What may not: clocks, goroutines, files, HTTP. A caller paces an
// Engine by calling Step when it says; package sim puts it behind a socket.
//
// Formulas and where they come from: docs/physics.md. Inside the package times
// are float64 seconds until a step is complete; at its edge they are
// [time.Duration], to the nanosecond.
package engine
