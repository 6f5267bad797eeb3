package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"net/http"

	"weir.dev/weir"
	"weir.dev/weir/internal/request"
	"weir.dev/weir/internal/work"
)

// Work is what is asked, and with which parameters.
type Work struct {
	Plan            work.Plan
	Temperature     weir.Opt[float64]
	ReasoningEffort string
	IgnoreEOS       bool
	NoStream        bool
	Extra           map[string]json.RawMessage
	Headers         http.Header
}

func (w Work) spec(model string, r work.Request) request.Spec {
	return request.Spec{
		Model: model, System: r.System, Messages: r.Messages,
		MaxTokens: r.OutputTokens, Temperature: w.Temperature, ReasoningEffort: w.ReasoningEffort,
		IgnoreEOS: w.IgnoreEOS, Stream: !w.NoStream, Extra: w.Extra, Headers: w.Headers,
	}
}

// stride keeps the requests of a sweep's runs apart: run r measures from number
// r x stride on, and warms up with numbers of the stride's second half. So what
// is measured follows from the seed, however many were warmed up with.
const stride = 2 * maxRequests

// source makes a run's requests; from is the number of the first measured one.
func (c *Config) source(run int) (src work.Source, from int, err error) {
	first, plan := 0, c.Work.Plan
	if len(c.Items) > 0 {
		plan.Sizes = func(k int) (input, output int) {
			it := c.Items[(k-first)%len(c.Items)]
			return it.InputTokens, it.OutputTokens
		}
	}
	if src, err = plan.Source(c.Seed, c.Salt); err != nil {
		return nil, 0, err
	}
	first = src.Align(run * stride)
	return src, src.Align(first + c.Before.Requests), nil
}

// sessions yields the measured sessions of a run that has at most c.Requests
// requests: the number of each one's first request, and how many turns follow
// that.
func (c *Config) sessions(src work.Source, from int) func(yield func(first, more int) bool) {
	return func(yield func(first, more int) bool) {
		for k, n := from, 0; c.Requests == 0 || n < c.Requests; {
			next := src.Align(k + 1)
			more := next - k - 1
			if c.Requests > 0 {
				more = min(more, c.Requests-n-1)
			}
			if !yield(k, more) {
				return
			}
			k, n = next, n+1+more
		}
	}
}

// ID is the workload's identity: what was asked and under which load, not of
// whom. Runs of different ids are never merged.
func (c *Config) ID() string {
	w := c.Work
	b, err := json.Marshal(struct {
		Plan, Load, Effort string
		Slots              int
		Temperature        any
		IgnoreEOS, Stream  bool
		Extra              map[string]json.RawMessage
	}{
		w.Plan.ID(), c.LoadID(), w.ReasoningEffort, c.Concurrency, w.Temperature, w.IgnoreEOS, !w.NoStream, w.Extra,
	})
	if err != nil {
		return "" // Extra is not JSON; Encode says so for every request
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// The most that Expect looks at.
const (
	maxLooked     = 200     // requests
	maxLookedSize = 8 << 20 // bytes of their texts
)

// Expect is about how many tokens a measured request has, on average: as many as
// were asked for, or where the texts are given, one for each four bytes. Nobody
// knows what an image counts for.
func (c *Config) Expect() (input, output int) {
	if p := &c.Work.Plan; p.Learns() && p.Turns < 2 && len(c.Items) == 0 {
		in, out := p.Lengths.Mean()
		return int(math.Ceil(in)), int(math.Ceil(out))
	}
	src, from, err := c.source(0)
	if err != nil {
		return 0, 0
	}
	n, size := 0, 0
	for n < maxLooked && size < maxLookedSize && (c.Requests == 0 || n < c.Requests) {
		r := src.Prompt(0, from+n, nil)
		bytes := len(r.System)
		for _, m := range r.Messages {
			bytes += len(m.Text)
		}
		tokens := r.InputTokens
		if tokens == 0 {
			tokens = (bytes + 3) / 4
		}
		size += bytes
		input += tokens
		output += r.OutputTokens
		n++
	}
	return (input + n - 1) / n, (output + n - 1) / n
}
