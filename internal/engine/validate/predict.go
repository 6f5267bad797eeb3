package validate

import (
	"math"
	"strings"
	"time"

	"weir.dev/weir/internal/engine"
)

// predict simulates what the cell's source measured.
func predict(c Cell) (float64, error) {
	d, err := deployment(c)
	if err != nil {
		return 0, err
	}
	switch c.metric.kind {
	case throughput:
		return maxLoad(d, c)
	case latency, firstToken:
		return batch(d, c)
	default:
		return concurrent(d, c)
	}
}

// deployment is the cell's hardware, and the engine that its source names.
func deployment(c Cell) (engine.Deployment, error) {
	d := engine.Deployment{TP: c.TP, Weights: engine.Precision(c.Weights), KV: engine.Precision(c.KV)}
	d.Model, _ = engine.ModelNamed(c.Model)
	d.GPU, _ = engine.GPUNamed(c.GPU)
	d.Profile, _ = engine.ProfileNamed(engineOf(c.Source))
	d.Profile.PrefixCache = false // each request of a benchmark has random tokens
	if c.metric.kind != throughput {
		return d, nil
	}
	p, err := engine.NewPhysics(d)
	if err != nil {
		return d, err
	}
	d.Profile.MaxSeqs, d.Profile.TokenBudget = builtFor(p.Capacity(), c.Input, c.Output)
	return d, nil
}

// engineOf reads the engine off the name of a source.
func engineOf(source string) string {
	s := strings.ToLower(source)
	switch {
	case strings.Contains(s, "tensorrt-llm 0.5"), strings.Contains(s, "lmdeploy"):
		return "eager-2023"
	case strings.Contains(s, "vllm"):
		return "vllm-v1"
	}
	return "trtllm"
}

// builtFor is how trtllm-bench sizes an engine for the lengths of its data set:
// running requests and tokens of a step (TensorRT-LLM v0.17,
// tensorrt_llm/bench/build/tuning.py).
func builtFor(capacity, input, output int) (seqs, tokens int) {
	up := func(x, step float64) int { return int(step * math.Ceil(x/step)) }
	n := min(float64(capacity)/float64(input+output), 4096)
	t := min(n*(1+float64(input)/float64(output)), 32768)
	switch {
	case n < 256:
		seqs = max(64, up(n, 32))
	case n < 1024:
		seqs = up(n, 128)
	default:
		seqs = up(n, 256)
	}
	switch {
	case t < 4096:
		tokens = max(2048, up(t, 256))
	case t < 8192:
		tokens = up(t, 512)
	default:
		tokens = up(t, 1024)
	}
	return seqs, tokens
}

// maxLoad hands in all requests at once and divides their output by the time
// until the last has ended.
func maxLoad(d engine.Deployment, c Cell) (float64, error) {
	s, err := serve(d, c, c.total(), c.total())
	if err != nil {
		return 0, err
	}
	return float64(c.total()*c.Output) / s.end.Seconds(), nil
}

// batch hands in N requests at once.
func batch(d engine.Deployment, c Cell) (float64, error) {
	s, err := serve(d, c, c.metric.n, c.metric.n)
	if err != nil {
		return 0, err
	}
	if c.metric.kind == latency {
		return ms(s.end), nil
	}
	return ms(s.ttft) / float64(c.metric.n), nil
}

// concurrent keeps N requests under way, over HTTP.
func concurrent(d engine.Deployment, c Cell) (float64, error) {
	d.Profile.Frontend, d.Profile.FrontendToken = frontend, frontendToken
	n := c.total()
	s, err := serve(d, c, c.metric.n, n)
	if err != nil {
		return 0, err
	}
	if c.metric.kind == firstTokenAt {
		return ms(s.ttft) / float64(n), nil
	}
	return ms(s.itl) / float64(n), nil
}

const (
	rounds        = 8    // requests that each of N clients sends, one after the other
	manyRequests  = 1500 // for throughput, where the source does not say
	frontend      = 3 * time.Millisecond
	frontendToken = time.Microsecond
)

// total is how many requests are simulated for the cell.
func (c Cell) total() int {
	switch c.metric.kind {
	case throughput:
		return c.Requests.Or(manyRequests)
	case latency, firstToken:
		return c.metric.n
	default:
		return c.metric.n * rounds
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
