package engine

// Demand is the least that one device must do for a step, whatever its kernels
// reach: what MFU and MBU are counted by. Norms, activations and messages are
// left out, as is usual.
type Demand struct {
	FLOP  float64
	Bytes float64 // weights and KV that are read
}

// Demand counts a step. What proposes drafts is left out, what verifies them is not.
func (p *Physics) Demand(b Batch) Demand {
	var d Demand
	tokens, layers, tp := float64(b.Tokens()), float64(p.Model.Layers), float64(p.TP)
	for _, l := range p.layers {
		flop, bytes := p.layerDemand(l, tokens)
		d.FLOP += l.count * flop
		d.Bytes += l.count * bytes
	}
	if b.Sampled > 0 {
		d.FLOP += 2 * float64(b.Sampled) * p.Model.embedding() / tp
		d.Bytes += 2 * p.Model.embedding() / tp
	}
	windowed := float64(p.Model.WindowedLayers)
	full := layers - windowed
	queries := 1.0
	if b.Decoding > 0 {
		queries = float64(b.DecodeTokens) / float64(b.Decoding)
	}
	pairs := full*(b.Pairs+queries*b.Context) + windowed*(b.WindowPairs+queries*b.WindowContext)
	d.FLOP += pairs * p.pairFLOP()
	d.Bytes += (full*(b.Context+b.Reread) + windowed*(b.WindowContext+b.WindowReread)) * p.kv
	return d
}

// layerDemand is the matrices of one layer.
func (p *Physics) layerDemand(l layer, tokens float64) (flop, bytes float64) {
	for _, g := range l.gemms {
		flop += 2 * tokens * g.params()
		bytes += g.params() * p.weight
	}
	if l.experts {
		x := p.Model.Experts
		one := 3 * float64(p.Model.Hidden*x.FFN) / float64(p.TP)
		flop += 2 * tokens * float64(x.TopK) * one
		bytes += x.hit(tokens) * one * p.weight
	}
	return flop, bytes
}

// pairFLOP is the arithmetic of one query and one key on a rank, in a layer.
func (p *Physics) pairFLOP() float64 {
	heads := float64(p.Model.QueryHeads) / float64(p.TP)
	if l := p.Model.Latent; l != nil {
		return 2 * heads * float64(l.Nope+l.Rope+l.Value)
	}
	return 4 * heads * float64(p.Model.HeadDim)
}
