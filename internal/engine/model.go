package engine

// Model is the shape of a decoder-only transformer: what its cost follows from.
type Model struct {
	Name   string
	Also   []string // other names, such as that of the weights
	Source string   // where the numbers were read
	Doubt  string   // why its times are less sure than others'; empty: they are not

	Layers     int
	Hidden     int
	QueryHeads int
	KVHeads    int // unused with Latent
	HeadDim    int
	FFN        int // width of the dense feed-forward block
	Vocab      int
	Context    int // most tokens of prompt and answer: max_position_embeddings

	Experts *Experts // nil for a dense model
	Latent  *Latent  // nil for grouped-query attention

	// Window is how many tokens WindowedLayers of the layers see; 0: all do.
	Window         int
	WindowedLayers int
}

// Experts describes a mixture of experts.
type Experts struct {
	Routed      int // experts per layer
	TopK        int // of them per token
	Shared      int // experts that see every token
	FFN         int // width of one expert
	DenseLayers int // layers with Model.FFN in place of experts
}

// Latent describes multi-head latent attention (DeepSeek-V2, arXiv:2405.04434).
type Latent struct {
	QueryRank int
	KVRank    int
	Rope      int // head dimension with position
	Nope      int // head dimension without
	Value     int
}

// gemm is one matrix of n outputs and k inputs.
type gemm struct{ n, k float64 }

func (g gemm) params() float64 { return g.n * g.k }

// attention lists the matrices of a layer's attention on one of tp ranks.
func (m Model) attention(tp int) []gemm {
	h, t := float64(m.Hidden), float64(tp)
	if l := m.Latent; l != nil {
		q := float64(m.QueryHeads) / t
		return []gemm{
			{float64(l.QueryRank + l.KVRank + l.Rope), h}, // every rank holds the ways down
			{q * float64(l.Nope+l.Rope), float64(l.QueryRank)},
			{q * float64(l.Nope+l.Value), float64(l.KVRank)},
			{h, q * float64(l.Value)},
		}
	}
	q := float64(m.QueryHeads) / t
	return []gemm{
		{(q + 2*m.kvHeads(tp)) * float64(m.HeadDim), h},
		{h, q * float64(m.HeadDim)},
	}
}

// feedForward lists the matrices of a gated feed-forward block.
func (m Model) feedForward(width, tp int) []gemm {
	f := float64(width) / float64(tp)
	return []gemm{{2 * f, float64(m.Hidden)}, {float64(m.Hidden), f}}
}

// kvHeads is how many KV heads a rank holds: at least one, so more ranks than
// heads hold copies.
func (m Model) kvHeads(tp int) float64 { return max(1, float64(m.KVHeads)/float64(tp)) }

// kvElements is how many KV elements a rank holds for a token in one layer.
func (m Model) kvElements(tp int) float64 {
	if m.Latent != nil {
		return float64(m.Latent.KVRank + m.Latent.Rope) // each rank has all of it
	}
	return 2 * m.kvHeads(tp) * float64(m.HeadDim)
}

// KVBytesPerToken is what a token's KV takes on one of tp ranks while all its
// layers hold it.
func (m Model) KVBytesPerToken(kv Precision, tp int) float64 {
	c, _ := kv.Bytes()
	return float64(m.Layers) * m.kvElements(tp) * c
}

// denseLayers is how many layers have a dense feed-forward block.
func (m Model) denseLayers() int {
	if m.Experts == nil {
		return m.Layers
	}
	return m.Experts.DenseLayers
}

// Params counts the weights: all, and those that one token uses. Both include
// the embedding and the LM head.
func (m Model) Params() (total, active float64) {
	total = 2 * m.embedding()
	for _, g := range m.attention(1) {
		total += float64(m.Layers) * g.params()
	}
	for _, g := range m.feedForward(m.FFN, 1) {
		total += float64(m.denseLayers()) * g.params()
	}
	active = total
	if x := m.Experts; x != nil {
		layers, one := float64(m.Layers-x.DenseLayers), 3*float64(m.Hidden*x.FFN)
		router := float64(m.Hidden * x.Routed)
		total += layers * (one*float64(x.Routed+x.Shared) + router)
		active += layers * (one*float64(x.TopK+x.Shared) + router)
	}
	return total, active
}

// embedding is the size of the embedding, and of the LM head.
func (m Model) embedding() float64 { return float64(m.Vocab * m.Hidden) }

// weightBytes is what the weights take on one of tp ranks. Embedding and LM
// head stay BF16.
func (m Model) weightBytes(w Precision, tp int) float64 {
	total, _ := m.Params()
	bytes, _ := w.Bytes()
	return ((total-2*m.embedding())*bytes + 2*m.embedding()*2) / float64(tp)
}
