package engine

import (
	"math"
	"time"
)

// Costs that are the same for every model and GPU (docs/physics.md, A3, A5).
const (
	prefillAttention = 14 * us // fixed, of a layer's prefill attention
	fp8Attention     = 1.6     // attention in FP8 against BF16: 1.2 and 0.74 PFLOP/s in arXiv:2407.08608
	otherKernels     = 6 * us  // norms, rope, activation: fixed, of a layer
	streamShare      = 0.7     // of bandwidth that they reach
	expertLaunch     = 25 * us // routing and grouped GEMMs of a layer
	expertMemory     = 0.9     // of a dense GEMM's share of bandwidth
	expertCompute    = 0.6     // of a dense GEMM's share of peak
)

// Physics tells how long a step of a deployment takes, and what it holds.
type Physics struct {
	Deployment
	local  int // ranks on a node
	layers []layer
	math   Math
	head   Math
	weight float64 // bytes
	kv     float64 // bytes of KV of a token in one layer on a rank
}

// layer is a kind of layer and how many of them there are.
type layer struct {
	count   float64
	gemms   []gemm
	experts bool
}

// NewPhysics makes the step model of a deployment, or says what is wrong with it.
func NewPhysics(d Deployment) (*Physics, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	p := &Physics{Deployment: d, local: min(d.TP, d.GPU.DevicesOnNode), math: d.GPU.math(d.Weights), head: d.GPU.Math[BF16]}
	p.weight, _ = d.Weights.Bytes()
	element, _ := d.KV.Bytes()
	p.kv = d.Model.kvElements(d.TP) * element
	attention := d.Model.attention(d.TP)
	if n := d.Model.denseLayers(); n > 0 {
		p.layers = append(p.layers, layer{count: float64(n), gemms: append(d.Model.feedForward(d.Model.FFN, d.TP), attention...)})
	}
	if x := d.Model.Experts; x != nil {
		gemms := attention
		if x.Shared > 0 {
			gemms = append(d.Model.feedForward(x.FFN*x.Shared, d.TP), attention...)
		}
		p.layers = append(p.layers, layer{count: float64(d.Model.Layers - x.DenseLayers), gemms: gemms, experts: true})
	}
	if c := p.Capacity(); c < d.Profile.BlockTokens {
		return nil, bad("more devices, or fewer bytes per weight", "%s in %s does not fit on %d %s: the weights take %.1f GB of each device, %.1f GB of it are missing",
			d.Model.Name, d.Weights, d.TP, d.GPU.Name, d.Model.weightBytes(d.Weights, d.TP)/gb, d.Missing(d.Profile.BlockTokens)/gb)
	}
	return p, nil
}

// Capacity is how many tokens of KV the devices hold beside the weights.
// Windowed layers are counted as if they held all tokens.
func (p *Physics) Capacity() int {
	free := p.Profile.MemoryShare*p.GPU.Memory - p.Model.weightBytes(p.Weights, p.TP) - p.Profile.Reserve
	return max(0, int(free/p.Model.KVBytesPerToken(p.KV, p.TP)))
}

// Cost is where a step's time goes, in seconds.
type Cost struct {
	Linear     float64 // GEMMs of the layers
	Attention  float64
	Other      float64 // norms, rope, activation
	Collective float64
	Head       float64 // LM head
	Draft      float64
	Load       float64 // KV from host memory
	Idle       float64 // the GPU waits for launches
	Host       float64
}

// Time is how long the step takes, to the nanosecond.
func (c Cost) Time() time.Duration {
	s := c.Linear + c.Attention + c.Other + c.Collective + c.Head + c.Draft + c.Load + c.Idle + c.Host
	return time.Duration(math.Round(s * 1e9))
}

