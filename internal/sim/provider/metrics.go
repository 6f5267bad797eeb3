package provider

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir.dev/weir/internal/engine"
)

// metrics are those of one engine under vLLM's names, buckets and labels
// (vllm/v1/metrics/loggers.py), with the provider as one more label. Seconds
// are the provider's.
type metrics struct {
	promptTokens, outputTokens, preempted, queried, hit prometheus.Counter
	finished                                            [2]prometheus.Counter // stop, length
	ttft, itl, tpot, e2e, queue, prefill, decode        prometheus.Histogram
}

var (
	ttftBuckets = []float64{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	itlBuckets  = []float64{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	longBuckets = []float64{0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
)

func newMetrics(to prometheus.Registerer, model string, d *driver) *metrics {
	to = prometheus.WrapRegistererWith(prometheus.Labels{
		"engine": strconv.Itoa(d.replica), "model_name": model, "provider": d.personality.Name,
	}, to)
	counter := func(name, help string, labels prometheus.Labels) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "vllm:" + name, Help: help, ConstLabels: labels})
		to.MustRegister(c)
		return c
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "vllm:" + name, Help: help, Buckets: buckets})
		to.MustRegister(h)
		return h
	}
	gauge := func(name, help string, of func(engine.Load) float64) {
		to.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "vllm:" + name, Help: help}, func() float64 {
			d.mu.Lock()
			defer d.mu.Unlock()
			return of(d.engine.Load())
		}))
	}
	gauge("num_requests_running", "Requests in the running batch.", func(l engine.Load) float64 { return float64(l.Running) })
	gauge("num_requests_waiting", "Requests in the queue.", func(l engine.Load) float64 { return float64(l.Waiting) })
	gauge("kv_cache_usage_perc", "Share of the KV blocks in use, 0 to 1.", func(l engine.Load) float64 { return l.KVUsage })
	reason := func(r string) prometheus.Counter {
		return counter("request_success_total", "Finished requests.", prometheus.Labels{"finished_reason": r})
	}
	return &metrics{
		promptTokens: counter("prompt_tokens_total", "Prompt tokens of admitted requests.", nil),
		outputTokens: counter("generation_tokens_total", "Generated tokens.", nil),
		preempted:    counter("num_preemptions_total", "Preemptions.", nil),
		queried:      counter("prefix_cache_queries_total", "Tokens looked up in the prefix cache.", nil),
		hit:          counter("prefix_cache_hits_total", "Tokens found in the prefix cache.", nil),
		finished:     [2]prometheus.Counter{reason("stop"), reason("length")},
		ttft:         histogram("time_to_first_token_seconds", "Time to first token.", ttftBuckets),
		itl:          histogram("inter_token_latency_seconds", "Time between tokens.", itlBuckets),
		tpot:         histogram("time_per_output_token_seconds", "Time between tokens, under the older name.", itlBuckets),
		e2e:          histogram("e2e_request_latency_seconds", "Time from arrival to the last token.", longBuckets),
		queue:        histogram("request_queue_time_seconds", "Time in the queue.", longBuckets),
		prefill:      histogram("request_prefill_time_seconds", "Time from the seat to the first token.", longBuckets),
		decode:       histogram("request_decode_time_seconds", "Time from the first token to the last.", longBuckets),
	}
}

// see counts an event of a job that has not seen it yet.
func (m *metrics) see(j *job, e engine.Event, at time.Duration) {
	switch e.Kind {
	case engine.Admitted:
		m.queried.Add(float64(j.prompt))
		m.hit.Add(float64(e.Cached))
		if j.admitted == 0 {
			m.promptTokens.Add(float64(j.prompt))
			m.queue.Observe((at - j.due).Seconds())
		}
	case engine.Preempted:
		m.preempted.Inc()
	case engine.Token:
		m.outputTokens.Add(float64(e.Tokens))
		if e.First() {
			m.ttft.Observe((at - j.arrived).Seconds())
			m.prefill.Observe((at - j.admitted).Seconds())
			return
		}
		gap := (at - j.last).Seconds()
		m.itl.Observe(gap)
		m.tpot.Observe(gap)
	case engine.Finished:
		m.e2e.Observe((at - j.arrived).Seconds())
		m.decode.Observe((at - j.first).Seconds())
		reason := 1
		if j.whole {
			reason = 0
		}
		m.finished[reason].Inc()
	}
}
