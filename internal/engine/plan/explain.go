package plan

import (
	"fmt"
	"maps"

	"weir.dev/weir"
	"weir.dev/weir/internal/engine"
)

// Explanation is why a deployment is as fast as it is.
type Explanation struct {
	Phases []Phase `json:"phases"`
	// Knee is the tokens of a step at which the matrices' arithmetic takes over
	// from reading their weights: below it more tokens are nearly free. Empty
	// where it never does.
	Knee     weir.Opt[int] `json:"knee_tokens"`
	KVTokens int           `json:"kv_capacity_tokens"`
	KVUsers  float64       `json:"kv_capacity_users"` // requests of mean length, at their end
}

// Phase is a step, or those of a prompt, and what its time depends on.
type Phase struct {
	Name   string  `json:"phase"`
	Tokens int     `json:"tokens"`  // computed
	Time   float64 `json:"time_ms"` // in all
	Binds  string  `json:"binds"`   // the largest of the shares
	Shares Shares  `json:"shares"`
	MFU    float64 `json:"mfu"` // arithmetic done / peak of the weights' precision
	MBU    float64 `json:"mbu"` // weights and KV read / peak bandwidth
}

// Shares say how much of a time hangs on what: were that 1 % faster, the time
// would be so many hundredths of a percent shorter. They add up to 1.
type Shares struct {
	Compute   float64 `json:"compute"`
	Bandwidth float64 `json:"bandwidth"`
	Links     float64 `json:"links"`    // between devices, nodes, host memory
	CPU       float64 `json:"cpu"`      // scheduler and sampler, and launches that the device waits for
	Launches  float64 `json:"launches"` // fixed costs of kernels
}

func (s Shares) largest() string {
	name, most := "compute", s.Compute
	for _, o := range []struct {
		name  string
		share float64
	}{{"bandwidth", s.Bandwidth}, {"links", s.Links}, {"CPU", s.CPU}, {"launches", s.Launches}} {
		if o.share > most {
			name, most = o.name, o.share
		}
	}
	return name
}

// Explain takes an outcome's mean batch apart, and the two ends of what there
// can be: a prompt alone, an answer alone.
func (o *Outcome) Explain() (*Explanation, error) {
	b, err := newBounds(o.Setup.Deployment)
	if err != nil {
		return nil, err
	}
	prompt, output := o.Setup.Lengths.Mean()
	context, n := int(prompt+output/2), max(1, int(o.decoding()+0.5))
	e := &Explanation{Knee: b.knee(), KVTokens: b.at.Capacity()}
	e.KVUsers = float64(e.KVTokens) / o.Setup.typical()
	e.Phases = []Phase{
		b.phase(fmt.Sprintf("prompt of %d, alone", int(prompt)), prefill(b.at, max(1, int(prompt)))),
		b.phase(fmt.Sprintf("decode, %d at once", n), []engine.Batch{decoding(b.at, n, context)}),
		b.phase("decode, alone", []engine.Batch{decoding(b.at, 1, context)}),
	}
	return e, nil
}

// nudge is by how much a rate is changed to see what hangs on it.
const nudge = 1e-4

// bounds is a deployment, and the same with one rate a little higher.
type bounds struct {
	at, compute, bandwidth *engine.Physics
}

func newBounds(d engine.Deployment) (b bounds, err error) {
	if b.at, err = engine.NewPhysics(d); err != nil {
		return b, err
	}
	wider := d
	wider.GPU.Bandwidth *= 1 + nudge
	if b.bandwidth, err = engine.NewPhysics(wider); err != nil {
		return b, err
	}
	quicker := d
	quicker.GPU.Math = maps.Clone(d.GPU.Math)
	for w, m := range quicker.GPU.Math {
		m.Peak *= 1 + nudge
		quicker.GPU.Math[w] = m
	}
	b.compute, err = engine.NewPhysics(quicker)
	return b, err
}

// kernels is the part of a cost that the device's own rates decide.
func kernels(c engine.Cost) float64 { return c.Linear + c.Attention + c.Other + c.Head + c.Draft }

// slope is how much shorter a time gets for a rate that is relatively higher.
func slope(before, after float64) float64 { return (before - after) * (1 + nudge) / nudge }

func (b bounds) phase(name string, steps []engine.Batch) Phase {
	p := Phase{Name: name}
	total, flop, bytes := 0.0, 0.0, 0.0
	for _, s := range steps {
		c := b.at.Cost(s)
		k := kernels(c)
		compute, bandwidth := slope(k, kernels(b.compute.Cost(s))), slope(k, kernels(b.bandwidth.Cost(s)))
		p.Tokens += s.Tokens()
		p.Shares.Compute += compute
		p.Shares.Bandwidth += bandwidth
		p.Shares.Launches += k - compute - bandwidth
		p.Shares.Links += c.Collective + c.Load
		p.Shares.CPU += c.Host + c.Idle
		total += k + c.Collective + c.Load + c.Host + c.Idle
		d := b.at.Demand(s)
		flop += d.FLOP
		bytes += d.Bytes
	}
	s := &p.Shares
	for _, share := range []*float64{&s.Compute, &s.Bandwidth, &s.Links, &s.CPU, &s.Launches} {
		*share /= total
	}
	p.Time, p.Binds = total*1000, s.largest()
	p.MFU, p.MBU = flop/(total*b.peak()), bytes/(total*b.at.GPU.Bandwidth)
	return p
}

// peak is the arithmetic that the weights are computed in.
func (b bounds) peak() float64 {
	if m, ok := b.at.GPU.Math[b.at.Weights]; ok {
		return m.Peak
	}
	return b.at.GPU.Math[engine.BF16].Peak
}

// knee is where the time of the layers' matrices hangs on arithmetic as much as
// on bandwidth.
func (b bounds) knee() weir.Opt[int] {
	const most = 1 << 16
	reads := func(tokens int) bool {
		step := engine.Batch{}
		step.Prefill(tokens, 0)
		at := b.at.Cost(step).Linear
		return slope(at, b.bandwidth.Cost(step).Linear) > slope(at, b.compute.Cost(step).Linear)
	}
	k := last(1, most, func(k int) int { return max(1, k) }, reads)
	if k == most {
		return weir.None[int]()
	}
	return weir.Some(k)
}
