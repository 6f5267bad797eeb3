package engine

// Missing is how many bytes each device lacks to hold its part of the weights,
// what the engine reserves, and so many tokens of KV; 0 where they fit. It is
// for deployments that New accepts, but for their memory.
func (d Deployment) Missing(tokens int) float64 {
	need := d.Model.weightBytes(d.Weights, d.TP) + d.Profile.Reserve + float64(tokens)*d.Model.KVBytesPerToken(d.KV, d.TP)
	return max(0, need-d.Profile.MemoryShare*d.GPU.Memory)
}
