package engine

import (
	"math"
	"time"
)

// Measured is what three measurements of a real engine at one stream say: the
// time to the first token of a short and of a long prompt, and the time per
// token of an answer.
type Measured struct {
	Short, Long         int           // tokens of the two prompts
	ShortTTFT, LongTTFT time.Duration // to the first token, all told
	TPOT                time.Duration
	Context             int // tokens in front of the answer's middle, for TPOT
}

// Fitted makes a device and an engine profile out of measurements: the rate of
// its arithmetic from what the longer prompt took longer, the rate of its memory
// from the time per token, and what no device explains as the profile's
// Frontend. d says all else: the model, precisions, the scheduler, the size of
// the memory, and how prefill attention does beside matrices (PrefillShare). Nothing but these three numbers is adjusted.
func Fitted(d Deployment, m Measured) (Deployment, error) {
	if m.Short <= 0 || m.Long <= m.Short || m.LongTTFT <= m.ShortTTFT || m.TPOT <= 0 || m.Context <= 0 {
		return d, bad("measure a short and a much longer prompt", "there is no rate in these measurements: %d tokens in %v, %d tokens in %v, %v per token", m.Short, m.ShortTTFT, m.Long, m.LongTTFT, m.TPOT)
	}
	const (
		low, high = 1e6, 1e18 // FLOP/s and bytes/s: an abacus to more than any rack
		rounds    = 60        // each leaves less of the two rates' disagreement
	)
	d.Profile.Frontend, d.Profile.FrontendToken = 0, 0
	d.GPU.Math = map[Precision]Math{BF16: {Peak: high, MemoryShare: 1, Share: 1}}
	d.GPU.KVRead = map[Precision]float64{d.KV: 1}
	d.GPU.DecodeLaunch, d.GPU.Bandwidth = 0, high
	p, err := NewPhysics(d)
	if err != nil {
		return d, err
	}
	prompt := func(n int) float64 {
		b := Batch{Window: d.Model.Window, Sampled: 1}
		b.Prefill(n, 0)
		return p.Cost(b).Time().Seconds()
	}
	token := func() float64 {
		b := Batch{Window: d.Model.Window, Sampled: 1}
		b.Decode(1, m.Context)
		return p.Cost(b).Time().Seconds()
	}
	arithmetic := func(rate float64) {
		m := Math{Peak: rate, MemoryShare: 1, Share: 1}
		p.math, p.head, p.GPU.Math[BF16] = m, m, m
	}
	memory := func(rate float64) { p.GPU.Bandwidth = rate }
	for range rounds {
		solve(arithmetic, func() float64 { return prompt(m.Long) - prompt(m.Short) }, (m.LongTTFT - m.ShortTTFT).Seconds(), low, high)
		solve(memory, token, m.TPOT.Seconds(), low, high)
	}
	if got := token(); math.Abs(got-m.TPOT.Seconds()) > 0.001*m.TPOT.Seconds() {
		return d, bad("one stream's time per token is the sum of reading the weights and of arithmetic; prompts and answers must be of the same engine",
			"no rates explain both %v per token of an answer and %v for %d more tokens of a prompt", m.TPOT, m.LongTTFT-m.ShortTTFT, m.Long-m.Short)
	}
	d.GPU.Bandwidth = p.GPU.Bandwidth // the arithmetic's map is shared
	d.Profile.Frontend = m.ShortTTFT - time.Duration(math.Round(prompt(m.Short)*1e9))
	if d.Profile.Frontend < 0 {
		return d, bad("measure a long prompt that is not as long", "by the longer prompt the short one takes %v more than it does: the engine's attention is slower than its matrices", -d.Profile.Frontend)
	}
	return d, nil
}

// solve sets what makes f, which falls as it grows, come out as want: by
// halving on a logarithmic scale.
func solve(set func(float64), f func() float64, want, low, high float64) {
	for range 80 {
		middle := math.Sqrt(low * high)
		set(middle)
		if f() > want {
			low = middle
		} else {
			high = middle
		}
	}
	set(math.Sqrt(low * high))
}