// Cost adds up a step. An empty batch costs what the host does.
func (p *Physics) Cost(b Batch) Cost {
	c := Cost{Host: max(p.Profile.HostStep.Seconds(), p.GPU.HostStep) + float64(b.Sampled)*p.Profile.HostToken.Seconds()}
	tokens, layers := float64(b.Tokens()), float64(p.Model.Layers)
	if tokens == 0 {
		return c
	}
	for _, l := range p.layers {
		c.Linear += l.count * p.linear(l, tokens)
	}
	c.Attention = p.attention(b)
	c.Other = layers * p.other(tokens)
	c.Collective = layers*2*p.allReduce(tokens*float64(p.Model.Hidden)*2) + p.gather(b.Sampled)
	c.Head = p.lmHead(b.Sampled)
	c.Draft = p.draft(b)
	if b.Loaded > 0 {
		c.Load = b.Loaded * p.kv * layers / p.Offload.Rate
	}
	if b.Prompts > 0 {
		busy := c.Linear + c.Attention + c.Other + c.Collective + c.Head
		c.Idle = max(0, layers*p.Profile.PrefillLaunch.Seconds()-busy)
	}
	return c
}

// knee joins two bounds of which the larger one rules, softly where they meet:
// (a^4 + b^4)^(1/4).
func knee(a, b float64) float64 {
	a, b = a*a, b*b
	return math.Sqrt(math.Sqrt(a*a + b*b))
}

// gemm is the time of t rows through a matrix whose weights take w bytes each.
// Activations are counted at two bytes.
func (p *Physics) gemm(m Math, g gemm, w, t float64) float64 {
	memory := (g.params()*w + 2*t*(g.n+g.k)) / (m.MemoryShare * p.GPU.Bandwidth)
	return m.Launch + knee(memory, 2*t*g.params()/(m.Share*m.Peak))
}

func (p *Physics) linear(l layer, tokens float64) float64 {
	t := 0.0
	for _, g := range l.gemms {
		t += p.gemm(p.math, g, p.weight, tokens)
	}
	if l.experts {
		t += p.expertsTime(tokens)
	}
	return t
}

// expertsTime is the routed experts of a layer.
func (p *Physics) expertsTime(tokens float64) float64 {
	x := p.Model.Experts
	one := 3 * float64(p.Model.Hidden*x.FFN) / float64(p.TP)
	memory := x.hit(tokens) * one * p.weight / (expertMemory * p.math.MemoryShare * p.GPU.Bandwidth)
	compute := 2 * tokens * float64(x.TopK) * one / (expertCompute * p.math.Share * p.math.Peak)
	return expertLaunch + knee(memory, compute)
}

// hit is how many experts' weights are read for so many tokens:
// E*(1 - (1 - k/E)^T) if each chose alike. Real routing repeats the popular
// ones: measured between 8 and 128 tokens, 0.8 of that are read.
func (x *Experts) hit(tokens float64) float64 {
	e, k := float64(x.Routed), float64(x.TopK)
	all := e * (1 - math.Pow(1-k/e, tokens))
	share := 0.8
	switch {
	case tokens < 8:
		share = 1 - 0.2*max(0, math.Log2(tokens))/3
	case tokens > 128:
		share = min(1, 0.8+0.2*math.Log2(tokens/128)/3)
	}
	return max(min(k, e), all*share)
}

// other is norms, rope and activation of a layer: bound by memory.
func (p *Physics) other(tokens float64) float64 {
	width := p.Model.FFN
	if x := p.Model.Experts; x != nil {
		width = x.FFN * (x.TopK + x.Shared)
	}
	bytes := tokens * (20*float64(p.Model.Hidden) + 6*float64(width)/float64(p.TP))
	return otherKernels + bytes/(streamShare*p.GPU.Bandwidth)
}

// lmHead computes the logits of the sampled rows, in BF16.
func (p *Physics) lmHead(rows int) float64 {
	if rows == 0 {
		return 0
	}
	return p.gemm(p.head, gemm{float64(p.Model.Vocab) / float64(p.TP), float64(p.Model.Hidden)}, 2, float64(rows))
}

// gather brings the ranks' logits together.
func (p *Physics) gather(rows int) float64 {
	if rows == 0 {
		return 0
	}
	return p.allReduce(float64(rows) * float64(p.Model.Vocab) * 2 / float64(p.TP))
}

// draft is what proposing tokens costs before a step can verify them.
func (p *Physics) draft(b Batch) float64 {
	if p.Speculation.Drafts == 0 || b.Decoding == 0 {
		return 0
	}
	last := p.layers[len(p.layers)-1]
	one := p.linear(last, float64(b.Decoding)) + p.other(float64(b.Decoding)) + p.decodeAttention(1, b.Context)
	return float64(p.Speculation.Drafts) * (p.Speculation.DraftLayers*one + p.lmHead(b.Decoding))
}
