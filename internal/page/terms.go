package page

// term is how a figure is defined (METRICS.md); ID is what the table's heads
// link to.
type term struct{ ID, Name, Says string }

var streamTerms = []term{
	{"ttft", "ttft, time to first token", "arrival of the last byte of the first event that carries output − when the request was due. Output is any generated token: text, reasoning, a refusal, a tool call; a role, a ping or an empty delta is not."},
	{"tpot", "tpot, time per output token", "(last output − first output) / (tokens seen − tokens of the first event). Tokens are the provider's usage, never events."},
	{"output_speed", "output speed", "1 / tpot: decode tokens per second of one user. The queue, the prefill and the trailer are not in it. Its p95 is what 95 % of the answers reach or exceed."},
	{"e2e_at_n", "e2e@N", "ttft + (N − 1) × tpot: what an answer of N tokens takes, since providers differ in how much they say."},
	{"gap", "gap and stall", "the time between two output events as they arrive; the stall is the longest of a stream. It is marked red where it is over 10 times the median gap and over 250 ms."},
}

var wholeTerms = []term{
	{"whole_speed", "whole speed", "completion tokens / e2e of an answer that was not streamed: the queue and the prefill are in it."},
}

var commonTerms = []term{
	{"e2e", "e2e", "last output − due. Without a stream it is the last byte of the answer."},
	{"output_rate", "carried", "output tokens per second of all slots together, in the steady window: without the warm-up, the start and the end. ± is two standard errors."},
	{"success", "success", "good answers / eligible requests, with Wilson's 95 % interval (1927). Cancels, bad requests, bad keys and rate limits are not eligible."},
	{"tokens", "tokens", "means of what the provider's usage says of prompts and answers."},
	{"cost", "cost", "by the usage and the dated price, warm-up included. + marks answers whose usage did not come."},
	{"censored", "failures in the ranks", "what failed counts as never answered; what was cut while waiting counts as “at least so long” (Kaplan and Meier 1958). A percentile that the data never reach is not given."},
	{"interval", "[a, b] and the bands", "distribution-free 95 % intervals of each percentile, rank for rank (David and Nagaraja 2003; with cuts Brookmeyer and Crowley 1982 over the beta product of Fay, Brittain and Proschan 2013). They are pointwise: each percentile by itself, not all at once. ≥ marks one that too few requests bound from above."},
	{"verdict", "verdict", "the same prompts to all targets side by side, in at least 20 blocks; the Hodges-Lehmann ratio of the blocks' medians with a block bootstrap interval and a block permutation p, by Holm over all pairs and figures. A tie is what no difference was found in, with the one that would have been seen with 80 % power."},
	{"client", "client-limited", "p99 lateness over max(1 ms, 1 % of the median ttft), more than 0.1 % of the events only bounded, or stamps late by more than 2 % of the median gap."},
	{"fit", "chat and batch", "chat: success of 99 %, p95 ttft within 500 ms, median output speed of 20 tokens/s. Batch: success of 95 %."},
}

// terms are the definitions of what a page shows.
func terms(stream bool) []term {
	if stream {
		return append(append([]term(nil), streamTerms...), commonTerms...)
	}
	return append(append([]term(nil), wholeTerms...), commonTerms...)
}
