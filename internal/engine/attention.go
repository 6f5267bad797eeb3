package engine

// attention is all layers' attention: each sequence reads its own KV, so unlike
// the GEMMs nothing is shared.
func (p *Physics) attention(b Batch) float64 {
	windowed := float64(p.Model.WindowedLayers)
	full := float64(p.Model.Layers) - windowed
	t := 0.0
	if b.Decoding > 0 {
		queries := float64(b.DecodeTokens) / float64(b.Decoding)
		t += full*p.decodeAttention(queries, b.Context) + windowed*p.decodeAttention(queries, b.WindowContext)
	}
	if b.Prompts > 0 {
		t += full*p.prefillAttention(b.Pairs, b.Reread) + windowed*p.prefillAttention(b.WindowPairs, b.WindowReread)
	}
	return t
}

// decodeAttention reads the KV of context tokens for so many queries of each
// sequence.
func (p *Physics) decodeAttention(queries, context float64) float64 {
	memory := context * p.kv / p.kvRate()
	if l := p.Model.Latent; l != nil {
		// All heads share one latent KV: enough arithmetic per byte to matter.
		heads := float64(p.Model.QueryHeads) / float64(p.TP)
		flops := queries * context * heads * 2 * float64(2*l.KVRank+l.Rope)
		return p.GPU.DecodeLaunch + knee(memory, flops/p.attentionRate())
	}
	return p.GPU.DecodeLaunch + memory
}

// prefillAttention computes so many query-key pairs and reads the KV before
// them again.
func (p *Physics) prefillAttention(pairs, reread float64) float64 {
	return prefillAttention + pairs*p.pairFLOP()/p.attentionRate() + reread*p.kv/p.kvRate()
}

func (p *Physics) kvRate() float64 { return p.GPU.KVRead[p.KV] * p.GPU.Bandwidth }

// attentionRate is what prefill attention computes at, in FLOP/s. With an FP8
// cache it computes in FP8 where the device can.
func (p *Physics) attentionRate() float64 {
	rate := p.GPU.PrefillShare * p.GPU.Math[BF16].Peak
	if _, can := p.GPU.Math[FP8]; can && p.KV == FP8 {
		rate *= fp8Attention
	}
	return rate
}
