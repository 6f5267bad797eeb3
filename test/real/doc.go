// Package real holds weir bench against the figures that a real inference
// engine reports about itself, and weir gateway against clients for Python: the
// calls are those of package test/callers, callers.py makes them.
//
// The engine is llama.cpp's server, on a 270M model, on this machine's CPU (see
// install.sh). Its last event carries `timings`. What they mean, from the
// engine's source (server_slot_stats in tools/server):
//
//	prompt_ms    from the moment a slot takes the request until its first token
//	             is sampled. That token's sampling is inside; what comes before
//	             the slot is not: reading the request, the chat template,
//	             tokenizing and, under load, waiting for the running batch.
//	predicted_n  every token sampled, the first and an end-of-text token included:
//	             the same number as usage.completion_tokens.
//	predicted_ms from the first token sampled until the last token sampled, so it
//	             spans predicted_n - 1 steps, and
//	predicted_per_token_ms = predicted_ms / (predicted_n - 1). (Engines from
//	             before mid 2026 divided by predicted_n; the test asks which.)
//	prompt_n     prompt tokens computed; cache_n those that were not. Together
//	             they are usage.prompt_tokens.
//
// Weir sees the same run from the socket: ttft is due to first output, tpot is
// (last output - first output) / (tokens - tokens of the first event). So two
// things differ by definition and are corrected, and nothing else is:
//
//   - ttft holds the time before the slot. The engine sends its response head
//     when the slot starts, so the test measures that time itself, with its own
//     requests, one at a time. It is known only on an idle engine: at
//     concurrency 4 a request waits for the running batch first, and there ttft
//     may only not be below prompt_ms.
//   - a request that ended before its token limit ended with an end-of-text
//     token, which is counted and timed by the engine but never delivered:
//     predicted_n - 2 steps are then seen for predicted_n - 1 counted.
//
// Everything is compared request by request, ours against the engine's figure
// for that same request, so that a machine that slows down slows both. The
// verdict is the median of these differences; and no more than a quarter of the
// requests may lie outside the tolerance on their own.
package real
