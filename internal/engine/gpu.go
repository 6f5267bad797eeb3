package engine

// GPU is a device and how its kernels do on it. Rates are dense peaks; a share
// says how much of a peak the best kernels reach.
type GPU struct {
	Name   string
	Also   []string // other names
	Source string   // where the shares were read
	Doubt  string   // what is not measured; empty: all of it is

	Memory    float64 // bytes
	Bandwidth float64 // bytes/s of its memory

	// Math is what it has arithmetic for; BF16 always. Weights of another
	// precision are only stored in it, and computed in BF16.
	Math map[Precision]Math

	KVRead        map[Precision]float64 // share of Bandwidth that decode attention reads KV at
	DecodeLaunch  float64               // s, fixed cost of a layer's decode attention
	PrefillShare  float64               // share of the BF16 peak that prefill attention reaches
	AllReduce     map[int]Collective    // by tensor-parallel degree
	HostStep      float64               // s, least CPU cost of a step where its software needs more than the engine's own
	DevicesOnNode int
}

// Math is arithmetic in one precision.
type Math struct {
	Peak        float64 // FLOP/s
	MemoryShare float64 // of Bandwidth, weights read by a GEMM
	Share       float64 // of Peak, large GEMM
	Launch      float64 // s, fixed cost of a GEMM
}

// Collective is an all-reduce among a number of devices of one node.
type Collective struct {
	Latency      float64 // s, of a small message, which one- and two-shot kernels move
	LargeLatency float64 // s, fixed cost of a large one, which NCCL moves
	BusRate      float64 // bytes/s, of a large one
}

// math is how GEMMs of weights in w are computed.
func (g GPU) math(w Precision) Math {
	if m, ok := g.Math[w]; ok {
		return m
	}
	return g.Math[BF16]
}
