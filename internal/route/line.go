package route

// line is seconds over thousands of tokens, learned one sample at a time: least
// squares of the relative errors (PHYSICS.md, D2), in which what came before
// fades over some 200 samples, and what lies three times off is taken as three
// times off.
type line struct {
	base, perK float64 // the line

	n                     float64 // samples so far, up to memory
	w, sumK, sumKK, v, kv float64 // sums of the weights, and of k, k*k, value, k*value by weight
}

const (
	memory = 200  // samples
	sure   = 8    // samples, before which nothing is far off
	far    = 3    // times the line, or a third of it
	least  = 1e-6 // seconds
)

// What is taken of the slope as long as all prompts are of one length: a prefill
// of 20,000 tokens/s, or slower growth where the target is that fast. It counts
// as one sample would whose length lies 900 tokens off.
const (
	priorK     = 0.05 // seconds per thousand tokens
	priorShare = 0.15 // of the usual time, per thousand tokens
	priorSays  = 0.8  // thousands of tokens, squared
)

// at is the line at so many thousand tokens, above 0.
func (l *line) at(k float64) float64 { return max(l.base+l.perK*k, least) }

func (l *line) add(k, value float64) {
	if l.n >= sure {
		about := l.at(k)
		value = min(max(value, about/far), about*far)
	}
	size := value
	if l.n > 0 {
		size = l.at(k)
	}
	keep := 1 - 1/float64(memory)
	w := 1 / (size * size)
	l.n = min(l.n+1, memory)
	l.w = l.w*keep + w
	l.sumK = l.sumK*keep + w*k
	l.sumKK = l.sumKK*keep + w*k*k
	l.v = l.v*keep + w*value
	l.kv = l.kv*keep + w*k*value
	l.solve()
}

// solve fits the line with a pull of the slope to the prior; neither part is
// below 0.
func (l *line) solve() {
	k, v := l.sumK/l.w, l.v/l.w
	spread, together := max(l.sumKK/l.w-k*k, 0), l.kv/l.w-k*v
	says, prior := priorSays/l.n, min(priorK, priorShare*v)
	l.perK = max((together+says*prior)/(spread+says), 0)
	l.base = v - l.perK*k
	if l.base < 0 {
		l.base, l.perK = 0, l.kv/l.sumKK
	}
}
