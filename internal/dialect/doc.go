// Package dialect turns the bytes of an answer into meaning: which events
// carried output and when, what the usage and the finish reason were, how the
// answer ended. It reads OpenAI chat, completions and responses, Anthropic
// Messages, Gemini (alt=sse) and Ollama's native NDJSON.
//
// Reader is the heart. It is fed bytes with their arrival times and keeps one
// weir.Tick an event; it allocates nothing per event. Classify judges an HTTP
// error. Inspect reads a recorded stream whole and says what is in it.
//
// The rules are those of docs/reading.md, each held by a recorded case in
// testdata. Everything here is pure: no clock, no network, no goroutine, so
// that the meter, the gateway and `weir inspect` cannot disagree.
package dialect
