// Package catalog knows providers: where each is reached and how it differs
// (Providers, Find, Provider.Target), which of its own it serves (Models), what
// each calls the same published weights (CanonicalModels), what they charge
// (prices), and it holds the keys: Auth adds each target's key below the meter,
// so that no key is ever in a trace, a log, an error or a file.
//
// The presets and the map of models are facts with their sources, looked up on
// 2026-11-30; what no page of the provider's own was seen to state is marked
// unconfirmed. They age: what an endpoint serves today, Models asks it.
//
// A key may come from a command (Auth.AddCommand). A request then waits for the
// first run, which Auth.Warm does ahead of a measurement, and one request waits
// for each later run.
//
// What may not live here: any reading of the environment or of files; cmd/weir
// hands over what it read. SigV4, AWS's request signatures, is out: Bedrock is
// reached with its API keys.
package catalog
