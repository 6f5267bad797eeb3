package telemetry

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"weir.dev/weir"
)

// families are the metrics before their labels have values.
type families struct {
	requests, retries, duplicates, rescues, overspent, unpriced *prometheus.CounterVec
	refused, tokens, cost                                       *prometheus.CounterVec
	attempts, targetCost, broken                                *prometheus.CounterVec
	ttft, tpot, overhead, targetTTFT                            *prometheus.HistogramVec
	genAI                                                       genAIFamilies
}

type genAIFamilies struct {
	inference, operation, firstChunk, tokenUsage           *prometheus.HistogramVec
	input, output, cacheRead, cacheWrite, reasoning        *prometheus.CounterVec
	serverDuration, serverFirstToken, serverPerOutputToken *prometheus.HistogramVec
}

func newFamilies(to prometheus.Registerer, b bounds) families {
	return families{
		requests:   counter(to, "weir_requests_total", "Requests, by how they ended for the caller.", "route", "outcome"),
		retries:    counter(to, "weir_retries_total", "Attempts after the first one of a request, by what they were made for.", "route", "why"),
		duplicates: counter(to, "weir_duplicate_risk_total", "Failovers after a target may have carried the request out.", "route"),
		rescues:    counter(to, "weir_rescues_total", "Answers that broke off and were to go on at another target, by whether they did.", "route", "result"),
		overspent:  counter(to, "weir_retry_budget_spent_total", "Requests that a further attempt was not made for, since the gateway had made too many.", "route"),
		unpriced:   counter(to, "weir_unpriced_requests_total", "Requests with tokens whose cost is not known; weir_cost_usd_total lacks them.", "route"),
		refused:    counter(to, "weir_refused_total", "Requests that a limit of their key kept out.", "key", "limit"),
		tokens:     counter(to, "weir_tokens_total", "Tokens, as reported or estimated. cached_input and cache_write are parts of input, reasoning of output.", "route", "key", "type", "source"),
		cost:       counter(to, "weir_cost_usd_total", "Cost of requests, all attempts included.", "route", "key"),
		attempts:   counter(to, "weir_attempts_total", "Attempts, by how they ended.", "target", "outcome"),
		targetCost: counter(to, "weir_target_cost_usd_total", "Cost of attempts.", "target"),
		broken:     counter(to, "weir_broken_events_total", "Events that were no JSON and were dropped in mid-stream.", "target"),
		ttft:       histogram(to, ttftOpts(b), "route"),
		tpot:       histogram(to, tpotOpts(b), "route"),
		overhead: histogram(to, prometheus.HistogramOpts{
			Name: "weir_gateway_overhead_seconds", Help: "The gateway's own share of the time to the first output, or of the whole where there was none.",
			Buckets: []float64{50e-6, 100e-6, 200e-6, 300e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3, 25e-3, 100e-3, 1},
		}, "route"),
		targetTTFT: histogram(to, prometheus.HistogramOpts{
			Name: "weir_target_ttft_seconds", Help: "Time from the start of an attempt to its first output.", Buckets: baseTTFT(),
		}, "target"),
		genAI: newGenAI(to),
	}
}

func newGenAI(to prometheus.Registerer) genAIFamilies {
	labels := []string{labelOperation, labelProvider, labelModel}
	failing, usage := append(slices.Clone(labels), labelError), append(slices.Clone(labels), labelModality)
	h := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return histogram(to, prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels...)
	}
	return genAIFamilies{
		inference:  h(genAIInferenceDuration, "Duration of attempts.", genAIDurationBuckets(), failing...),
		operation:  h(genAIOperationDuration, "Duration of attempts, under the older name.", genAIDurationBuckets(), failing...),
		firstChunk: h(genAITimeToFirstChunk, "Time from the start of a streamed attempt to its first event of any kind.", genAIFirstBuckets(), labels...),
		tokenUsage: h(genAITokenUsage, "Reported tokens of attempts, under the older name.", genAITokenBuckets(), append(slices.Clone(labels), labelTokenType)...),
		input:      counter(to, genAIInputTokens, "Reported input tokens of attempts, cached ones included.", usage...),
		output:     counter(to, genAIOutputTokens, "Reported output tokens of attempts, reasoning included.", usage...),
		cacheRead:  counter(to, genAICacheReadTokens, "Reported input tokens that were read from a provider's cache.", usage...),
		cacheWrite: counter(to, genAICacheWriteTokens, "Reported input tokens that were written to a provider's cache.", usage...),
		reasoning:  counter(to, genAIReasoningTokens, "Reported output tokens that were reasoning.", usage...),

		serverDuration:       h(genAIServerDuration, "Duration of requests, from their head to the last byte written to the caller.", genAIDurationBuckets(), failing...),
		serverFirstToken:     h(genAIServerTimeToFirstToken, "Time from a request's head to the first output written to the caller, of requests that ended well.", genAIFirstBuckets(), labels...),
		serverPerOutputToken: h(genAIServerTimePerOutputToken, "Time per output token after the first event, of requests that ended well.", genAIPerTokenBuckets(), labels...),
	}
}

func counter(to prometheus.Registerer, name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	to.MustRegister(v)
	return v
}

func histogram(to prometheus.Registerer, o prometheus.HistogramOpts, labels ...string) *prometheus.HistogramVec {
	v := prometheus.NewHistogramVec(o, labels)
	to.MustRegister(v)
	return v
}

// bounds are the buckets that depend on SLOs, in seconds and in order.
type bounds struct{ ttft, tpot []float64 }

func baseTTFT() []float64 {
	return []float64{0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10, 15, 20, 30, 60, 120}
}

func baseBounds() bounds {
	return bounds{
		ttft: baseTTFT(),
		tpot: []float64{0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1},
	}
}

// with adds the bounds of an SLO, so that the share that meets it can be read
// from a bucket instead of being guessed between two.
func (b bounds) with(slo weir.SLO) bounds {
	for _, o := range slo {
		switch {
		case o.Value <= 0:
		case o.Metric == "ttft":
			b.ttft = insert(b.ttft, o.Value/1e3)
		case o.Metric == "tpot":
			b.tpot = insert(b.tpot, o.Value/1e3)
		case o.Metric == "output_speed":
			b.tpot = insert(b.tpot, 1/o.Value)
		}
	}
	return b
}

func insert(sorted []float64, v float64) []float64 {
	i, there := slices.BinarySearch(sorted, v)
	if there {
		return sorted
	}
	return slices.Insert(slices.Clone(sorted), i, v)
}

func (b bounds) same(o bounds) bool {
	return slices.Equal(b.ttft, o.ttft) && slices.Equal(b.tpot, o.tpot)
}

func ttftOpts(b bounds) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{Name: "weir_ttft_seconds", Help: "Time from a request's head to the first output written to the caller: all attempts and waits included. The bounds of SLOs are buckets.", Buckets: b.ttft}
}

func tpotOpts(b bounds) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{Name: "weir_tpot_seconds", Help: "Time per output token after the first event, as the caller got them. The bounds of SLOs are buckets.", Buckets: b.tpot}
}
