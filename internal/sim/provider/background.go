package provider

import (
	"math"
	"math/rand/v2"
	"time"

	"weir.dev/weir/internal/engine"
	"weir.dev/weir/internal/sim/cast"
)

// background draws what other customers ask of one replica: a Poisson process
// whose rate follows the curve and the bursts, by thinning one of the highest
// rate.
type background struct {
	cast.Background
	rng   *rand.Rand
	scale float64 // rate per second at weight 1, of this replica
	top   float64 // highest rate
	mean  float64 // weight of the curve
	room  int     // most tokens of a request
}

func newBackground(b cast.Background, replicas, room int, seed, stream uint64) *background {
	if b.Rate == 0 {
		return nil
	}
	g := &background{Background: b, rng: rand.New(rand.NewPCG(seed, stream)), scale: b.Rate / float64(replicas), mean: 1, room: room}
	high := 1.0
	if n := len(b.Curve); n > 0 {
		sum := 0.0
		for _, w := range b.Curve {
			sum, high = sum+w, max(high, w)
		}
		g.mean = sum / float64(n) // of a closed curve of lines too
		high = max(high/g.mean, 1)
	}
	g.top = g.scale * high * max(1, b.Bursts.Factor)
	return g
}

// next is when the first request after the time d comes.
func (g *background) next(d time.Duration) time.Duration {
	for {
		d += time.Duration(g.rng.ExpFloat64() / g.top * 1e9)
		if g.rng.Float64()*g.top < g.rate(d) {
			return d
		}
	}
}

// rate is the requests per second at the provider's time d.
func (g *background) rate(d time.Duration) float64 {
	r := g.scale * g.weight(d+g.Start) / g.mean
	if every := g.Bursts.Every; every > 0 && modulo(d, every) < g.Bursts.Length {
		r *= g.Bursts.Factor
	}
	return r
}

// weight follows the curve; its last point leads back to its first.
func (g *background) weight(d time.Duration) float64 {
	n := len(g.Curve)
	if n == 0 {
		return 1
	}
	at := float64(modulo(d, g.Period)) / float64(g.Period) * float64(n)
	i := min(int(at), n-1)
	return g.Curve[i] + (at-float64(i))*(g.Curve[(i+1)%n]-g.Curve[i])
}

// modulo is never negative.
func modulo(d, m time.Duration) time.Duration { return (d%m + m) % m }

// request draws the lengths of one.
func (g *background) request() engine.Request {
	r := engine.Request{Prompt: g.length(g.Input), Output: g.length(g.Output)}
	r.Output = min(r.Output, g.room/2)
	r.Prompt = min(r.Prompt, g.room-r.Output)
	return r
}

func (g *background) length(mean int) int {
	return max(1, int(math.Round(lognormal(g.rng, float64(mean), g.Spread))))
}

// lognormal has a mean, and a standard deviation as a share of it.
func lognormal(rng *rand.Rand, mean, spread float64) float64 {
	v := math.Log1p(spread * spread)
	return mean * math.Exp(math.Sqrt(v)*rng.NormFloat64()-v/2)
}
