package gateway

import (
	"math"
	"sync/atomic"
)

// ratio is how many bytes of a prompt's JSON make a token, learned from what
// targets report. The zero value begins with four.
type ratio struct{ bits atomic.Uint64 }

const (
	firstRatio  = 4.0
	ratioMemory = 0.1 // the weight of the newest report
	leastRatio  = 0.25
	mostRatio   = 1024.0 // an image is a few tokens
)

func (r *ratio) value() float64 {
	if v := math.Float64frombits(r.bits.Load()); v > 0 {
		return v
	}
	return firstRatio
}

// tokens estimates those of a prompt; at least one.
func (r *ratio) tokens(bytes int) int { return max(1, int(float64(bytes)/r.value())) }

// learn takes a report. Of two at the same time one may be lost.
func (r *ratio) learn(bytes, tokens int) {
	if bytes <= 0 || tokens <= 0 {
		return
	}
	seen := min(max(float64(bytes)/float64(tokens), leastRatio), mostRatio)
	r.bits.Store(math.Float64bits(r.value() + ratioMemory*(seen-r.value())))
}
