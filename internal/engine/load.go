package engine

// Load is how busy an engine is.
type Load struct {
	Running int     // requests with a seat
	Waiting int     // requests in the queue, those on their way to it left out
	KVUsage float64 // share of the KV blocks that running requests hold, 0 to 1
}

// Load is how busy the engine is now.
func (e *Engine) Load() Load {
	total := len(e.pool.blocks)
	return Load{Running: len(e.running), Waiting: e.waiting.len(), KVUsage: float64(total-e.pool.free) / float64(total)}
}

// Capacity is how many tokens of KV the engine holds, the most that a request
// may need.
func (e *Engine) Capacity() int { return len(e.pool.blocks) * e.pool.size }

// BlockTokens is how many tokens of a prompt one of Request.Blocks names.
func (e *Engine) BlockTokens() int { return e.pool.size }

// Profile is the engine's, as it was made with.
func (e *Engine) Profile() Profile { return e.physics.Profile }
